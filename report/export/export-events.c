/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-events.h"

#include "base/must.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/domain-text.h"
#include "report/pace/slowed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t running(const struct vcpu_times *times)
{
    return times->running;
}

static uint64_t asleep(const struct vcpu_times *times)
{
    return times->blocked + times->device + times->paused;
}

const struct export_wait_kind export_wait_kinds[EXPORT_WAIT_KINDS] = {
    {"running", "ms that its vCPUs ran", running},
    {"waiting", "ms that its vCPUs waited for a pCPU", waits_ready},
    {"blocked", "ms that its vCPUs had nothing to do", asleep},
};

/* Takes text.  What is not in the walk's span is left out. */
static void put_event(struct session_events *events,
                      const struct export_walk *walk, uint64_t from,
                      uint64_t to, const char *name, char *text)
{
    const struct time_span span = walk_span(walk);
    struct session_event *event;

    if ( to < span.from || from > span.to )
    {
        free(text);
        return;
    }
    event = must(vector_add(events));
    *event = (struct session_event){
        .from = from < span.from ? span.from : from,
        .to = to > span.to ? span.to : to,
        .name = name,
        .text = text,
    };
}

static void put_losses(struct session_events *events,
                       const struct export_walk *walk)
{
    for ( size_t i = 0; i < walk->loaded->losses.count; i++ )
    {
        const struct lost_then *then = &walk->loaded->losses.items[i];

        put_event(events, walk, then->time, then->time, "Lost",
                  must_text("%" PRIu64 " samples: %s", then->lost,
                            xenoprof_cause_name(then->cause)));
    }
}

static void put_domains(struct session_events *events,
                        const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;

    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        put_event(events, walk, loaded_domain(loaded, i)->since,
                  loaded_domain(loaded, i)->since, "Domain",
                  domain_text(loaded, i));
}

/* Attributes that say what changed; what they begin with. */
static const struct {
    const char *key, *name, *what;
} told[] = {
    {SESSION_ATTRIBUTE_FREQUENCY, "Frequency", "Hz of each pCPU: "},
    {SESSION_ATTRIBUTE_STOPPED, "Stopped", ""},
    {SESSION_ATTRIBUTE_WARNING, "Warning", ""},
    {SESSION_ATTRIBUTE_GUEST_KERNEL, "Kernel", "of domain "},
};

/* The number of the domain is behind a kernel's key. */
static char *attribute_text(const char *what, const char *rest,
                            const char *value)
{
    return must_text("%s%s%s%s", what, rest, *rest ? ": " : "", value);
}

static void put_attributes(struct session_events *events,
                           const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;

    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *one = &loaded->attributes.items[i];
        const char *key = names_text(&loaded->names, one->key);
        const char *value = names_text(&loaded->names, one->value);

        for ( size_t j = 0; j < sizeof(told) / sizeof(told[0]); j++ )
            if ( !strncmp(key, told[j].key, strlen(told[j].key)) )
                put_event(events, walk, one->time, one->time, told[j].name,
                          attribute_text(told[j].what,
                                         key + strlen(told[j].key), value));
    }
}

static void put_slowed(struct session_events *events,
                       const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;
    struct slowed slowed;

    for ( size_t at = 0; slowed_next(loaded, &at, &slowed); )
        put_event(events, walk, slowed.since,
                  slowed.until ? slowed.until : loaded->last, "Slowed",
                  must_text("fewer samples: %s", slowed_why(&slowed)));
}

static int compare_events(const void *left, const void *right)
{
    const struct session_event *a = left, *b = right;

    return (a->from > b->from) - (a->from < b->from);
}

void events_init(struct session_events *events, const struct export_walk *walk)
{
    *events = (struct session_events){.count = 0};
    put_losses(events, walk);
    put_domains(events, walk);
    put_attributes(events, walk);
    put_slowed(events, walk);
    if ( events->count )
        qsort(events->items, events->count, sizeof(*events->items),
              compare_events);
}

void events_free(struct session_events *events)
{
    for ( size_t i = 0; i < events->count; i++ )
        free(events->items[i].text);
    vector_free(events);
}
