/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The items of a block, one by one. */
#include <stdlib.h>
#include <string.h>

#include "epoch-items.h"

/* What a row takes beyond what each item does (session-reader.h). */
#define STEPS_ROW   30u
#define STEPS_NAMED 100u /* a name, which is rare, beyond that */

#define DOMAIN_NUMBERS  65536u
#define EPOCH_CAUSES    4u        /* that accounts have columns of */
#define SESSION_NUMBERS 0xffffffu /* of texts, places, nodes of a session */

bool epoch_items_init(struct epoch_items *items, struct epoch_read *read)
{
    *items = (struct epoch_items){.read = read, .phase = ITEMS_PHASES};
    epoch_tables_init(&items->all);
    items->all.texts_max = items->all.places_max = SESSION_NUMBERS;
    items->all.nodes_max = SESSION_NUMBERS;
    table_init(&items->stacks, sizeof(((struct items_stack *)NULL)->key),
               sizeof(struct items_stack));
    triple_table_init(&items->calls);
    sample_columns_init(&items->columns);
    items->domain_now = calloc(DOMAIN_NUMBERS, sizeof(*items->domain_now));
    return items->domain_now;
}

void epoch_items_free(struct epoch_items *items)
{
    epoch_tables_free(&items->all);
    table_free(&items->stacks);
    vector_free(&items->texts);
    vector_free(&items->domain_rows);
    vector_free(&items->places);
    vector_free(&items->nodes);
    for ( size_t i = 0; i < items->domains.count; i++ )
        free(items->domains.items[i].name);
    vector_free(&items->domains);
    vector_free(&items->frames);
    vector_free(&items->leaves);
    triple_table_clear(&items->calls);
    sample_columns_free(&items->columns);
    free(items->domain_now);
}

void epoch_items_begin_file(struct epoch_items *items, uint32_t places,
                            uint32_t stacks)
{
    /* Files of version 1 are the first ones of a session. */
    if ( !items->all.places.count && !items->stacks.count )
    {
        items->places_before = places;
        items->stacks_before = stacks;
    }
    items->texts.count = items->domain_rows.count = 0;
    items->places.count = items->nodes.count = items->leaves.count = 0;
    if ( items->wanted != ITEMS_ONES )
        sample_columns_begin_file(&items->columns);
    items->coded = items->coded_ahead = 0;
    items->later = items->all.nodes.count > 0;
    triple_table_clear(&items->calls);
    items->phase = ITEMS_PHASES;
}

void epoch_items_begin(struct epoch_items *items, bool first, bool code)
{
    items->phase = ITEMS_NOTES;
    items->row = 0;
    items->first = first;
    items->code = code;
}

/* Numbers that the block defined are not in the session yet. */
static bool grow_map(struct items_map *map, size_t count)
{
    if ( count <= map->count )
        return true;
    if ( !vector_reserve(map, count - map->count) )
        return false;
    memset(map->items + map->count, 0,
           (count - map->count) * sizeof(*map->items));
    map->count = count;
    return true;
}

/* What is noted of this domain, by its row; NULL: no memory. */
static struct items_domain *domain_at(struct epoch_items *items, uint32_t row)
{
    while ( items->domains.count < row )
        if ( !vector_add(&items->domains) )
            return NULL;
    return &items->domains.items[row - 1];
}

static const char *known_text(const struct epoch_items *items, uint64_t number)
{
    const char *text = epoch_read_text(items->read, number);

    return text ? text : "";
}

static void get_uuid(const struct epoch_read *read, uint64_t number,
                     uint8_t ret[16])
{
    const struct read_text *text = READ_FIND(read, texts, number);

    memset(ret, 0, 16);
    if ( text && text->bytes && text->size == 16 )
        memcpy(ret, text->bytes, 16);
}

void items_say_domain(struct epoch_items *items, uint64_t domain, uint64_t time,
                      const char *name, struct xenoprof_item *ret)
{
    const struct read_domain *known = READ_FIND(items->read, domains, domain);

    items->domain_now[known->number] = items->domain_rows.items[domain - 1];
    ret->kind = XENOPROF_ITEM_DOMAIN;
    ret->time = time;
    ret->u.domain.domain = known->number;
    memcpy(ret->u.domain.uuid, known->uuid, sizeof(known->uuid));
    ret->u.domain.name = name;
    ret->u.domain.kind = known_text(items, known->kind);
}

static enum xenoprof_status note_domain(struct epoch_items *items,
                                        const uint64_t *note,
                                        struct xenoprof_item *ret)
{
    const char *name = known_text(items, note[EPOCH_NOTE_KEY]);
    uint64_t row = note[EPOCH_NOTE_DOMAIN];
    bool done = true;
    uint32_t domain = items_domain(items, row, &done);
    struct items_domain *known;

    if ( !domain )
        return done ? XENOPROF_END : XENOPROF_NO_MEMORY;
    known = domain_at(items, domain);
    if ( !known )
        return XENOPROF_NO_MEMORY;
    free(known->name);
    known->name = strdup(name);
    if ( !known->name )
        return XENOPROF_NO_MEMORY;
    items_say_domain(items, row, note[EPOCH_NOTE_TIME], name, ret);
    return XENOPROF_OK;
}

static enum xenoprof_status next_note(struct epoch_items *items,
                                      const uint64_t *note,
                                      struct xenoprof_item *ret)
{
    if ( note[EPOCH_NOTE_DOMAIN] )
        return note_domain(items, note, ret);
    ret->kind = XENOPROF_ITEM_ATTRIBUTE;
    ret->time = note[EPOCH_NOTE_TIME];
    ret->u.attribute.key = known_text(items, note[EPOCH_NOTE_KEY]);
    ret->u.attribute.value = known_text(items, note[EPOCH_NOTE_VALUE]);
    return XENOPROF_OK;
}

static enum xenoprof_status next_named(struct epoch_items *items,
                                       const uint64_t *named,
                                       struct xenoprof_item *ret)
{
    bool done = true;

    items->steps += STEPS_NAMED;
    if ( items_named(items, named[EPOCH_NAMED_PLACE], ret, &done) )
        return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    return done ? XENOPROF_END : XENOPROF_NO_MEMORY;
}

static void get_lost(const uint64_t *from, uint64_t *lost)
{
    memcpy(lost, from, EPOCH_CAUSES * sizeof(*lost));
}

static enum xenoprof_status next_sum(struct epoch_items *items,
                                     const uint64_t *row,
                                     struct xenoprof_item *ret)
{
    struct xenoprof_ring_sum *sum = &ret->u.ring_sum.sum;

    ret->kind = XENOPROF_ITEM_RING_SUM;
    ret->u.ring_sum.first = items->first && items->row == 0;
    sum->owner.domain = (uint16_t)row[EPOCH_SUM_DOMAIN];
    sum->owner.kind = (uint16_t)row[EPOCH_SUM_KIND];
    get_uuid(items->read, row[EPOCH_SUM_UUID], sum->owner.uuid);
    sum->rings = row[EPOCH_SUM_RINGS];
    sum->made = row[EPOCH_SUM_MADE];
    sum->read = row[EPOCH_SUM_READ];
    sum->lost_daemon = row[EPOCH_SUM_LOST_DAEMON];
    get_lost(row + EPOCH_SUM_LOST_0, sum->lost);
    return XENOPROF_OK;
}

static enum xenoprof_status next_account(struct epoch_items *items,
                                         const uint64_t *row,
                                         struct xenoprof_item *ret)
{
    const struct epoch_ring *ring =
        &READ_FIND(items->read, rings, row[EPOCH_ACCOUNT_RING])->ring;
    struct xenoprof_ring_info *info = &ret->u.ring.info;

    ret->kind = XENOPROF_ITEM_RING;
    *info = (struct xenoprof_ring_info){
        .ring = ring->key.ring,
        .generation = ring->key.generation,
        .domain = ring->domain,
        .vcpu = ring->vcpu,
        .kind = ring->kind,
        .state = (uint16_t)row[EPOCH_ACCOUNT_STATE],
        .size = ring->size,
        .position = row[EPOCH_ACCOUNT_POSITION],
        .producer = row[EPOCH_ACCOUNT_POSITION] + row[EPOCH_ACCOUNT_AHEAD],
        .released = row[EPOCH_ACCOUNT_POSITION] - row[EPOCH_ACCOUNT_UNRELEASED],
        .made = row[EPOCH_ACCOUNT_MADE],
        .committed = row[EPOCH_ACCOUNT_MADE] - row[EPOCH_ACCOUNT_UNCOMMITTED],
    };
    get_uuid(items->read, ring->uuid, info->uuid);
    get_lost(row + EPOCH_ACCOUNT_LOST_0, info->lost);
    ret->u.ring.read = info->committed - row[EPOCH_ACCOUNT_UNREAD];
    ret->u.ring.lost_daemon = row[EPOCH_ACCOUNT_LOST_DAEMON];
    ret->u.ring.spooled = row[EPOCH_ACCOUNT_SPOOLED];
    return XENOPROF_OK;
}

static enum xenoprof_status next_counters(struct epoch_items *items,
                                          const uint64_t *row,
                                          struct xenoprof_item *ret)
{
    (void)items;
    ret->kind = XENOPROF_ITEM_COUNTERS;
    ret->time = row[EPOCH_COUNTERS_TIME];
    ret->u.counters = (struct xenoprof_counters){
        .due = row[EPOCH_COUNTERS_DUE],
        .missed = row[EPOCH_COUNTERS_MISSED],
        .idle = row[EPOCH_COUNTERS_IDLE],
        .made = row[EPOCH_COUNTERS_MADE],
        .committed = row[EPOCH_COUNTERS_COMMITTED],
        .switched = row[EPOCH_COUNTERS_SWITCHED],
        .moved = row[EPOCH_COUNTERS_MOVED],
        .cost = row[EPOCH_COUNTERS_COST],
    };
    get_lost(row + EPOCH_COUNTERS_LOST_0, ret->u.counters.lost);
    return XENOPROF_OK;
}

static enum xenoprof_status next_idle(struct epoch_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    (void)items;
    ret->kind = XENOPROF_ITEM_IDLE;
    ret->time = row[EPOCH_IDLE_TIME];
    ret->u.idle.pcpu = (uint16_t)row[EPOCH_IDLE_PCPU];
    ret->u.idle.idle = row[EPOCH_IDLE_IDLE];
    return XENOPROF_OK;
}

/* Times of a file are anything: what they say is less than the span, or
 * nothing. */
static uint64_t take_part(uint64_t units, uint64_t *left)
{
    uint64_t ns = units > *left / XENOPROF_WAIT_UNIT
                      ? *left
                      : units * XENOPROF_WAIT_UNIT;

    *left -= ns;
    return ns;
}

static enum xenoprof_status next_wait(struct epoch_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    const struct epoch_read *read = items->read;
    const struct read_vcpu *vcpu = READ_FIND(read, vcpus, row[EPOCH_WAIT_VCPU]);
    const struct read_domain *domain = vcpu ? READ_FIND(read, domains,
                                                        vcpu->domain)
                                            : NULL;
    struct xenoprof_waited *waited = &ret->u.wait;

    /* A lost block defined them, or the file is somebody's. */
    if ( !domain || !domain->known ||
         row[EPOCH_WAIT_TIME] > UINT64_MAX / XENOPROF_WAIT_UNIT ||
         row[EPOCH_WAIT_SPAN] > row[EPOCH_WAIT_TIME] )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_WAIT;
    ret->time = row[EPOCH_WAIT_TIME] * XENOPROF_WAIT_UNIT;
    waited->domain = domain->number;
    waited->vcpu = vcpu->number;
    memcpy(waited->uuid, domain->uuid, sizeof(waited->uuid));
    waited->span = waited->blocked = row[EPOCH_WAIT_SPAN] * XENOPROF_WAIT_UNIT;
    waited->running = take_part(row[EPOCH_WAIT_RUNNING], &waited->blocked);
    waited->runnable = take_part(row[EPOCH_WAIT_RUNNABLE], &waited->blocked);
    waited->device = take_part(row[EPOCH_WAIT_DEVICE], &waited->blocked);
    waited->paused = take_part(row[EPOCH_WAIT_PAUSED], &waited->blocked);
    waited->capped = take_part(row[EPOCH_WAIT_CAPPED], &waited->blocked);
    return XENOPROF_OK;
}

static enum xenoprof_status next_closed(struct epoch_items *items,
                                        const uint64_t *row,
                                        struct xenoprof_item *ret)
{
    (void)items;
    ret->kind = XENOPROF_ITEM_CLOSED;
    ret->time = row[EPOCH_CLOSED_TIME];
    return XENOPROF_OK;
}

typedef enum xenoprof_status row_fn(struct epoch_items *items,
                                    const uint64_t *row,
                                    struct xenoprof_item *ret);

static const struct phase {
    uint32_t table;
    size_t rows; /* where they are in what was read */
    row_fn *next;
} phases[ITEMS_PHASES] = {
    [ITEMS_NOTES] = {EPOCH_NOTE, offsetof(struct epoch_read, notes), next_note},
    [ITEMS_NAMED] = {EPOCH_NAMED, offsetof(struct epoch_read, named),
                     next_named},
    [ITEMS_SUMS] = {EPOCH_SUM, offsetof(struct epoch_read, sums), next_sum},
    [ITEMS_ACCOUNTS] = {EPOCH_ACCOUNT, offsetof(struct epoch_read, accounts),
                        next_account},
    [ITEMS_COUNTERS] = {EPOCH_COUNTERS, offsetof(struct epoch_read, counters),
                        next_counters},
    [ITEMS_IDLE] = {EPOCH_IDLE, offsetof(struct epoch_read, idle), next_idle},
    [ITEMS_WAITS] = {EPOCH_WAIT, offsetof(struct epoch_read, waits), next_wait},
    [ITEMS_CLOSED] = {EPOCH_CLOSED, offsetof(struct epoch_read, closed),
                      next_closed},
};

/* XENOPROF_END after the phase's last item; a row may be none. */
static enum xenoprof_status next_row(struct epoch_items *items,
                                     struct xenoprof_item *ret)
{
    const struct phase *phase = &phases[items->phase];
    const struct epoch_rows *rows = (const void *)((const char *)items->read +
                                                   phase->rows);
    enum xenoprof_status status = XENOPROF_END;
    struct epoch_table table;

    if ( items->row == 0 && epoch_table_find(phase->table, &table) )
        items->width = table.count;
    while ( status == XENOPROF_END &&
            (items->row + 1) * items->width <= rows->count )
    {
        status = phase->next(items, rows->items + items->row * items->width,
                             ret);
        items->row++;
        items->steps += STEPS_ROW;
    }
    return status;
}

static enum xenoprof_status next_of_phase(struct epoch_items *items,
                                          struct xenoprof_item *ret)
{
    if ( items->phase == ITEMS_CODE )
        return items->code ? items_code(items, ret) : XENOPROF_END;
    if ( items->phase == ITEMS_CALLS )
        return samples_take(items, ret);
    if ( items->phase != ITEMS_SAMPLES )
        return next_row(items, ret);
    return items->wanted == ITEMS_ONES ? samples_next(items, ret)
                                       : samples_next_columns(items, ret);
}

enum xenoprof_status epoch_items_next(struct epoch_items *items,
                                      struct xenoprof_item *ret)
{
    enum xenoprof_status status = XENOPROF_END;

    memset(ret, 0, sizeof(*ret));
    if ( !grow_map(&items->texts, items->read->texts.count) ||
         !grow_map(&items->domain_rows, items->read->domains.count) ||
         !grow_map(&items->places, items->read->places.count) ||
         !grow_map(&items->nodes, items->read->nodes.count) )
        return XENOPROF_NO_MEMORY;
    while ( status == XENOPROF_END && items->phase < ITEMS_PHASES )
    {
        status = next_of_phase(items, ret);
        if ( status != XENOPROF_END )
            return status;
        items->phase++;
        items->row = 0;
    }
    return status;
}
