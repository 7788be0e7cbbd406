/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "firefox-markers.h"

#include "base/must.h"
#include "export-waits.h"
#include "base/scope.h"
#include "report/waits/waits-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARKER "xenoprof" /* all have one form */

/* Which of its times a marker has. */
enum firefox_phase { FIREFOX_MOMENT, FIREFOX_INTERVAL };

void firefox_put_time(const struct firefox_tables *tables, struct json *json,
                      uint64_t time)
{
    json_decimal(json, loaded_since(tables->walk->loaded, time),
                 FIREFOX_NS_DIGITS);
}

static enum firefox_phase phase_of(const struct session_event *event)
{
    return event->to > event->from ? FIREFOX_INTERVAL : FIREFOX_MOMENT;
}

static void put_marker_times(struct firefox_tables *tables, struct json *json,
                             const struct session_event *events, size_t count)
{
    json_key(json, "startTime");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
        firefox_put_time(tables, json, events[i].from);
    json_array_end(json);
    json_key(json, "endTime");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
        if ( phase_of(&events[i]) == FIREFOX_INTERVAL )
            firefox_put_time(tables, json, events[i].to);
        else
            json_null(json);
    json_array_end(json);
    json_key(json, "phase");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
        json_u64(json, phase_of(&events[i]));
    json_array_end(json);
}

void firefox_put_markers(struct firefox_tables *tables, struct json *json,
                         const struct session_events *events)
{
    const size_t count = events ? events->count : 0;

    json_key(json, "markers");
    json_object_begin(json);
    json_key(json, "name");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
        json_u64(json, firefox_text(tables, events->items[i].name));
    json_array_end(json);
    json_key(json, "data");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
    {
        json_object_begin(json);
        firefox_put_text(json, "type", MARKER);
        firefox_put_text(json, "text", events->items[i].text);
        json_object_end(json);
    }
    json_array_end(json);
    put_marker_times(tables, json, events ? events->items : NULL, count);
    firefox_put_same(json, "category", FIREFOX_OTHER, count);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

void firefox_put_schema(struct json *json)
{
    static const char *const places[] = {"marker-chart", "marker-table",
                                         "timeline-overview"};

    json_key(json, "markerSchema");
    json_array_begin(json);
    json_object_begin(json);
    firefox_put_text(json, "name", MARKER);
    firefox_put_text(json, "tableLabel", "{marker.data.text}");
    firefox_put_text(json, "chartLabel", "{marker.data.text}");
    json_key(json, "display");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++ )
        json_string(json, places[i]);
    json_array_end(json);
    json_key(json, "fields");
    json_array_begin(json);
    json_object_begin_flat(json);
    firefox_put_text(json, "key", "text");
    firefox_put_text(json, "label", "What");
    firefox_put_text(json, "format", "string");
    json_object_end(json);
    json_array_end(json);
    json_object_end(json);
    json_array_end(json);
}

/* Nothing is known of the time before it. */
static bool begins_counts(const struct wait_bin *bins, size_t at)
{
    return !at || bins[at - 1].key.bin + 1ull < bins[at].key.bin;
}

/* A counter's value is of the time since its sample before, so one of 0 is
 * where the first one begins. */
static void put_counts(struct firefox_tables *tables, struct json *json,
                       const struct wait_bin *bins, size_t count,
                       const struct export_wait_kind *kind)
{
    const uint64_t width = tables->walk->loaded->waits.bins.width;
    size_t begun = 0;

    json_key(json, "samples");
    json_object_begin(json);
    json_key(json, "time");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
    {
        if ( begins_counts(bins, i) )
        {
            firefox_put_time(tables, json, bins[i].key.bin * width);
            begun++;
        }
        firefox_put_time(tables, json, (bins[i].key.bin + 1ull) * width);
    }
    json_array_end(json);
    json_key(json, "count");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
    {
        if ( begins_counts(bins, i) )
            json_u64(json, 0);
        json_decimal(json, kind->time(&bins[i].times), FIREFOX_NS_DIGITS);
    }
    json_array_end(json);
    firefox_put_number(json, "length", begun + count);
    json_object_end(json);
}

static void put_counter(struct firefox_tables *tables, struct json *json,
                        const struct firefox_home *home,
                        const struct wait_bin *bins, size_t count,
                        const struct export_wait_kind *kind)
{
    const struct loaded *loaded = tables->walk->loaded;
    const struct waiting_domain *domain = table_at(&loaded->waits.domains,
                                                   bins->key.whose);
    char *of SCOPE_FREE = waits_domain_text(loaded, domain);
    char *name SCOPE_FREE = must_text("%s: %s", of, kind->name);

    json_object_begin(json);
    firefox_put_text(json, "name", name);
    firefox_put_text(json, "category", "vCPUs");
    firefox_put_text(json, "description", kind->what);
    firefox_put_text(json, "pid", home->pid);
    firefox_put_number(json, "mainThreadIndex", home->thread);
    put_counts(tables, json, bins, count, kind);
    json_object_end(json);
}

static const struct firefox_home *home_of(const struct loaded *loaded,
                                          const struct firefox_home *homes,
                                          const struct firefox_home *host,
                                          uint32_t waiting)
{
    const struct waiting_domain *domain = table_at(&loaded->waits.domains,
                                                   waiting);
    struct domain_key key = {.number = domain->key.domain};
    const struct loaded_domain *known;
    size_t index;

    memcpy(key.uuid, domain->key.uuid, sizeof(key.uuid));
    known = table_find(&loaded->domains, &key);
    index = known ? table_index(&loaded->domains, known) : 0;
    return known && homes[index].pid ? &homes[index] : host;
}

void firefox_put_counters(struct firefox_tables *tables, struct json *json,
                          const struct firefox_home *homes,
                          const struct firefox_home *host)
{
    const struct loaded *loaded = tables->walk->loaded;
    const size_t all = loaded->waits.bins.bins.count;
    struct wait_bin *bins SCOPE_FREE = wait_bins_sorted(&loaded->waits.bins);
    size_t count;

    json_key(json, "counters");
    json_array_begin(json);
    for ( size_t i = 0; i < all && host->pid; i += count )
    {
        const struct firefox_home *home = home_of(loaded, homes, host,
                                                  bins[i].key.whose);

        count = 1;
        while ( i + count < all &&
                bins[i + count].key.whose == bins[i].key.whose )
            count++;
        for ( size_t kind = 0; kind < EXPORT_WAIT_KINDS; kind++ )
            put_counter(tables, json, home, bins + i, count,
                        &export_wait_kinds[kind]);
    }
    json_array_end(json);
}
