/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going on with the session of a daemon that died: the rings, the session and
 * the options are found again, and the rings are read from where the last
 * block ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "control/event-requests.h"
#include "control/guest-roots.h"
#include "control/session-folders.h"
#include "disk.h"
#include "recording.h"
#include "recording-attributes.h"
#include "recording-work.h"

/* Opens the rings that the module has now.  False if it has no session. */
static bool open_existing_rings(struct recording *recording)
{
    const struct xen *xen = recording->xen;
    struct xenoprof_door_state state;

    if ( door_client_state(&xen->door, &state) || !state.status_mfn )
        return false;
    return xen->calls->open_source(xen->self, recording->handle,
                                   state.status_mfn,
                                   &recording->source) == XENOPROF_OK &&
           xenoprof_source_refresh(recording->source) == XENOPROF_OK &&
           xenoprof_source_status(recording->source, &recording->status) ==
               XENOPROF_OK;
}

static const char *attribute(const struct recording *recording, const char *key)
{
    const char *value = xenoprof_writer_past_attribute(recording->writer, key);

    return value ? value : "";
}

/* True if the open session on disk is the one that the module samples for. */
static bool is_its_session(const struct recording *recording)
{
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, recording->status.session);
    return strcmp(attribute(recording, SESSION_ATTRIBUTE_NUMBER), number) ==
               0 &&
           strcmp(attribute(recording, SESSION_ATTRIBUTE_BOOT),
                  recording->xen->info.boot) == 0;
}

static bool open_session(struct recording *recording, const char *session_dir,
                         const char *name)
{
    char *folder SCOPE_FREE = NULL;
    enum xenoprof_status code;

    if ( asprintf(&folder, "%s/%s", session_dir, name) < 0 )
    {
        folder = NULL;
        return false;
    }
    code = xenoprof_writer_reopen(recording->handle, folder,
                                  &recording->writer);
    return code == XENOPROF_OK && is_its_session(recording);
}

/* The session that the module samples for is the current one, unless its daemon
 * died as it started, or between the renames that make it current. */
static bool find_session(struct recording *recording, const char *session_dir)
{
    struct failure failure;

    if ( session_exists(session_dir, SESSION_CURRENT) &&
         open_session(recording, session_dir, SESSION_CURRENT) )
        return true;
    xenoprof_writer_destroy(recording->writer);
    recording->writer = NULL;
    return session_exists(session_dir, SESSION_STARTING) &&
           open_session(recording, session_dir, SESSION_STARTING) &&
           !session_rotate(session_dir, &failure);
}

static bool restore_options(struct recording *recording,
                            const char *session_dir)
{
    const char *line = attribute(recording, SESSION_ATTRIBUTE_OPTIONS);
    struct failure failure;

    start_options_free(&recording->options);
    start_options_init(&recording->options);
    free(recording->options_text);
    recording->options_text = NULL;
    /* start_options_text() has a space before each field. */
    if ( asprintf(&recording->options_text, " %s", line) < 0 ||
         start_options_parse(&recording->options, recording->options_text,
                             &failure) )
        return false;
    snprintf(recording->options.session_dir,
             sizeof(recording->options.session_dir), "%s", session_dir);
    snprintf(recording->by, sizeof(recording->by), "%s",
             attribute(recording, SESSION_ATTRIBUTE_BY));
    recording->since = strtoull(attribute(recording, SESSION_ATTRIBUTE_BEGAN),
                                NULL, 10);
    return true;
}

/* Its descriptors went with the daemon that had them; what the path leads to is
 * checked as at a start. */
static void open_roots(struct recording *recording)
{
    struct failure failure = {0};

    if ( guest_roots_open(&recording->options.roots,
                          &recording->options.folders, &failure) )
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "%.300s (after its end xenoprofd has no more rights than its "
                 "user); --stop and --start open it again",
                 failure.text);
}

/* An id stands for the domain that the module profiles under it; once that
 * domain is gone, for none. */
static void bind_id(struct asked_domain *asked,
                    const struct xenoprof_ring_info *info)
{
    if ( asked->by != ASKED_BY_ID )
        return;
    asked->bound = true;
    if ( info && info->domain == asked->id )
        memcpy(asked->uuid, info->uuid, sizeof(asked->uuid));
}

/* Takes over the domains that the module profiles already. */
static void take_domains(struct recording *recording)
{
    struct asked_domains *asked = &recording->options.domains;

    for ( size_t s = 0; s < asked->count; s++ )
        bind_id(&asked->items[s], NULL);
    for ( size_t i = 0; i < xenoprof_source_rings(recording->source); i++ )
    {
        struct xenoprof_ring_info info;

        if ( xenoprof_ring_info(recording->source, i, &info) ||
             info.kind != XENOPROF_RING_VCPU ||
             info.state == XENOPROF_RING_CLOSED )
            continue;
        follow_known(&recording->follow, info.domain, info.uuid);
        for ( size_t s = 0; s < asked->count; s++ )
            bind_id(&asked->items[s], &info);
    }
}

/* By Xen's clock, which nobody sets. */
static void set_deadline(struct recording *recording)
{
    uint64_t ends = strtoull(attribute(recording, SESSION_ATTRIBUTE_ENDS), NULL,
                             10);
    uint64_t now = recording_time(recording);

    recording->deadline = 0;
    if ( recording->options.duration )
        recording->deadline = monotonic_now() + (ends > now ? ends - now : 0);
}

/* Its daemon was asked to stop, and died before the session was closed.  While
 * the disk is full, samples stay in their rings. */
static bool was_stopped(struct recording *recording)
{
    const struct xenoprof_status_page *status = &recording->status;
    struct failure ignored = {0};

    return status->state == XENOPROF_STATE_STOPPED &&
           status->stop_reason == XENOPROF_STOP_ASKED &&
           !disk_check(recording->options.session_dir, &ignored);
}

/* Samples are worth more than traces, which end if they cannot go on. */
static void adopt_traces(struct recording *recording)
{
    struct failure failure = {0};

    if ( traces_begin(&recording->traces, recording->xen, &recording->options,
                      true, &failure) )
        snprintf(recording->traces.ended, sizeof(recording->traces.ended),
                 "%.250s", failure.text);
    if ( recording->options.trace )
        traces_record(&recording->traces, recording->writer, &recording->names);
}

bool recording_adopt(struct recording *recording, const char *session_dir)
{
    struct failure failure;

    if ( !open_existing_rings(recording) ||
         !find_session(recording, session_dir) ||
         !restore_options(recording, session_dir) ||
         places_open(&recording->places, recording->xen, recording->handle,
                     recording->options.xen_syms, &failure) )
    {
        recording_let_go(recording);
        return false;
    }
    recording->places_ready = true;
    xenoprof_writer_time_unit(recording->writer, SESSION_TIME_UNIT);
    event_requests_declare(&recording->options, recording->writer);
    recording_limit(recording->writer, &recording->options);
    strcpy(recording->places_syms, recording->options.xen_syms);
    take_domains(recording);
    open_roots(recording);
    if ( !recording_open_drain(recording) || drain_resume(&recording->drain) )
    {
        recording_let_go(recording);
        drain_free(&recording->drain);
        return false;
    }
    adopt_traces(recording);
    set_deadline(recording);
    if ( !*attribute(recording, SESSION_ATTRIBUTE_PCPUS) )
        recording_put_attributes(recording);
    recording->state = RECORDING_RUNNING;
    if ( was_stopped(recording) )
        recording_stop(recording);
    return true;
}
