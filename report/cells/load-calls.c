/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples ran, by the numbers that the report has for it.  There are
 * millions of calls, each somewhere else in memory: some at a time are looked
 * at, and the memory of all of these is asked for before the first is waited
 * for.
 */
#include <string.h>

#include "base/must.h"
#include "kinds.h"
#include "load-calls.h"

#define CALLS_AT_ONCE 64u

/* The place that stands for all of a spot's. */
static uint32_t spot_place(const struct loaded *loaded, uint32_t number)
{
    const struct spot *spot = number ? table_at(&loaded->spots, number - 1)
                                     : NULL;

    return spot ? spot->place : 0;
}

/* The kind of the leaf; 0: there is no chain. */
static uint32_t leaf_kind(const uint32_t kinds[XENOPROF_CHAINS])
{
    return kinds[0] ? kinds[0] : kinds[1] ? kinds[1] : kinds[2];
}

/* The call of chains of these kinds, which are not all 0. */
static struct loaded_call call_of(struct loader *loader,
                                  const uint32_t kinds[XENOPROF_CHAINS],
                                  bool called)
{
    struct loaded_call call = {.key = {.called = called}};
    const uint32_t leaf = leaf_kind(kinds);
    const struct spot_node *node = table_at(&loader->loaded->nodes,
                                            kind_node(leaf) - 1);

    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        call.key.nodes[i] = kind_node(kinds[i]);
    call.key.called |= leaf & KIND_CALLED;
    call.key.place = spot_place(loader->loaded, node->key.spot);
    loader->loaded->stacked |= call.key.called;
    return call;
}

/* Finds what calls of these kinds, which are met for the first time, are to
 * each that may ask; *ret is their index. */
static void add_pruned_calls(struct loader *loader,
                             const uint32_t kinds[XENOPROF_CHAINS], bool called,
                             uint32_t *ret)
{
    struct loader_calls *calls = must(vector_add(&loader->known_calls));
    struct loaded_call call = call_of(loader, kinds, called);
    const struct pruned_chains chains = pruned_chains(&loader->pruned,
                                                      call.key.nodes);

    *ret = (uint32_t)loader->known_calls.count - 1;
    for ( unsigned int i = 0; i < PRUNE_ASKERS; i++ )
    {
        memcpy(call.key.nodes, chains.nodes[i], sizeof(call.key.nodes));
        calls->numbers[i] = loaded_call(loader->loaded, &call);
    }
    must_do(triple_add(&loader->known_at[called], kinds, *ret));
}

/* A call on its way to its numbers.  It is looked for among whole ones, among
 * pruned ones, or both. */
struct call_way {
    bool is_whole, is_pruned;
    struct loaded_call whole;
    uint32_t hash; /* loaded_expect_call()'s, of that */
    uint32_t kinds[XENOPROF_CHAINS];
    bool called;
    uint32_t slot;  /* hash of these */
    uint32_t known; /* index into known_calls; TRIPLE_NONE: not there yet */
};

/* Without chains, places of one function are one. */
static void find_leaf(struct loader *loader, const struct xenoprof_call *from,
                      struct call_way *way)
{
    uint32_t spot;

    way->is_whole = true;
    way->is_pruned = false;
    way->whole = (struct loaded_call){
        .key = {.place = from->place, .called = from->stack != 0}};
    kind_spot(loader, from->place, &spot);
    if ( spot )
        way->whole.key.place = spot_place(loader->loaded, spot);
    loader->loaded->stacked |= way->whole.key.called;
}

/* Whether calls are also looked for among pruned ones. */
static bool some_are_pruned(const struct loader *loader)
{
    return loader->wanted.pruned || loader->domains.any;
}

/* All chains of a pruned call are pruned: fewer are told apart. */
static void make_pruned(struct loader *loader, uint32_t kinds[XENOPROF_CHAINS])
{
    uint32_t node;

    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
    {
        if ( !kinds[i] || kinds[i] & KIND_PRUNED )
            continue;
        kind_pruned_node(loader, kinds[i], &node);
        must_do(node <= UINT32_MAX >> KIND_BITS);
        kinds[i] = node << KIND_BITS | KIND_PRUNED | (kinds[i] & KIND_CALLED);
    }
}

/* A place without a chain is a chain of its own.  What has Xen's chain only may
 * be anybody's. */
static void find_chains(struct loader *loader, const struct xenoprof_call *from,
                        struct call_way *way)
{
    uint32_t *kinds = way->kinds;

    memcpy(kinds, from->nodes, sizeof(way->kinds));
    if ( !leaf_kind(kinds) )
        kind_alone(loader, from->place, &kinds[0]);
    way->called = from->stack != 0;
    way->is_whole = !((kinds[0] | kinds[1] | kinds[2]) & KIND_PRUNED);
    way->is_pruned = !way->is_whole ||
                     (some_are_pruned(loader) && !kinds[1] && !kinds[2]);
    if ( way->is_whole )
        way->whole = call_of(loader, kinds, way->called);
    if ( way->is_pruned )
        make_pruned(loader, kinds);
}

/* Each asks for the memory that the next one needs. */
static void expect_leaf(const struct loader *loader,
                        const struct xenoprof_call *from)
{
    const uint32_t leaf = leaf_kind(from->nodes);

    if ( leaf )
        memory_expect(table_at(&loader->loaded->nodes, kind_node(leaf) - 1));
}

static void begin_way(struct loader *loader, const struct xenoprof_call *from,
                      struct call_way *way)
{
    const struct triple_table *known = &loader->known_at[from->stack != 0];

    if ( loader->wanted.stacks )
        find_chains(loader, from, way);
    else
        find_leaf(loader, from, way);
    if ( way->is_whole )
        loaded_expect_last(loader->loaded, &way->whole);
    if ( !way->is_pruned )
        return;
    way->slot = triple_hash(known, way->kinds);
    triple_expect(known, way->slot);
}

static void go_on(const struct loader *loader, struct call_way *way)
{
    if ( way->is_whole )
        way->hash = loaded_expect_call(loader->loaded, &way->whole);
    if ( !way->is_pruned )
        return;
    way->known = triple_find(&loader->known_at[way->called], way->kinds,
                             way->slot);
    if ( way->known != TRIPLE_NONE )
        memory_expect(&loader->known_calls.items[way->known]);
}

/* Each file has most pruned calls of those before it.  One that was not there
 * may be by now. */
static void put_pruned_calls(struct loader *loader, struct call_way *way,
                             uint32_t numbers[PRUNE_ASKERS])
{
    if ( way->known == TRIPLE_NONE )
        way->known = triple_find(&loader->known_at[way->called], way->kinds,
                                 way->slot);
    if ( way->known == TRIPLE_NONE )
        add_pruned_calls(loader, way->kinds, way->called, &way->known);
    memcpy(numbers, loader->known_calls.items[way->known].numbers,
           sizeof(loader->known_calls.items[way->known].numbers));
}

/* Whether a column has what calls are to that one. */
static bool has_column(const struct loader *loader, unsigned int asker)
{
    return asker == ASKS_ALL ? !loader->wanted.pruned : some_are_pruned(loader);
}

/* Whoever asks for what a call is not looked for as, which is nobody in a
 * session that is sound, gets the other. */
static void end_way(struct loader *loader, struct call_way *way)
{
    uint32_t numbers[ASKERS];

    if ( way->is_pruned )
        put_pruned_calls(loader, way, numbers);
    numbers[ASKS_ALL] = way->is_whole ? loaded_put_call(loader->loaded,
                                                        &way->whole, way->hash)
                                      : numbers[ASKS_BY_ENTRY];
    for ( unsigned int i = 0; !way->is_pruned && i < PRUNE_ASKERS; i++ )
        numbers[i] = numbers[ASKS_ALL];
    for ( unsigned int i = 0; i < ASKERS; i++ )
        if ( has_column(loader, i) )
            loader->calls[i].items[loader->calls[i].count++] = numbers[i];
}

/* Gives calls that are at most CALLS_AT_ONCE their numbers; there is room. */
static void put_calls(struct loader *loader, const struct xenoprof_call *from,
                      size_t count)
{
    struct call_way ways[CALLS_AT_ONCE];

    for ( size_t i = 0; loader->wanted.stacks && i < count; i++ )
        expect_leaf(loader, &from[i]);
    for ( size_t i = 0; i < count; i++ )
        begin_way(loader, &from[i], &ways[i]);
    for ( size_t i = 0; i < count; i++ )
        go_on(loader, &ways[i]);
    for ( size_t i = 0; i < count; i++ )
        if ( ways[i].is_whole && ways[i].hash )
            table_expect_entry(&loader->loaded->calls, ways[i].hash);
    for ( size_t i = 0; i < count; i++ )
        end_way(loader, &ways[i]);
}

size_t load_calls_known(const struct loader *loader)
{
    return loader->calls[loader->wanted.pruned ? ASKS_NEVER : ASKS_ALL].count;
}

void load_calls(struct loader *loader, const struct xenoprof_call *calls,
                size_t first, size_t count)
{
    for ( unsigned int i = 0; i < ASKERS; i++ )
        if ( has_column(loader, i) && count > loader->calls[i].count )
            must_do(vector_reserve(&loader->calls[i],
                                   count - loader->calls[i].count));
    for ( size_t at = load_calls_known(loader); at < count;
          at += CALLS_AT_ONCE )
    {
        const size_t left = count - at;

        put_calls(loader, calls + (at - first),
                  left < CALLS_AT_ONCE ? left : CALLS_AT_ONCE);
    }
}
