/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-features.h"

#include "base/must.h"

#include <stdlib.h>

#define COMMAND_MAX 1024u
#define KERNEL_PATH "[kernel.kallsyms]"
#define OWN_VERSION "xenoprof "

void perf_about_free(struct perf_about *about)
{
    free(about->host);
    free(about->command);
}

/* A length, and a text in as many bytes; NULL: it is not whole. */
static const char *take_text(struct cursor *from)
{
    return perf_text(from, perf_u32(from));
}

static void keep_text(char **to, struct cursor *from)
{
    const char *text = take_text(from);

    if ( !text || !*text )
        return;
    free(*to);
    *to = must(strdup(text));
}

/* Which perf wrote the file; or that none did. */
static void take_version(const struct perf_knowledge *to, struct cursor *from)
{
    const char *text = take_text(from);

    to->about->own = text && !strncmp(text, OWN_VERSION, strlen(OWN_VERSION));
    to->kernel->own = to->about->own;
}

static void take_command(struct perf_about *about, struct cursor *from)
{
    const uint32_t words = perf_u32(from);
    struct buffer line = {0};

    for ( uint32_t i = 0; i < words && !from->bad; i++ )
    {
        const char *word = take_text(from);
        const size_t length = word ? strlen(word) : 0;

        if ( !word || line.used + length + 2 > COMMAND_MAX )
            break;
        if ( line.used )
            must_do(buffer_append(&line, " ", 1));
        must_do(buffer_append(&line, word, length));
    }
    must_do(buffer_append(&line, "", 1));
    free(about->command);
    about->command = (char *)line.bytes;
}

static void take_clock(struct perf_about *about, struct cursor *from)
{
    uint64_t utc, at;

    perf_u32(from); /* version */
    perf_u32(from); /* which clock */
    utc = perf_u64(from);
    at = perf_u64(from);
    if ( from->bad || !at )
        return;
    about->utc = utc;
    about->utc_at = at;
}

/* Names of events, whose numbers say which. */
static void take_events(const struct perf_knowledge *to, struct cursor *from)
{
    const uint32_t count = perf_u32(from), size = perf_u32(from);

    for ( uint32_t i = 0; i < count && !from->bad; i++ )
    {
        uint32_t ids;
        const char *name;

        get_bytes(from, size);
        ids = perf_u32(from);
        name = take_text(from);
        if ( !name )
            return;
        if ( !ids && i < to->events->list.count )
            perf_events_call(to->events, i, name, strlen(name));
        for ( uint32_t j = 0; j < ids && !from->bad; j++ )
        {
            const size_t index = perf_events_find(to->events, perf_u64(from));

            if ( index < to->events->list.count )
                perf_events_call(to->events, index, name, strlen(name));
        }
    }
}

void perf_build_id_take(const struct perf_knowledge *to, uint16_t misc,
                        struct cursor body)
{
    const int32_t pid = (int32_t)perf_u32(&body);
    const uint8_t *bytes = get_bytes(&body, PERF_BUILD_ID_MAX + 4);
    const char *path = perf_text(&body, cursor_left(&body));
    struct perf_build_id id = {.size = PERF_BUILD_ID_MAX};

    (void)pid;
    if ( !bytes || !path || !*path )
        return;
    memcpy(id.bytes, bytes, sizeof(id.bytes));
    if ( misc & PERF_BUILD_ID_SIZE && bytes[PERF_BUILD_ID_MAX] < id.size )
        id.size = bytes[PERF_BUILD_ID_MAX];
    memset(id.bytes + id.size, 0, sizeof(id.bytes) - id.size);
    if ( !strcmp(path, KERNEL_PATH) )
        to->kernel->id = id;
    else
        perf_files_know(to->files, path, &id);
}

static void take_build_ids(const struct perf_knowledge *to, struct cursor *from)
{
    struct perf_event_header head;

    while ( cursor_left(from) >= sizeof(head) )
    {
        const uint8_t *body;

        memcpy(&head, get_bytes(from, sizeof(head)), sizeof(head));
        if ( head.size < sizeof(head) )
            return;
        body = get_bytes(from, head.size - sizeof(head));
        if ( !body )
            return;
        perf_build_id_take(to, head.misc,
                           (struct cursor){body, from->at, false});
    }
}

void perf_feature_take(const struct perf_knowledge *to, uint64_t feature,
                       struct cursor bytes)
{
    struct perf_about *about = to->about;

    switch ( feature )
    {
    case PERF_FEATURE_BUILD_ID: take_build_ids(to, &bytes); return;
    case PERF_FEATURE_HOSTNAME: keep_text(&about->host, &bytes); return;
    case PERF_FEATURE_OSRELEASE:
        keep_text(&to->kernel->release, &bytes);
        return;
    case PERF_FEATURE_VERSION: take_version(to, &bytes); return;
    case PERF_FEATURE_CMDLINE: take_command(about, &bytes); return;
    case PERF_FEATURE_EVENT_DESC: take_events(to, &bytes); return;
    case PERF_FEATURE_CLOCK_DATA: take_clock(about, &bytes); return;
    case PERF_FEATURE_NRCPUS:
        about->pcpus = perf_u32(&bytes); /* that there may be */
        about->pcpus = perf_u32(&bytes); /* that are online */
        return;
    default: return;
    }
}
