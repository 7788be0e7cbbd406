/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=firefox: a processed profile of version 60, as
 * github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md at df31314e1 have it; later versions of
 * the profiler bring it up to date.  A domain is a process, a vCPU a thread,
 * and the host's pCPUs are threads with the same samples once more.  Times are
 * ms since the session's start, to the ns.  A sample weighs what it stands for:
 * ms, or units of an event.
 */
#include "export-tracks.h"
#include "firefox-markers.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOST_PID      "host"
#define VERSION       60
#define VERSION_GECKO 24 /* of what it was made of: nobody looks at it */
#define NS_PER_MS     1000000u

struct firefox {
    struct export_walk walk;
    struct export_tracks vcpus, pcpus;
    struct firefox_tables tables;
    struct session_events events;
    struct json json;
    bool time; /* samples stand for ns */
};

typedef void put_fn(struct firefox *firefox, uint32_t number);

static void put_stacks(struct firefox *firefox, struct export_tracks *tracks,
                       const struct track *track)
{
    struct walk_sample sample;

    json_key(&firefox->json, "stack");
    json_array_begin_flat(&firefox->json);
    while ( track_next(tracks, track, &sample) )
        json_u64(&firefox->json, firefox_stack(&firefox->tables, &sample));
    json_array_end(&firefox->json);
}

static void put_time(struct firefox *firefox, uint32_t number)
{
    firefox_put_time(&firefox->tables, &firefox->json,
                     walk_time(&firefox->walk, number));
}

static void put_weight(struct firefox *firefox, uint32_t number)
{
    json_decimal(&firefox->json, walk_amount(&firefox->walk, number),
                 firefox->time ? FIREFOX_NS_DIGITS : 0);
}

static void put_ran(struct firefox *firefox, uint32_t number)
{
    json_u64(&firefox->json, walk_amount(&firefox->walk, number));
}

static void put_column(struct firefox *firefox,
                       const struct export_tracks *tracks,
                       const struct track *track, const char *key, put_fn *put)
{
    json_key(&firefox->json, key);
    json_array_begin_flat(&firefox->json);
    for ( size_t i = 0; i < track->count; i++ )
        put(firefox, tracks->numbers[track->first + i]);
    json_array_end(&firefox->json);
}

static void put_samples(struct firefox *firefox, struct export_tracks *tracks,
                        const struct track *track)
{
    struct json *json = &firefox->json;

    json_key(json, "samples");
    json_object_begin(json);
    firefox_put_text(json, "weightType",
                     firefox->time ? "tracing-ms" : "samples");
    put_stacks(firefox, tracks, track);
    put_column(firefox, tracks, track, "time", put_time);
    put_column(firefox, tracks, track, "weight", put_weight);
    if ( firefox->time )
        put_column(firefox, tracks, track, "threadCPUDelta", put_ran);
    firefox_put_number(json, "length", track->count);
    json_object_end(json);
}

/* Domains that had the same number one after the other have pids of their
 * own. */
static char *firefox_pid(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain;
    unsigned int before = 0;

    if ( index == TRACK_NO_DOMAIN )
        return must(strdup(HOST_PID));
    domain = loaded_domain(loaded, index);
    if ( index <= DOMAIN_INDEX_IDLE )
        return must(strdup(names_text(&loaded->names, domain->name)));
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < index; i++ )
        before += loaded_domain(loaded, i)->key.number == domain->key.number;
    return before ? must_text("%" PRIu32 ".%u", domain->key.number, before + 1)
                  : must_text("%" PRIu32, domain->key.number);
}

static char *process_name(const struct loaded *loaded,
                          const struct track *track)
{
    return track->key.domain == TRACK_NO_DOMAIN
               ? must(strdup("Host"))
               : domain_text(loaded, track->key.domain);
}

static void put_true(struct json *json, const char *key)
{
    json_key(json, key);
    json_bool(json, true);
}

static void put_life(struct json *json)
{
    firefox_put_text(json, "processType", "default");
    firefox_put_number(json, "processStartupTime", 0);
    json_key(json, "processShutdownTime");
    json_null(json);
    firefox_put_number(json, "registerTime", 0);
    json_key(json, "unregisterTime");
    json_null(json);
    firefox_put_nulls(json, "pausedRanges", 0);
}

static void put_thread(struct firefox *firefox, struct export_tracks *tracks,
                       const struct track *track)
{
    const struct loaded *loaded = firefox->walk.loaded;
    const bool first = track == tracks->items ||
                       track[-1].key.domain != track->key.domain;
    char *pid SCOPE_FREE = firefox_pid(loaded, track->key.domain);
    char *process SCOPE_FREE = process_name(loaded, track);
    char *name SCOPE_FREE = track_name(tracks, track);
    char *tid SCOPE_FREE = must_text("%s-%" PRIu32, pid, track->key.cpu);
    struct json *json = &firefox->json;

    json_object_begin(json);
    put_life(json);
    firefox_put_text(json, "name", name);
    json_key(json, "isMainThread");
    json_bool(json, first);
    firefox_put_text(json, "processName", process);
    firefox_put_text(json, "pid", pid);
    firefox_put_text(json, "tid", tid);
    put_samples(firefox, tracks, track);
    firefox_put_markers(&firefox->tables, json,
                        track == firefox->pcpus.items ? &firefox->events
                                                      : NULL);
    if ( track == firefox->pcpus.items )
        put_true(json, "showMarkersInTimeline");
    json_object_end(json);
}

static void put_threads(struct firefox *firefox)
{
    struct json *json = &firefox->json;

    json_key(json, "threads");
    json_array_begin(json);
    for ( size_t i = 0; i < firefox->vcpus.count; i++ )
        put_thread(firefox, &firefox->vcpus, &firefox->vcpus.items[i]);
    for ( size_t i = 0; i < firefox->pcpus.count; i++ )
        put_thread(firefox, &firefox->pcpus, &firefox->pcpus.items[i]);
    json_array_end(json);
}

static void put_counters(struct firefox *firefox)
{
    const struct export_tracks *vcpus = &firefox->vcpus;
    const struct loaded *loaded = firefox->walk.loaded;
    const struct firefox_home host = {firefox->pcpus.count ? HOST_PID : NULL,
                                      vcpus->count};
    struct firefox_home *homes SCOPE_FREE = must(
        calloc(loaded->domains.count, sizeof(*homes)));

    for ( size_t i = vcpus->count; i-- > 0; )
    {
        struct firefox_home *home = &homes[vcpus->items[i].key.domain];

        home->thread = i;
        if ( !home->pid )
            home->pid = firefox_pid(loaded, vcpus->items[i].key.domain);
    }
    firefox_put_counters(&firefox->tables, &firefox->json, homes, &host);
    for ( size_t i = 0; i < loaded->domains.count; i++ )
        free(homes[i].pid);
}

/* What a user must know of the session, as "LABEL: VALUE". */
static void put_facts(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    char *text;

    json_key(json, "extra");
    json_array_begin(json);
    json_object_begin(json);
    firefox_put_text(json, "label", "xenoprof");
    json_key(json, "entries");
    json_array_begin(json);
    for ( unsigned int i = 0; (text = walk_comment(&firefox->walk, i)); i++ )
    {
        char *value = strstr(text, ": ");

        if ( value )
            *value = '\0';
        json_object_begin_flat(json);
        firefox_put_text(json, "label", value ? text : "note");
        firefox_put_text(json, "format", "string");
        firefox_put_text(json, "value", value ? value + 2 : text);
        json_object_end(json);
        free(text);
    }
    json_array_end(json);
    json_object_end(json);
    json_array_end(json);
}

static void put_when(struct firefox *firefox)
{
    const struct loaded *loaded = firefox->walk.loaded;
    const struct time_span span = walk_span(&firefox->walk);
    const uint64_t period = walk_period(&firefox->walk);
    struct json *json = &firefox->json;

    json_key(json, "interval");
    json_decimal(json, firefox->time && period ? period : NS_PER_MS,
                 FIREFOX_NS_DIGITS);
    json_key(json, "startTime");
    json_decimal(json, walk_utc(&firefox->walk, loaded->clocks.start),
                 FIREFOX_NS_DIGITS);
    json_key(json, "profilingStartTime");
    json_decimal(json, loaded_since(loaded, span.from), FIREFOX_NS_DIGITS);
    /* Samples at the end itself are not shown, and some are at the last. */
    json_key(json, "profilingEndTime");
    json_decimal(json, loaded_since(loaded, span.to) + 1, FIREFOX_NS_DIGITS);
    json_key(json, "sampleUnits");
    json_object_begin_flat(json);
    firefox_put_text(json, "time", "ms");
    firefox_put_text(json, "eventDelay", "ms");
    firefox_put_text(json, "threadCPUDelta", "ns");
    json_object_end(json);
}

static void put_meta(struct firefox *firefox)
{
    struct json *json = &firefox->json;

    json_key(json, "meta");
    json_object_begin(json);
    firefox_put_text(json, "product", "xenoprof");
    firefox_put_text(json, "importedFrom", "xenoprof " PACKAGE_VERSION);
    firefox_put_number(json, "preprocessedProfileVersion", VERSION);
    firefox_put_number(json, "version", VERSION_GECKO);
    firefox_put_number(json, "processType", 0);
    firefox_put_number(json, "stackwalk", 1);
    firefox_put_number(json, "logicalCPUs", firefox->walk.loaded->pcpus.count);
    put_when(firefox);
    put_true(json, "symbolicated");
    put_true(json, "symbolicationNotSupported");
    put_true(json, "usesOnlyOneStackType");
    put_true(json, "sourceCodeIsNotOnSearchfox");
    put_true(json, "keepProfileThreadOrder");
    firefox_put_categories(json);
    firefox_put_schema(json);
    put_facts(firefox);
    json_object_end(json);
}

static void print_firefox(const struct report *report, FILE *file)
{
    struct firefox firefox;
    struct time_span span;

    walk_init(&firefox.walk, report);
    span = walk_span(&firefox.walk);
    firefox.time = walk_is_ns(&firefox.walk);
    tracks_init(&firefox.vcpus, &firefox.walk, TRACKS_OF_VCPUS);
    tracks_init(&firefox.pcpus, &firefox.walk, TRACKS_OF_PCPUS);
    firefox_tables_init(&firefox.tables, &firefox.walk);
    events_init(&firefox.events, report->loaded, &span);
    json_init(&firefox.json, file);
    json_object_begin(&firefox.json);
    put_meta(&firefox);
    firefox_put_nulls(&firefox.json, "libs", 0);
    put_threads(&firefox);
    put_counters(&firefox);
    firefox_put_shared(&firefox.tables, &firefox.json);
    json_object_end(&firefox.json);
    json_finish(&firefox.json);
    events_free(&firefox.events);
    firefox_tables_free(&firefox.tables);
    tracks_free(&firefox.pcpus);
    tracks_free(&firefox.vcpus);
    walk_free(&firefox.walk);
}

const struct view export_firefox = {
    .print = print_firefox,
    .option = "export",
    .stacks = true,
    .lines = true,
    .log = true,
    .who = true,
    .labels = true,
    .opens = "open it at profiler.firefox.com",
};
