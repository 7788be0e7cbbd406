/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/protocol.h"
#include "status.h"

struct status_ring *status_add_ring(struct status *status)
{
    struct status_ring *grown;

    grown = reallocarray(status->rings, status->ring_count + 1, sizeof(*grown));
    if ( !grown )
        return NULL;
    status->rings = grown;
    grown += status->ring_count++;
    *grown = (struct status_ring){0};
    return grown;
}

void status_free(struct status *status)
{
    free(status->rings);
    chain_counts_free(&status->chains);
    *status = (struct status){0};
}

void status_format_time(uint64_t utc, char *text, size_t size)
{
    time_t seconds = (time_t)(utc / 1000000000u);
    struct tm tm;

    text[0] = '\0';
    if ( gmtime_r(&seconds, &tm) )
        strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

static void take_session(struct status *status, const char *line)
{
    status->session = true;
    line_get_text(line, "name", status->name, sizeof(status->name));
    line_get_text(line, "dir", status->dir, sizeof(status->dir));
    line_get_text(line, "by", status->by, sizeof(status->by));
    line_get_text(line, "options", status->options, sizeof(status->options));
    status->since = line_get_number(line, "since");
    status->until = line_get_number(line, "until");
}

static void take_sampler(struct status *status, const char *line)
{
    line_get_text(line, "name", status->sampler, sizeof(status->sampler));
    status->frequency = line_get_number(line, "frequency");
    status->asked = line_get_number(line, "asked");
    status->slowed = line_get_number(line, "slowed");
    status->pcpus = line_get_number(line, "pcpus");
}

static void take_counters(struct status *status, const char *line)
{
    status->due = line_get_number(line, "due");
    status->missed = line_get_number(line, "missed");
    status->idle = line_get_number(line, "idle");
    status->made = line_get_number(line, "made");
    status->read = line_get_number(line, "read");
    status->lost = line_get_number(line, "lost");
    status->switched = line_get_number(line, "switched");
    status->moved = line_get_number(line, "moved");
    status->cost = line_get_number(line, "cost");
}

static void take_lost(struct status *status, const char *line)
{
    char cause[32] = "";

    line_get_text(line, "cause", cause, sizeof(cause));
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( strcmp(cause, xenoprof_cause_name(i)) == 0 )
            status->lost_by_cause[i] = line_get_number(line, "count");
}

static void take_ring(struct status *status, const char *line)
{
    struct status_ring *ring = status_add_ring(status);
    char kind[8] = "";

    if ( !ring )
        return;
    line_get_text(line, "kind", kind, sizeof(kind));
    ring->pcpu = strcmp(kind, "pcpu") == 0;
    ring->number = (uint32_t)line_get_number(line, "number");
    ring->generation = (uint32_t)line_get_number(line, "generation");
    ring->domain = (uint16_t)line_get_number(line, "domain");
    ring->unit = (uint16_t)line_get_number(line, "unit");
    line_get_text(line, "name", ring->name, sizeof(ring->name));
    line_get_text(line, "uuid", ring->uuid, sizeof(ring->uuid));
    line_get_text(line, "state", ring->state, sizeof(ring->state));
    ring->made = line_get_number(line, "made");
    ring->read = line_get_number(line, "read");
    ring->lost = line_get_number(line, "lost");
}

static void take_chains(struct status *status, const char *line)
{
    struct chain_count *row;
    char mode[16] = "";
    uint8_t number;

    line_get_text(line, "mode", mode, sizeof(mode));
    number = strcmp(mode, "xen") == 0 ? XENOPROF_MODE_XEN
                                      : XENOPROF_MODE_KERNEL;
    row = chain_counts_row(&status->chains,
                           (uint16_t)line_get_number(line, "domain"), number);
    if ( !row )
        return;
    status->chains.walked[number] = true;
    line_get_text(line, "name", row->name, sizeof(row->name));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        row->ended[i] = line_get_number(
            line, xenoprof_ended_name((enum xenoprof_ended)i));
}

static void take_daemon(struct status *status, const char *line)
{
    status->daemon_pid = line_get_number(line, "pid");
    status->daemon_user = line_get_number(line, "user_ns");
    status->daemon_system = line_get_number(line, "system_ns");
    status->daemon_resident = line_get_number(line, "resident");
}

static void take_warning(struct status *status, const char *line)
{
    line_get_text(line, "text", status->warning, sizeof(status->warning));
}

static void take_trouble(struct status *status, const char *line)
{
    line_get_text(line, "text", status->trouble, sizeof(status->trouble));
}

static const struct {
    const char *word;
    void (*take)(struct status *status, const char *line);
} words[] = {
    {"session", take_session},   {"sampler", take_sampler},
    {"counters", take_counters}, {"lost", take_lost},
    {"ring", take_ring},         {"chains", take_chains},
    {"daemon", take_daemon},     {"warning", take_warning},
    {"trouble", take_trouble},
};

void status_from_reply(struct status *status, const struct reply *reply)
{
    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
            if ( line_is(line, words[i].word) )
                words[i].take(status, line);
}
