/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session-events.h"

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/domain-text.h"
#include "slowed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A domain whose vCPUs are in no row for so long while others are is gone. */
#define GONE_AFTER (3 * XENOPROF_SECOND)

struct events_making {
    struct session_events *events;
    const struct loaded *loaded;
    struct time_span span;
};

/* Takes text.  What is not in the span is left out. */
static void put_event(const struct events_making *making, uint64_t from,
                      uint64_t to, const char *name, char *text)
{
    const struct time_span span = making->span;
    struct session_event *event;

    if ( to < span.from || from > span.to )
    {
        free(text);
        return;
    }
    event = must(vector_add(making->events));
    *event = (struct session_event){
        .from = from < span.from ? span.from : from,
        .to = to > span.to ? span.to : to,
        .name = name,
        .text = text,
    };
}

static void put_losses(const struct events_making *making)
{
    for ( size_t i = 0; i < making->loaded->losses.count; i++ )
    {
        const struct lost_then *then = &making->loaded->losses.items[i];

        put_event(making, then->time, then->time, "Lost",
                  must_text("%" PRIu64 " samples: %s", then->lost,
                            xenoprof_cause_name(then->cause)));
    }
}

/* The last domain of a name. */
struct named_domain {
    struct {
        uint32_t name;
    } key;
    uint32_t number;
};

/* A guest that rebooted, or came back from another host, has a new number. */
static char *came_text(const struct loaded *loaded, uint32_t index,
                       struct table *named)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const uint32_t name = domain->name;
    const size_t known = named->count;
    struct named_domain *of = must(table_put(named, &name));
    char *text = domain_text(loaded, index);

    if ( name && named->count == known )
    {
        char *longer = must_text("%s, which was domain %" PRIu32 " before",
                                 text, of->number);

        free(text);
        text = longer;
    }
    of->number = domain->key.number;
    return text;
}

/* They come in the order in which the session named them first. */
static void put_domains(const struct events_making *making)
{
    const struct loaded *loaded = making->loaded;
    struct table named;

    table_init(&named, sizeof(((struct named_domain *)0)->key),
               sizeof(struct named_domain));
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        put_event(making, loaded_domain(loaded, i)->since,
                  loaded_domain(loaded, i)->since, "Domain",
                  came_text(loaded, i, &named));
    table_free(&named);
}

/* Xen has no account of a domain any more: it shut down, or is on another
 * host. */
static void put_gone(const struct events_making *making)
{
    const struct waits *waits = &making->loaded->waits;
    uint64_t *last SCOPE_FREE = must(
        calloc(waits->domains.count + 1, sizeof(*last)));
    uint64_t end = 0;

    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);

        if ( vcpu->to > last[vcpu->domain] )
            last[vcpu->domain] = vcpu->to;
        end = vcpu->to > end ? vcpu->to : end;
    }
    for ( size_t i = 0; i < waits->domains.count; i++ )
    {
        const struct waiting_domain *domain = table_at(&waits->domains, i);
        const char *name = names_text(&making->loaded->names, domain->name);

        if ( last[i] && last[i] + GONE_AFTER <= end )
            put_event(
                making, last[i], last[i], "Gone",
                must_text("%s (%" PRIu32 ")", name ?: "", domain->key.domain));
    }
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

static void put_attributes(const struct events_making *making)
{
    const struct loaded *loaded = making->loaded;

    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *one = &loaded->attributes.items[i];
        const char *key = names_text(&loaded->names, one->key);
        const char *value = names_text(&loaded->names, one->value);

        for ( size_t j = 0; j < sizeof(told) / sizeof(told[0]); j++ )
            if ( !strncmp(key, told[j].key, strlen(told[j].key)) )
                put_event(making, one->time, one->time, told[j].name,
                          attribute_text(told[j].what,
                                         key + strlen(told[j].key), value));
    }
}

static void put_slowed(const struct events_making *making)
{
    const struct loaded *loaded = making->loaded;
    struct slowed slowed;

    for ( size_t at = 0; slowed_next(loaded, &at, &slowed); )
        put_event(making, slowed.since,
                  slowed.until ? slowed.until : loaded->last, "Slowed",
                  must_text("fewer samples: %s", slowed_why(&slowed)));
}

static int compare_events(const void *left, const void *right)
{
    const struct session_event *a = left, *b = right;

    return (a->from > b->from) - (a->from < b->from);
}

void events_init(struct session_events *events, const struct loaded *loaded,
                 const struct time_span *span)
{
    const struct events_making making = {events, loaded, *span};

    *events = (struct session_events){.count = 0};
    put_losses(&making);
    put_domains(&making);
    put_gone(&making);
    put_attributes(&making);
    put_slowed(&making);
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
