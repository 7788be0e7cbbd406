/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, from a file or from a pipe: a host that perf recorded, or a guest
 * in itself, is one domain, called as it calls itself; guests that a KVM host's
 * perf saw are another.
 */
#include "report/import/import-formats.h"

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "perf-chain.h"
#include "perf-own.h"
#include "perf-reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DECLARED_FIRST 32u /* events; more of them only if they have samples */
#define GUEST          "guest"

/* A session that becomes of a perf.data. */
struct perf_import {
    struct perf_reader reader;
    struct sink *sink;
    struct perf_own own;
    struct perf_chains chains;
    struct perf_chain chain; /* large */
    uint64_t last;           /* time */
};

bool is_perf(const struct import_head *head)
{
    return head->size >= PERF_MAGIC_SIZE &&
           (!memcmp(head->bytes, PERF_MAGIC, PERF_MAGIC_SIZE) ||
            !memcmp(head->bytes, PERF_MAGIC_OTHER, PERF_MAGIC_SIZE));
}

/* Types of counted ns have that unit, all others count themselves. */
static void declare_event(struct perf_import *import, struct perf_event *event)
{
    char *name SCOPE_FREE = perf_event_name(event);
    const bool clock = event->attr.type == PERF_TYPE_SOFTWARE &&
                       event->attr.config <= PERF_COUNT_SW_TASK_CLOCK;

    if ( !event->type )
        event->type = sink_event(
            import->sink, name, clock ? "ns" : name, event->attr.config,
            event->attr.freq ? 0 : event->attr.sample_period);
}

static bool is_dummy(const struct perf_event *event)
{
    return event->attr.type == PERF_TYPE_SOFTWARE &&
           event->attr.config == PERF_COUNT_SW_DUMMY;
}

static void say_about(struct perf_import *import, uint64_t time)
{
    const struct perf_about *about = &import->reader.about;
    const char *release = import->reader.kernel.release;
    char *kernel SCOPE_FREE = release ? must_text("Linux %s", release) : NULL;
    char *pcpus SCOPE_FREE = must_text("%" PRIu32, about->pcpus);
    const struct {
        const char *key, *value;
    } attributes[] = {
        {SESSION_ATTRIBUTE_HOST, about->host},
        {SESSION_ATTRIBUTE_KERNEL, kernel},
        {SESSION_ATTRIBUTE_OPTIONS, about->command},
        {SESSION_ATTRIBUTE_PCPUS, about->pcpus ? pcpus : NULL},
    };

    for ( size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++ )
        if ( attributes[i].value )
            sink_attribute(import->sink, time, attributes[i].key,
                           attributes[i].value);
    if ( about->utc_at && about->utc < INT64_MAX )
        sink_utc(import->sink, about->utc_at, about->utc);
}

/* What is known of the host comes before the first sample. */
static void begin_samples(struct perf_import *import, uint64_t time)
{
    import->reader.begun = true;
    say_about(import, time);
    if ( !import->reader.about.own )
        import->chains.host = sink_domain_called(
            import->sink, import->reader.about.host
                              ? import->reader.about.host
                              : import->reader.file->name);
    for ( size_t i = 0;
          i < import->reader.events.list.count && i < DECLARED_FIRST; i++ )
        if ( !is_dummy(&import->reader.events.list.items[i]) )
            declare_event(import, &import->reader.events.list.items[i]);
}

static void set_thread(struct perf_import *import, const struct perf_when *when,
                       struct xenoprof_thread *ret)
{
    const struct perf_thread *thread = perf_thread(&import->reader.spaces,
                                                   when->pid, when->tid);

    ret->pid = when->pid;
    ret->tid = when->tid;
    if ( !when->pid && !*thread->comm )
        memcpy(ret->comm, "swapper", sizeof("swapper"));
    else if ( *thread->comm )
        memcpy(ret->comm, thread->comm, sizeof(ret->comm));
    else if ( !import->reader.about.own )
        snprintf(ret->comm, sizeof(ret->comm), ":%" PRId32, (int32_t)when->tid);
}

static void import_sample(void *argument, const struct perf_record *record,
                          const struct perf_data_sample *sample)
{
    struct perf_import *import = argument;
    const struct perf_owner owner = perf_owner_of(record->misc);
    struct xenoprof_stored stored = {.weight = 1, .mode = owner.mode};

    stored.time = sample->when.timed && sample->when.time ? sample->when.time
                                                          : SINK_START;
    if ( !import->reader.begun )
        begin_samples(import, stored.time);
    if ( owner.guest && !import->chains.guest )
        import->chains.guest = sink_domain_called(import->sink, GUEST);
    declare_event(import, sample->event);
    if ( import->reader.about.own )
        perf_own_domain(&import->own, sample->when.pid, &import->chains.host);
    perf_places_epoch(import->chains.places, sink_epoch(import->sink));
    perf_chain_make(&import->chains, sample, record->misc,
                    perf_space_of(&import->reader.spaces, sample->when.pid),
                    &import->chain);
    stored.domain = owner.guest ? import->chains.guest : import->chains.host;
    if ( import->reader.about.own )
    {
        const struct perf_where where = {.domain = stored.domain,
                                         .mode = owner.mode};

        stored.mode = perf_place_mode(import->chains.places, &where,
                                      sample->ip);
    }
    stored.vcpu = stored.pcpu = (uint16_t)sample->when.cpu;
    stored.type = sample->event->type;
    stored.count = sample->period < XENOPROF_COUNT_MAX ? sample->period
                                                       : XENOPROF_COUNT_MAX;
    if ( import->chain.truncated )
        stored.marks |= XENOPROF_MARK_TRUNCATED;
    set_thread(import, &sample->when, &stored.thread);
    if ( stored.time > import->last )
        import->last = stored.time;
    sink_sample(import->sink, &stored, import->chain.places,
                import->chain.count);
}

static void say_flaws(struct perf_import *import)
{
    char *text SCOPE_FREE = NULL;

    if ( import->reader.cut )
        sink_attribute(import->sink, import->last, SESSION_ATTRIBUTE_WARNING,
                       "perf did not end this file: it was killed, or the "
                       "file is a part of it");
    if ( !import->reader.bad )
        return;
    text = must_text("%" PRIu64 " samples of perf make no sense, and are left "
                     "out",
                     import->reader.bad);
    sink_attribute(import->sink, import->last, SESSION_ATTRIBUTE_WARNING, text);
}

static const char *import_own_name(void *argument, uint32_t pid,
                                   const char *comm)
{
    struct perf_import *import = argument;

    return perf_own_name(&import->own, import->sink, pid, comm);
}

static uint32_t import_place(void *argument, const struct xenoprof_place *place)
{
    return sink_place(((struct perf_import *)argument)->sink, place);
}

static void open_import(struct perf_import *import,
                        const struct import_file *file, struct failure *failure)
{
    static const struct perf_reader_calls calls = {.sample = import_sample,
                                                   .own_name = import_own_name};
    const struct perf_place_taker taker = {.argument = import,
                                           .place = import_place};
    struct perf_reader *reader = &import->reader;

    perf_reader_init(reader, file, &calls, import, failure);
    perf_own_init(&import->own);
    import->chains.places = perf_places_open(&taker, &reader->files,
                                             &reader->kernel);
    import->chains.unwinder = perf_unwinder_open(&reader->files);
}

static void close_import(struct perf_import *import)
{
    perf_unwinder_close(import->chains.unwinder);
    perf_places_close(import->chains.places);
    perf_own_free(&import->own);
    perf_reader_free(&import->reader);
    free(import);
}

enum exit_status read_perf(const struct import_file *file, struct sink *sink,
                           uint64_t *end, struct failure *failure)
{
    struct perf_import *import = must(calloc(1, sizeof(*import)));
    const struct perf_reader *reader = &import->reader;

    import->sink = sink;
    open_import(import, file, failure);
    if ( !perf_reader_run(&import->reader) )
    {
        say_flaws(import);
        sink_lost(sink, reader->lost > reader->lost_samples
                            ? reader->lost
                            : reader->lost_samples);
    }
    *end = import->last ? import->last : SINK_START;
    close_import(import);
    return failure->status;
}
