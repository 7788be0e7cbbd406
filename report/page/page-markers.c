/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-markers.h"

#include "report/pace/session-events.h"
#include "report/text/json-members.h"

#include <inttypes.h>
#include <string.h>

#define MARKERS_MOST 400u /* a session may say much */
#define AT_START     XENOPROF_SECOND

static struct time_span page_span(const struct report *report)
{
    const struct loaded *loaded = report->loaded;
    struct time_span span = {0, UINT64_MAX};

    time_range_resolve(&report->query->selection.range, &loaded->clocks, &span);
    if ( span.from < loaded->timeline.begin )
        span.from = loaded->timeline.begin;
    if ( span.to > loaded->last )
        span.to = loaded->last;
    return span;
}

/* What a session begins with is no change. */
static bool is_news(const struct loaded *loaded,
                    const struct session_event *event)
{
    static const char *const first[] = {"Domain", "Frequency", "Kernel"};

    for ( size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++ )
        if ( !strcmp(event->name, first[i]) )
            return event->from >= loaded->clocks.start + AT_START;
    return true;
}

static void put_marker(struct json *json, uint64_t start,
                       const struct session_event *event)
{
    const uint64_t from = event->from > start ? event->from - start : 0;

    json_object_begin_flat(json);
    json_put_number(json, "from_ns", from);
    json_put_number(json, "to_ns",
                    event->to > start + from ? event->to - start : from);
    json_put_text(json, "kind", event->name);
    json_put_text(json, "text", event->text);
    json_object_end(json);
}

void page_markers_put(struct json *json, const struct report *report)
{
    const struct loaded *loaded = report->loaded;
    const struct time_span span = page_span(report);
    struct session_events events;
    uint64_t count = 0;

    events_init(&events, loaded, &span);
    json_key(json, "markers");
    json_array_begin(json);
    for ( size_t i = 0; i < events.count && loaded->timeline.begun; i++ )
        if ( is_news(loaded, &events.items[i]) && count++ < MARKERS_MOST )
            put_marker(json, timeline_start(&loaded->timeline),
                       &events.items[i]);
    json_array_end(json);
    json_put_number(json, "markers_more",
                    count > MARKERS_MOST ? count - MARKERS_MOST : 0);
    events_free(&events);
}
