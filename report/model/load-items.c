/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-items.h"

#include "base/must.h"
#include "naming.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/cells/count-thread.h"
#include "report/origin/cgroup-text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MOST (1ull << 60) /* sums of more would wrap */

/* Each takes one item. */
typedef void take_fn(struct loader *loader, const struct xenoprof_item *item);

/* Numbers are given again: it is of the domain that has this one now. */
static void note_kernel(struct loader *loader, const char *key, uint32_t value)
{
    const size_t prefix = strlen(SESSION_ATTRIBUTE_GUEST_KERNEL);
    unsigned long number;
    struct loaded_domain *domain;

    if ( strncmp(key, SESSION_ATTRIBUTE_GUEST_KERNEL, prefix) )
        return;
    number = strtoul(key + prefix, NULL, 10);
    if ( number >= DOMAIN_NUMBERS || !loader->domain_now[number] )
        return;
    domain = table_at(&loader->loaded->domains, loader->domain_now[number] - 1);
    domain->kernel = value;
}

/* Samples of vCPUs that waited are in the sums of no ring. */
static void note_waiting(struct loaded *loaded, const char *value)
{
    struct loaded_waiting sums = {.made = 0};

    if ( sscanf(value, "made %" SCNu64 ", read %" SCNu64 ", lost %" SCNu64,
                &sums.made, &sums.read, &sums.lost) == 3 &&
         sums.made <= WAITING_MOST && sums.read <= WAITING_MOST &&
         sums.lost <= WAITING_MOST )
        loaded->waiting = sums;
}

static void take_attribute(struct loader *loader,
                           const struct xenoprof_item *item)
{
    struct loaded *loaded = loader->loaded;
    struct attribute *attribute = must(vector_add(&loaded->attributes));

    attribute->time = item->time;
    if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_UTC) )
        clocks_note_utc(&loaded->clocks, item->time, item->u.attribute.value);
    if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_EXPIRED) )
        loaded->expired = strtoull(item->u.attribute.value, NULL, 10);
    if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_WAITING) )
        note_waiting(loaded, item->u.attribute.value);
    must_do(names_add(&loaded->names, item->u.attribute.key, &attribute->key));
    must_do(
        names_add(&loaded->names, item->u.attribute.value, &attribute->value));
    note_kernel(loader, item->u.attribute.key, attribute->value);
}

static void take_domain(struct loader *loader, const struct xenoprof_item *item)
{
    struct loaded *loaded = loader->loaded;
    uint16_t number = item->u.domain.domain;
    struct domain_key key = {.number = number};
    struct loaded_domain *domain;

    uint32_t name;

    if ( number == DOMAIN_NUMBER_IDLE )
        return;
    loader->turn++;
    count_thread_end(loader);
    if ( loader->slots )
        slots_name(loader->slots, number, item->u.domain.uuid);
    must_do(names_add(&loaded->names, item->u.domain.name, &name));
    waits_name(&loaded->waits, item, name);
    if ( !strcmp(item->u.domain.kind, SESSION_KIND_OTHER) )
    {
        loader->domain_now[number] = DOMAIN_INDEX_OTHER + 1;
        return;
    }
    memcpy(key.uuid, item->u.domain.uuid, sizeof(key.uuid));
    domain = must(table_put(&loaded->domains, &key));
    loader->domain_now[number] = (uint32_t)table_index(&loaded->domains,
                                                       domain) +
                                 1;
    domain->name = name;
    if ( !domain->since )
        domain->since = item->time;
    must_do(names_add(&loaded->names, item->u.domain.kind, &domain->kind));
}

/* What the session does not name, a kernel's file may. */
static void note_thunk(struct loader *loader, struct loaded_place *place,
                       uint16_t domain, bool known)
{
    const struct load_wanted *wanted = &loader->wanted;
    struct loaded *loaded = loader->loaded;
    const uint32_t index = loader->domain_now[domain];
    struct place_name name = place->name;

    if ( wanted->thunks )
        return;
    if ( wanted->kernels && index )
        name_place(loaded, wanted->kernels, index - 1, place->key.number,
                   &name);
    thunk_note(loader->leaves ? wanted->late : NULL, place,
               names_text(&loaded->names, name.symbol), known);
    if ( place->thunk && loader->leaves )
        must_do(!xenoprof_session_leaf_passes(loader->leaves,
                                              (uint32_t)place->key.number));
}

static void take_place(struct loader *loader, const struct xenoprof_item *item)
{
    struct loaded *loaded = loader->loaded;
    const struct xenoprof_place *from = &item->u.place.place;
    uint64_t number = item->u.place.number;
    const size_t before = loaded->places.count;
    struct loaded_place *place = loaded_put_numbered(&loaded->places, number);

    place->spot = 0;
    place->mode = from->mode;
    place->name.address = from->address;
    place->name.start = from->symbol_start;
    must_do(names_add(&loaded->names, from->image, &place->name.image));
    must_do(names_add(&loaded->names, from->symbol, &place->name.symbol));
    note_thunk(loader, place, from->domain, loaded->places.count == before);
}

/* Only of who is asked for: else many places are one. */
static void take_line(struct loader *loader, const struct xenoprof_item *item)
{
    const struct xenoprof_line *line = &item->u.line;
    struct loaded *loaded = loader->loaded;
    struct loaded_place *place = loaded_numbered(&loaded->places, line->place);

    if ( !place )
        return;
    must_do(names_add(&loaded->names, line->path, &place->name.path));
    place->name.line = line->line;
}

static void take_samples(struct loader *loader,
                         const struct xenoprof_item *item)
{
    count_thread_end(loader);
    load_samples(loader, &item->u.samples);
}

static void take_ring(struct loader *loader, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *facts = &item->u.ring.info;
    struct {
        uint32_t ring, generation;
    } key = {facts->ring, facts->generation};
    struct loaded_ring *ring = must(table_put(&loader->loaded->rings, &key));

    ring->facts = *facts;
    ring->read = item->u.ring.read;
    ring->lost_daemon = item->u.ring.lost_daemon;
}

/* A file begins with all that is known of rings: what was read of them so far
 * is in it. */
static void take_ring_sum(struct loader *loader,
                          const struct xenoprof_item *item)
{
    struct loaded *loaded = loader->loaded;
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;

    if ( item->u.ring_sum.first )
    {
        table_free(&loaded->rings);
        loaded->ended = (struct loaded_ended){0};
    }
    loaded->ended.read += sum->read;
    loaded->ended.lost_daemon += sum->lost_daemon;
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        loaded->ended.lost[i] += sum->lost[i];
}

/* Puts what was lost since it was looked at last. */
static void note_losses(struct loaded *loaded, uint64_t time)
{
    if ( !loaded->log.wanted && !loaded->timeline.wanted )
        return;
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
    {
        const uint64_t lost = loaded_lost(loaded, cause);
        const uint64_t before = loaded->losses_noted[cause];
        struct lost_then *then;

        if ( lost <= before )
            continue;
        then = must(vector_add(&loaded->losses));
        *then = (struct lost_then){time, lost - before, cause};
        loaded->losses_noted[cause] = lost;
    }
}

static void take_counters(struct loader *loader,
                          const struct xenoprof_item *item)
{
    if ( load_settle_span(loader) )
        cost_add_module(&loader->loaded->cost, &loader->span,
                        time_range_all(loader->wanted.range), item->time,
                        item->u.counters.cost);
    loader->loaded->counters = item->u.counters;
    loader->loaded->counted = true;
    note_losses(loader->loaded, item->time);
}

static void take_cost(struct loader *loader, const struct xenoprof_item *item)
{
    if ( load_settle_span(loader) )
        cost_add_dom0(&loader->loaded->cost, &loader->span, item->time,
                      &item->u.cost);
}

static void take_wait(struct loader *loader, const struct xenoprof_item *item)
{
    load_settle_span(loader);
    waits_add(&loader->loaded->waits, &loader->span, item->time, &item->u.wait);
}

static void take_latency(struct loader *loader,
                         const struct xenoprof_item *item)
{
    load_settle_span(loader);
    lengths_add(&loader->loaded->lengths, &loader->span, item->time,
                &item->u.latency);
}

static void take_exits(struct loader *loader, const struct xenoprof_item *item)
{
    load_settle_span(loader);
    exit_times_add(&loader->loaded->exits, &loader->loaded->names,
                   &loader->span, item->time, &item->u.exits);
}

static void take_sample_type(struct loader *loader,
                             const struct xenoprof_item *item)
{
    types_name(&loader->loaded->types, item->u.type.number, &item->u.type.type);
}

static void take_measured(struct loader *loader,
                          const struct xenoprof_item *item)
{
    load_settle_span(loader);
    types_measured(&loader->loaded->types, &loader->span, item->time,
                   &item->u.measured);
}

/* "" is not a text: *ret is 0. */
static void put_loaded_text(struct loaded *loaded, const char *text,
                            uint32_t *ret)
{
    *ret = 0;
    if ( *text )
        must_do(names_add(&loaded->names, text, ret));
}

/* Only of who is asked for. */
static void take_origin(struct loader *loader, const struct xenoprof_item *item)
{
    const struct xenoprof_origin *origin = &item->u.origin;
    uint32_t domain = loader->domain_now[origin->domain];
    struct loaded *loaded = loader->loaded;
    struct loaded_origin key = {.key = {.thread = origin->thread}}, *to;
    struct cgroup_text texts;

    if ( !loader->wanted.threads || !domain )
        return;
    key.key.domain = domain - 1;
    to = must(table_put(&loaded->origins, &key.key));
    /* What was said before of the thread does not count any more. */
    cgroup_read(origin->cgroup, &texts);
    put_loaded_text(loaded, origin->exe, &to->texts[ORIGIN_EXE]);
    put_loaded_text(loaded, origin->cgroup, &to->texts[ORIGIN_CGROUP]);
    put_loaded_text(loaded, texts.unit, &to->texts[ORIGIN_UNIT]);
    put_loaded_text(loaded, texts.container, &to->texts[ORIGIN_CONTAINER]);
    put_loaded_text(loaded, texts.pod, &to->texts[ORIGIN_POD]);
}

/* Only of who is asked for.  A function is of one domain, whatever number that
 * has now. */
static void take_code(struct loader *loader, const struct xenoprof_item *item)
{
    /* All kinds begin with it. */
    const struct xenoprof_function *function = &item->u.code.function;
    struct loaded *loaded = loader->loaded;
    struct domain_key key = {.number = function->domain};
    const struct loaded_domain *domain;

    if ( !loader->wanted.code )
        return;
    memcpy(key.uuid, function->uuid, sizeof(key.uuid));
    domain = table_find(&loaded->domains, &key);
    kept_add(&loaded->code, &loaded->names,
             domain ? (uint32_t)table_index(&loaded->domains, domain)
                    : DOMAIN_INDEX_OTHER,
             item);
}

static void take_closed(struct loader *loader, const struct xenoprof_item *item)
{
    (void)item;
    loader->loaded->closed = true;
}

/* Whether an item has a name or a place, or may change what is counted. */
static bool waits_for_calls(enum xenoprof_item_kind kind)
{
    return kind != XENOPROF_ITEM_RING && kind != XENOPROF_ITEM_COUNTERS &&
           kind != XENOPROF_ITEM_IDLE && kind != XENOPROF_ITEM_COST &&
           kind != XENOPROF_ITEM_WAIT && kind != XENOPROF_ITEM_LATENCY;
}

void load_item(struct loader *loader, const struct xenoprof_item *item)
{
    static take_fn *const takers[] = {
        [XENOPROF_ITEM_ATTRIBUTE] = take_attribute,
        [XENOPROF_ITEM_DOMAIN] = take_domain,
        [XENOPROF_ITEM_PLACE] = take_place,
        [XENOPROF_ITEM_SAMPLES] = take_samples,
        [XENOPROF_ITEM_RING] = take_ring,
        [XENOPROF_ITEM_COUNTERS] = take_counters,
        [XENOPROF_ITEM_CLOSED] = take_closed,
        [XENOPROF_ITEM_RING_SUM] = take_ring_sum,
        [XENOPROF_ITEM_WAIT] = take_wait,
        [XENOPROF_ITEM_COST] = take_cost,
        [XENOPROF_ITEM_LATENCY] = take_latency,
        [XENOPROF_ITEM_EXITS] = take_exits,
        [XENOPROF_ITEM_TYPE] = take_sample_type,
        [XENOPROF_ITEM_MEASURED] = take_measured,
        [XENOPROF_ITEM_ORIGIN] = take_origin,
        [XENOPROF_ITEM_LINE] = take_line,
        [XENOPROF_ITEM_CODE] = take_code,
        [XENOPROF_ITEM_INSTRUCTION] = take_code,
        [XENOPROF_ITEM_SOURCE] = take_code,
    };

    if ( item->kind >= sizeof(takers) / sizeof(takers[0]) ||
         !takers[item->kind] )
        return;
    load_note_time(loader->loaded, item->time);
    if ( waits_for_calls(item->kind) )
        count_thread_end_calls(loader);
    takers[item->kind](loader, item);
}
