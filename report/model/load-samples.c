/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-samples.h"

#include <stdlib.h>
#include <string.h>

#define RUN_LENGTH  64u /* samples whose cells are asked for at once */
#define NODES_AHEAD 8u

/* Samples on their way into their cells. */
struct sample_run {
    uint32_t rows[RUN_LENGTH];
    uint32_t whos[RUN_LENGTH];
    uint32_t calls[RUN_LENGTH];
    uint32_t hashes[RUN_LENGTH];
    size_t count;
};

/* What idle pCPUs ran is not looked at. */
#define NO_CALL UINT32_MAX

bool loader_init(struct loader *loader, struct loaded *loaded,
                 const struct load_wanted *wanted)
{
    *loader = (struct loader){.loaded = loaded, .wanted = *wanted, .turn = 1};
    table_init(&loader->whos, sizeof(struct cell_key),
               sizeof(struct loader_who));
    pair_counts_init(&loader->counts);
    loader->domain_now = calloc(DOMAIN_NUMBERS, sizeof(*loader->domain_now));
    return loader->domain_now;
}

void loader_free(struct loader *loader)
{
    free(loader->domain_now);
    table_free(&loader->whos);
    vector_free(&loader->whose);
    vector_free(&loader->nodes);
    vector_free(&loader->calls);
    pair_counts_free(&loader->counts);
    vector_free(&loader->cells);
}

bool load_settle_span(struct loader *loader)
{
    if ( !loader->span_known )
        loader->span_known = time_range_resolve(
            loader->wanted.range, &loader->loaded->clocks, &loader->span);
    return loader->span_known;
}

/* The index of who samples belong to. */
static bool find_domain(struct loader *loader, const struct xenoprof_who *who,
                        uint32_t *ret)
{
    struct domain_key key = {.number = who->domain};
    struct loaded_domain *domain;

    if ( who->domain == DOMAIN_NUMBER_IDLE )
        *ret = DOMAIN_INDEX_IDLE;
    else if ( who->marks & XENOPROF_MARK_FOREIGN )
        *ret = DOMAIN_INDEX_OTHER;
    else if ( loader->domain_now[who->domain] )
        *ret = loader->domain_now[who->domain] - 1;
    else
    {
        /* Its name was in a damaged block, or was never told. */
        domain = table_put(&loader->loaded->domains, &key);
        if ( !domain )
            return false;
        *ret = (uint32_t)table_index(&loader->loaded->domains, domain);
        loader->domain_now[who->domain] = *ret + 1;
    }
    return true;
}

/* The index + 1 of why a guest had entered Xen, or 0. */
static bool find_entry(struct loaded *loaded,
                       const struct xenoprof_entry *entry, uint32_t *ret)
{
    const struct loaded_entry *found;

    *ret = 0;
    if ( entry->kind == XENOPROF_ENTRY_NONE )
        return true;
    found = table_put(&loaded->entries, entry);
    if ( found )
        *ret = (uint32_t)table_index(&loaded->entries, found) + 1;
    return found;
}

/* Finds whom a report takes these samples to be of. */
static bool look_up(struct loader *loader, const struct xenoprof_who *from,
                    struct loader_whose *ret)
{
    const struct xenoprof_stored sample = {.marks = from->marks,
                                           .domain = from->domain,
                                           .vcpu = from->vcpu,
                                           .pcpu = from->pcpu,
                                           .mode = from->mode};
    size_t before = loader->whos.count;
    struct loader_who *who;
    struct cell_key key;
    uint32_t domain, entry;

    if ( from->mode == XENOPROF_MODE_IDLE )
        key = placeless_key(DOMAIN_INDEX_IDLE, from->pcpu, XENOPROF_MODE_IDLE);
    else if ( find_domain(loader, from, &domain) &&
              find_entry(loader->loaded, &from->entry, &entry) )
        key = cell_key_of(&sample, domain, entry);
    else
        return false;
    who = table_put(&loader->whos, &key);
    if ( !who )
        return false;
    ret->ticks = (uint64_t)from->weight * from->period;
    if ( loader->whos.count > before )
        who->ticks = ret->ticks;
    ret->who = (uint32_t)table_index(&loader->whos, who);
    ret->turn = loader->turn;
    return true;
}

/* There are as many as the session has. */
static bool make_whose(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    size_t known = loader->whose.count;

    if ( samples->who_count <= known )
        return true;
    if ( !vector_reserve(&loader->whose, samples->who_count - known) )
        return false;
    memset(loader->whose.items + known, 0,
           (samples->who_count - known) * sizeof(*loader->whose.items));
    loader->whose.count = samples->who_count;
    return true;
}

static const struct loader_who *who_at(const struct loader *loader,
                                       uint32_t who)
{
    return table_at(&loader->whos, who);
}

/* With the session, or with the part of it that is wanted. */
static void begin_timeline(struct loader *loader)
{
    uint64_t start = loader->loaded->clocks.start;

    timeline_begin(&loader->loaded->timeline,
                   loader->span.from > start ? loader->span.from : start);
}

/* Returns false if there is no memory. */
static bool add_to_run(struct loader *loader, struct sample_run *run,
                       const struct xenoprof_samples *samples, size_t row)
{
    struct loader_whose *whose = &loader->whose.items[samples->whos[row]];
    const struct xenoprof_who *who = &samples->who[samples->whos[row]];
    bool idle = who->mode == XENOPROF_MODE_IDLE;
    size_t at = run->count;

    if ( whose->turn != loader->turn && !look_up(loader, who, whose) )
        return false;
    run->rows[at] = (uint32_t)row;
    run->whos[at] = whose->who;
    run->calls[at] = idle ? NO_CALL : loader->calls.items[samples->calls[row]];
    run->hashes[at] = pair_expect(&loader->counts, run->whos[at],
                                  run->calls[at]);
    run->count++;
    return true;
}

/* Returns NULL if there is no memory. */
static struct cell *make_cell(struct loader *loader, uint32_t who,
                              uint32_t call)
{
    struct cell_key key = who_at(loader, who)->cell;
    const struct loaded_call *ran;

    if ( call == NO_CALL )
        return table_put(&loader->loaded->cells, &key);
    ran = table_at(&loader->loaded->calls, call - 1);
    key.place = ran->key.place;
    key.called = ran->key.called != 0;
    key.call = call;
    return table_append(&loader->loaded->cells, &key);
}

/* Returns NULL if there is no memory. */
static struct pair_count *make_slot(struct loader *loader, uint32_t who,
                                    uint32_t call)
{
    const struct cell *cell = make_cell(loader, who, call);

    return cell ? pair_add(&loader->counts, who, call,
                           (uint32_t)table_index(&loader->loaded->cells, cell))
                : NULL;
}

static struct cell *cell_of(const struct loader *loader,
                            const struct pair_count *slot)
{
    return table_at(&loader->loaded->cells, slot->number - 1);
}

static void settle(const struct loader *loader, struct pair_count *slot)
{
    struct cell *cell = cell_of(loader, slot);

    cell->samples += slot->count;
    cell->ticks += slot->count * who_at(loader, slot->left)->ticks;
    slot->count = 0;
}

/* A sample that stands for more or less than most leaves its cell with the
 * difference; sums of these wrap, and are right once the cell is settled. */
static void count(const struct loader *loader, struct pair_count *slot,
                  uint64_t ticks)
{
    uint64_t most = who_at(loader, slot->left)->ticks;

    if ( ticks != most )
        cell_of(loader, slot)->ticks += ticks - most;
    if ( ++slot->count == UINT32_MAX )
        settle(loader, slot);
}

static bool count_sample(struct loader *loader, const struct sample_run *run,
                         size_t at, const struct xenoprof_samples *samples)
{
    uint32_t who = run->whos[at], call = run->calls[at], row = run->rows[at];
    struct pair_count *slot = pair_find(&loader->counts, who, call,
                                        run->hashes[at]);

    if ( !slot )
        slot = make_slot(loader, who, call);
    if ( !slot )
        return false;
    count(loader, slot, load_sample_ticks(loader, samples->whos[row]));
    loader->cells.items[row] = slot->number - 1;
    return !loader->loaded->timeline.wanted ||
           timeline_add(&loader->loaded->timeline, samples->times[row],
                        slot->number - 1);
}

static bool end_run(struct loader *loader, struct sample_run *run,
                    const struct xenoprof_samples *samples)
{
    bool done = true;

    for ( size_t i = 0; done && i < run->count; i++ )
        done = count_sample(loader, run, i, samples);
    run->count = 0;
    return done;
}

void load_settle_cells(struct loader *loader)
{
    struct pair_count *slots = loader->counts.slots;

    for ( size_t i = 0; slots && i <= loader->counts.mask; i++ )
        if ( slots[i].count )
            settle(loader, &slots[i]);
}

static bool in_span(const struct loader *loader, uint64_t time)
{
    return time >= loader->span.from && time < loader->span.to;
}

/* The span is known, or can be, from the first sample's time on. */
static void begin(struct loader *loader, const struct xenoprof_samples *samples)
{
    loader->loaded->read += samples->count;
    load_note_time(loader->loaded, samples->times[0]);
    load_settle_span(loader);
    begin_timeline(loader);
}

/* Sets *ret to the number of a place's spot; 0: nothing is known of the
 * place. */
static bool find_spot(struct loader *loader, uint32_t number, uint32_t *ret)
{
    struct loaded *loaded = loader->loaded;
    struct loaded_place *place = loaded_numbered(&loaded->places, number);

    *ret = 0;
    if ( place )
        *ret = loaded_spot(loaded, place, loader->wanted.addresses);
    return !place || *ret;
}

static bool add_node(struct loader *loader, const struct xenoprof_node *node)
{
    uint32_t parent = node->parent ? loader->nodes.items[node->parent - 1] : 0;
    uint32_t *added = &loader->nodes.items[loader->nodes.count];
    uint32_t spot;

    if ( !find_spot(loader, node->place, &spot) )
        return false;
    *added = loaded_node(loader->loaded, parent, spot);
    loader->nodes.count += *added != 0;
    return *added;
}

/* Asks for the memory of a node that comes soon.  Most parents are known. */
static void expect_node(const struct loader *loader,
                        const struct xenoprof_node *node)
{
    const struct loaded *loaded = loader->loaded;
    const struct loaded_place *place = loaded_numbered(&loaded->places,
                                                       node->place);
    struct spot_node key = {.key = {0, place ? place->spot : 0}};

    if ( node->parent > loader->nodes.count )
        return;
    if ( node->parent )
        key.key.parent = loader->nodes.items[node->parent - 1];
    table_expect(&loaded->nodes, &key);
}

static bool add_nodes(struct loader *loader,
                      const struct xenoprof_samples *samples)
{
    size_t end = samples->node_count;

    while ( loader->nodes.count < end )
    {
        size_t at = loader->nodes.count;

        if ( at + NODES_AHEAD < end )
            expect_node(loader, &samples->node[at + NODES_AHEAD]);
        if ( !add_node(loader, &samples->node[at]) )
            return false;
    }
    return true;
}

/* The place that stands for all of a node's. */
static uint32_t node_place(const struct loaded *loaded, uint32_t number)
{
    const struct spot_node *node = table_at(&loaded->nodes, number - 1);
    const struct spot *spot = node->key.spot
                                  ? table_at(&loaded->spots, node->key.spot - 1)
                                  : NULL;

    return spot ? spot->place : 0;
}

/* Its chains by name; a place without one is a chain of its own. */
static bool make_chains(struct loader *loader, const struct xenoprof_call *from,
                        struct loaded_call *call)
{
    uint32_t leaf = 0, spot;

    for ( unsigned int i = XENOPROF_CHAINS; i-- > 0; )
        if ( from->nodes[i] )
            leaf = call->key.nodes[i] = loader->nodes.items[from->nodes[i] - 1];
    if ( !leaf && find_spot(loader, from->place, &spot) )
        leaf = call->key.nodes[0] = loaded_node(loader->loaded, 0, spot);
    if ( leaf )
        call->key.place = node_place(loader->loaded, leaf);
    return leaf;
}

static bool add_call(struct loader *loader, const struct xenoprof_call *from)
{
    struct loaded_call call = {
        .key = {.place = from->place, .called = from->stack != 0}};
    uint32_t *added = &loader->calls.items[loader->calls.count];

    loader->loaded->stacked |= from->stack != 0;
    if ( loader->wanted.stacks && !make_chains(loader, from, &call) )
        return false;
    *added = loaded_call(loader->loaded, &call);
    loader->calls.count += *added != 0;
    return *added;
}

/* Looks at the nodes and calls that came with samples: loader->calls has all of
 * theirs then.  Places of one function are one here, so what is held grows with
 * the stacks by name.  Returns false if there is no memory. */
static bool load_calls(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    if ( samples->file != loader->file )
        loader->nodes.count = loader->calls.count = 0;
    loader->file = samples->file;
    if ( (samples->node_count > loader->nodes.count &&
          !vector_reserve(&loader->nodes,
                          samples->node_count - loader->nodes.count)) ||
         (samples->call_count > loader->calls.count &&
          !vector_reserve(&loader->calls,
                          samples->call_count - loader->calls.count)) )
        return false;
    if ( loader->wanted.stacks && !add_nodes(loader, samples) )
        return false;
    while ( loader->calls.count < samples->call_count )
        if ( !add_call(loader, &samples->call[loader->calls.count]) )
            return false;
    return true;
}

bool load_samples(struct loader *loader, const struct xenoprof_samples *samples)
{
    struct sample_run run = {.count = 0};
    bool done = true;

    begin(loader, samples);
    if ( !load_calls(loader, samples) )
        return false;
    loader->cells.count = 0;
    if ( !make_whose(loader, samples) ||
         !vector_reserve(&loader->cells, samples->count) )
        return false;
    loader->cells.count = samples->count;
    for ( size_t i = 0; done && i < samples->count; i++ )
    {
        load_note_time(loader->loaded, samples->times[i]);
        loader->cells.items[i] = NO_CELL;
        if ( in_span(loader, samples->times[i]) )
            done = add_to_run(loader, &run, samples, i);
        if ( done && run.count == RUN_LENGTH )
            done = end_run(loader, &run, samples);
    }
    return done && end_run(loader, &run, samples);
}
