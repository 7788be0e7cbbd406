/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "control/session-folders.h"
#include "recording.h"

#define SECOND      1000000000ull
#define BLOCK_EVERY SECOND
#define LOOK_EVERY  SECOND
#define LIST_EVERY  (5 * SECOND) /* xenstore tells of most changes */
#define UTC_EVERY   (60 * SECOND)

static enum xenoprof_status flush(struct recording *recording)
{
    struct idle_times idle;
    const struct xen *xen = recording->xen;
    bool told = xen->calls->read_idle(xen->self, &idle) == 0;
    enum xenoprof_status code;

    code = drain_flush(&recording->drain, told ? &idle : NULL);
    recording->next_block = monotonic_now() + BLOCK_EVERY;
    return code;
}

/* Rings of domains that are gone are given back once they are drained. */
static void release_finished(struct recording *recording)
{
    size_t index = 0;
    uint32_t ring;

    while ( drain_next_finished(&recording->drain, &index, &ring) )
        door_client_command(&recording->xen->door, "release ring=%u", ring);
}

enum xenoprof_status recording_work(struct recording *recording, bool now)
{
    uint64_t end = monotonic_now() + SECOND;
    enum xenoprof_status code;
    bool more;

    recording->drain.hurried = now;
    /* More may come as fast as it is read. */
    if ( now )
        drain_mark(&recording->drain);
    do
    {
        code = drain_read(&recording->drain, &more);
        if ( !code && (now || more || drain_pressed(&recording->drain)) )
            code = flush(recording);
        xenoprof_source_heartbeat(recording->source);
    } while ( !code && more &&
              (now ? !drain_reached_mark(&recording->drain)
                   : monotonic_now() < end) );
    if ( !code && monotonic_now() >= recording->next_block )
        code = flush(recording);
    if ( !code )
        release_finished(recording);
    return code;
}

void recording_cannot_store(struct recording *recording,
                            enum xenoprof_status code)
{
    struct failure failure;

    recording->cannot_store = true;
    recording_fail(recording, code, &failure);
    snprintf(recording->trouble, sizeof(recording->trouble),
             "sampling was stopped: %.400s", failure.text);
    door_client_command(&recording->xen->door, "stop");
}

static void follow_domains(struct recording *recording)
{
    const struct xen *xen = recording->xen;
    struct domain_list list;

    if ( xen->calls->list_domains(xen->self, &list) )
        return;
    domain_names_learn(&recording->names, &list, &recording->options.domains);
    guests_keep(recording->guests, &list);
    if ( follow_update(&recording->follow, &xen->door, &list,
                       &recording->options.domains) &&
         !recording->trouble[0] )
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "a domain is not profiled: %s", recording->follow.refusal);
    domain_list_free(&list);
}

/* The first sample came: now the session is the current one. */
static int settle(struct recording *recording, struct failure *failure)
{
    int status = session_rotate(recording->options.session_dir, failure);

    if ( status )
        return status;
    recording->state = RECORDING_RUNNING;
    recording->deadline = recording->options.duration
                              ? monotonic_now() +
                                    recording->options.duration * SECOND
                              : 0;
    return 0;
}

static int no_samples(struct recording *recording, struct failure *failure)
{
    const struct xenoprof_counters *seen = &recording->status.counters;

    return fail(failure, STATUS_NO_SAMPLES,
                "sampling was started and no sample came (%llu ticks were "
                "due, %llu missed); see Xen's console with xl dmesg, or try "
                "--sampler=timer",
                (unsigned long long)seen->due,
                (unsigned long long)seen->missed);
}

static int poll_starting(struct recording *recording, struct failure *failure)
{
    if ( recording->status.counters.made > 0 )
        return settle(recording, failure);
    if ( monotonic_now() >= recording->deadline )
        return no_samples(recording, failure);
    return 0;
}

/* A lease that ran out while we could not run is taken up again. */
static void take_up_again(struct recording *recording)
{
    const struct xenoprof_status_page *status = &recording->status;

    if ( status->state == XENOPROF_STATE_STOPPED &&
         status->stop_reason == XENOPROF_STOP_LEASE &&
         door_client_command(&recording->xen->door, "start") == 0 )
        recording->trouble[0] = '\0';
}

static void note_changes(struct recording *recording)
{
    struct xenoprof_status_page *status = &recording->status;

    if ( xenoprof_source_status(recording->source, status) )
        return;
    recording_put_changes(recording);
}

/* Somebody reverted or replaced the module, or reset it. */
static bool module_is_gone(struct recording *recording)
{
    struct xenoprof_door_state state;
    int code = door_client_state(&recording->xen->door, &state);

    return code == -ENOENT || (code == 0 && state.status_mfn == 0);
}

static int look_after(struct recording *recording, struct failure *failure)
{
    uint64_t now = monotonic_now();

    if ( now < recording->next_look )
        return 0;
    recording->next_look = now + LOOK_EVERY;
    if ( module_is_gone(recording) )
    {
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "the module was unloaded or reset from outside");
        return recording_stop(recording, failure);
    }
    if ( recording->state == RECORDING_RUNNING && !recording->cannot_store )
        take_up_again(recording);
    if ( now >= recording->next_list )
    {
        recording->next_list = now + LIST_EVERY;
        follow_domains(recording);
        recording_put_payloads(recording);
    }
    if ( now >= recording->next_utc )
    {
        recording->next_utc = now + UTC_EVERY;
        recording_put_utc(recording);
    }
    return 0;
}

static void note_stopped_rings(struct recording *recording)
{
    if ( recording->drain.stopped && !recording->trouble[0] )
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "Xen stopped %zu rings, whose reader's index was impossible: "
                 "another program writes to them, or memory is bad",
                 recording->drain.stopped);
}

static int work(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;

    /* What cannot be stored stays in the rings until --stop tries again. */
    if ( recording->cannot_store )
        return 0;
    code = recording_work(recording, false);
    note_stopped_rings(recording);
    if ( !code )
        return 0;
    recording_cannot_store(recording, code);
    return recording_fail(recording, code, failure);
}

int recording_poll(struct recording *recording, struct failure *failure)
{
    int status = 0;

    xenoprof_source_heartbeat(recording->source);
    note_changes(recording);
    if ( recording->state == RECORDING_STARTING )
        status = poll_starting(recording, failure);
    if ( status )
        return status;
    status = look_after(recording, failure);
    if ( !status && recording->state != RECORDING_STOPPED )
        status = work(recording, failure);
    if ( !status && recording->state == RECORDING_RUNNING &&
         recording->deadline && monotonic_now() >= recording->deadline )
        return recording_stop(recording, failure);
    return status;
}

bool recording_has_work(const struct recording *recording)
{
    return recording->state == RECORDING_RUNNING && !recording->cannot_store &&
           guests_is_searching(recording->guests);
}
