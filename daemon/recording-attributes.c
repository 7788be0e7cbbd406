/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of a session: what they are called and where they are from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "libxenoprof/session/session-attributes.h"
#include "recording-attributes.h"
#include "recording-work.h"

#define SECOND 1000000000ull

/* Stored only if it has a value. */
struct known_attribute {
    const char *key;
    const char *value;
};

static enum xenoprof_status write_attribute(struct recording *recording,
                                            uint64_t time, const char *key,
                                            const char *value)
{
    return xenoprof_writer_attribute(recording->writer, time, key, value);
}

static enum xenoprof_status note_number(struct recording *recording,
                                        uint64_t time, const char *key,
                                        uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    return write_attribute(recording, time, key, text);
}

enum xenoprof_status recording_put_expired(struct recording *recording)
{
    const char *noted = xenoprof_writer_past_attribute(
        recording->writer, SESSION_ATTRIBUTE_EXPIRED);
    uint64_t expired = xenoprof_writer_expired(recording->writer);

    recording->expired = expired;
    if ( expired == (noted ? strtoull(noted, NULL, 10) : 0) )
        return XENOPROF_OK;
    return note_number(recording, recording_time(recording),
                       SESSION_ATTRIBUTE_EXPIRED, expired);
}

enum xenoprof_status recording_put_utc(struct recording *recording)
{
    uint64_t now = xen_time(recording->xen);
    uint64_t time = recording_time(recording);

    /* UTC at a wrong time would move the whole session. */
    if ( !now )
        return XENOPROF_OK;
    return note_number(recording, time, SESSION_ATTRIBUTE_UTC,
                       utc_now() - (now - time));
}

/* Where the module lies in Xen: a report shows frames there as ours. */
static enum xenoprof_status put_module(struct recording *recording,
                                       uint64_t time)
{
    const struct xenoprof_status_page *status = &recording->status;
    char text[48];

    if ( !status->module_size )
        return XENOPROF_OK;
    snprintf(text, sizeof(text), "0x%" PRIx64 "+0x%" PRIx64,
             status->module_text, status->module_size);
    return write_attribute(recording, time, SESSION_ATTRIBUTE_MODULE, text);
}

enum xenoprof_status recording_put_payloads(struct recording *recording)
{
    const struct xen *xen = recording->xen;
    const char *noted = xenoprof_writer_past_attribute(
        recording->writer, SESSION_ATTRIBUTE_PAYLOADS);
    char text[1024];

    if ( xen->calls->list_payloads(xen->self, text, sizeof(text)) ||
         !strcmp(text, noted ? noted : "none") )
        return XENOPROF_OK;
    return write_attribute(recording, recording_time(recording),
                           SESSION_ATTRIBUTE_PAYLOADS, text);
}

enum xenoprof_status recording_put_identity(struct recording *recording)
{
    const struct host_info *info = &recording->xen->info;
    const struct known_attribute known[] = {
        {SESSION_ATTRIBUTE_HOST, info->host},
        {SESSION_ATTRIBUTE_KERNEL, info->kernel},
        {SESSION_ATTRIBUTE_XEN, info->xen_version},
        {SESSION_ATTRIBUTE_BUILD_ID, info->xen_build_id},
        {SESSION_ATTRIBUTE_PROGRAM, "xenoprof " PACKAGE_VERSION},
        {SESSION_ATTRIBUTE_OPTIONS, recording->options_text + 1},
        {SESSION_ATTRIBUTE_BOOT, info->boot},
        {SESSION_ATTRIBUTE_BY, recording->by},
    };
    uint64_t now = recording_time(recording);
    enum xenoprof_status code = recording_put_utc(recording);

    for ( size_t i = 0; !code && i < sizeof(known) / sizeof(known[0]); i++ )
        if ( known[i].value[0] )
            code = write_attribute(recording, now, known[i].key,
                                   known[i].value);
    if ( !code )
        code = note_number(recording, now, SESSION_ATTRIBUTE_BEGAN,
                           recording->since);
    if ( !code && recording->options.duration )
        code = note_number(recording, now, SESSION_ATTRIBUTE_ENDS,
                           now + recording->options.duration * SECOND);
    if ( !code )
        code = note_number(recording, now, SESSION_ATTRIBUTE_NUMBER,
                           recording->status.session);
    return code;
}

enum xenoprof_status recording_put_attributes(struct recording *recording)
{
    uint64_t now = recording_time(recording);
    enum xenoprof_status code = XENOPROF_OK;

    if ( recording->warning[0] )
        code = write_attribute(recording, now, SESSION_ATTRIBUTE_WARNING,
                               recording->warning);
    if ( !code )
        code = note_number(recording, now, SESSION_ATTRIBUTE_ASKED,
                           recording->options.frequency);
    if ( !code )
        code = note_number(recording, now, SESSION_ATTRIBUTE_PCPUS,
                           recording->status.pcpus);
    if ( !code )
        code = put_module(recording, now);
    if ( !code )
        code = recording_put_payloads(recording);
    return code ? code : recording_put_changes(recording);
}

static const char *stop_text(uint32_t reason)
{
    switch ( reason )
    {
    case XENOPROF_STOP_LEASE: return "nobody read the rings for too long";
    case XENOPROF_STOP_NMI_SLOT: return "somebody else took Xen's NMI callback";
    case XENOPROF_STOP_PMU:
        return "guests or Xen's own xenoprof got the counters of events";
    default: return "sampling was stopped from outside";
    }
}

static const char *lowered_text(uint32_t lowered)
{
    switch ( lowered )
    {
    case XENOPROF_LOWERED_BUDGET: return SESSION_LOWERED_BUDGET;
    case XENOPROF_LOWERED_READER: return SESSION_LOWERED_READER;
    case XENOPROF_LOWERED_BUDGET | XENOPROF_LOWERED_READER:
        return SESSION_LOWERED_BUDGET "," SESSION_LOWERED_READER;
    default: return SESSION_LOWERED_NO;
    }
}

static void follow_pace(struct lowered *last, const struct xenoprof_pace *pace)
{
    if ( !pace->lowered )
    {
        if ( last->since && !last->until )
            last->until = pace->time;
        return;
    }
    if ( !last->since || last->until )
        *last = (struct lowered){.since = pace->time};
    last->by |= pace->lowered;
}

const char *recording_lowered(const struct recording *recording,
                              uint64_t *since, uint64_t *until)
{
    *since = recording->lowered.since;
    *until = recording->lowered.until;
    return *since ? lowered_text(recording->lowered.by) : "";
}

static enum xenoprof_status put_pace(struct recording *recording,
                                     const struct xenoprof_pace *pace)
{
    struct xenoprof_writer *writer = recording->writer;
    enum xenoprof_status code = XENOPROF_OK;
    char hertz[16];

    if ( pace->lowered ||
         xenoprof_writer_past_attribute(writer, SESSION_ATTRIBUTE_LOWERED) )
        code = xenoprof_writer_attribute(writer, pace->time,
                                         SESSION_ATTRIBUTE_LOWERED,
                                         lowered_text(pace->lowered));
    snprintf(hertz, sizeof(hertz), "%" PRIu32, pace->frequency);
    /* By events samples come as often as these do. */
    if ( !code && recording->status.sampler != XENOPROF_SAMPLER_PMU )
        code = xenoprof_writer_attribute(writer, pace->time,
                                         SESSION_ATTRIBUTE_FREQUENCY, hertz);
    return code;
}

/* What the session has, from this daemon or the one before. */
static uint64_t stored(const struct recording *recording)
{
    const char *text = xenoprof_writer_past_attribute(recording->writer,
                                                      SESSION_ATTRIBUTE_PACES);

    return text ? strtoull(text, NULL, 10) : 0;
}

/*
 * How often samples are taken: each change of the frequency, with the time that
 * Xen made it, and why.  A daemon that stood still finds the last ones.
 */
enum xenoprof_status recording_put_paces(struct recording *recording)
{
    const struct xenoprof_status_page *status = &recording->status;
    enum xenoprof_status code = XENOPROF_OK;
    uint64_t had, at = 0, last = 0;
    char text[24];

    if ( status->paces == recording->paces )
        return XENOPROF_OK;
    had = stored(recording);
    if ( status->paces > XENOPROF_PACES )
        at = status->paces - XENOPROF_PACES;
    if ( at < recording->paces )
        at = recording->paces;
    for ( ; !code && at < status->paces; at++ )
    {
        const struct xenoprof_pace *pace = &status->pace[at % XENOPROF_PACES];

        follow_pace(&recording->lowered, pace);
        last = pace->time;
        if ( at >= had )
            code = put_pace(recording, pace);
    }
    snprintf(text, sizeof(text), "%" PRIu64, status->paces);
    if ( !code )
        code = xenoprof_writer_attribute(recording->writer, last,
                                         SESSION_ATTRIBUTE_PACES, text);
    if ( !code )
        recording->paces = status->paces;
    return code;
}

enum xenoprof_status recording_put_changes(struct recording *recording)
{
    const struct xenoprof_status_page *status = &recording->status;
    bool halted = status->state == XENOPROF_STATE_STOPPED &&
                  status->stop_reason != XENOPROF_STOP_ASKED;
    enum xenoprof_status code = XENOPROF_OK;
    uint64_t now;

    if ( status->paces )
        code = recording_put_paces(recording);
    /* Most rounds end here, without the hypercall that reads the time. */
    if ( code || (status->sampler == recording->stored_sampler &&
                  status->frequency == recording->stored_frequency &&
                  halted == recording->stored_stop) )
        return code;
    now = recording_time(recording);
    if ( status->sampler != recording->stored_sampler )
        code = write_attribute(recording, now, SESSION_ATTRIBUTE_SAMPLER,
                               xenoprof_sampler_name(status->sampler));
    /* A module that does not say when it changes it. */
    if ( !code && !status->paces &&
         status->frequency != recording->stored_frequency &&
         status->sampler != XENOPROF_SAMPLER_PMU )
        code = note_number(recording, now, SESSION_ATTRIBUTE_FREQUENCY,
                           status->frequency);
    if ( !code && halted && !recording->stored_stop )
        code = write_attribute(recording, now, SESSION_ATTRIBUTE_STOPPED,
                               stop_text(status->stop_reason));
    if ( code )
        return code;
    if ( halted && !recording->stored_stop )
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "sampling ended by itself: %s",
                 stop_text(status->stop_reason));
    recording->stored_sampler = status->sampler;
    recording->stored_frequency = status->frequency;
    recording->stored_stop = halted;
    return XENOPROF_OK;
}
