/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples ran, by the numbers that the report has for it.  There are
 * millions of nodes and calls, each somewhere else in memory: some at a time
 * are looked at, and the memory of all of these is asked for before the first
 * is waited for.
 */
#include <string.h>

#include "report/model/load-samples.h"

#define CALLS_AHEAD   8u
#define NODES_AT_ONCE 64u
#define CALLS_AT_ONCE 64u

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

/* The place that stands for all of a spot's. */
static uint32_t spot_place(const struct loaded *loaded, uint32_t number)
{
    const struct spot *spot = number ? table_at(&loaded->spots, number - 1)
                                     : NULL;

    return spot ? spot->place : 0;
}

static uint32_t node_place(const struct loaded *loaded, uint32_t number)
{
    const struct spot_node *node = table_at(&loaded->nodes, number - 1);

    return spot_place(loaded, node->key.spot);
}

/* A kind is a node of loaded, twice, and 1 if it had a caller, which it need
 * not have any more.  Returns false if there is no memory. */
static bool put_kind(uint32_t node, uint32_t parent, uint32_t *kind)
{
    *kind = node << 1 | (parent != 0);
    return node && node <= UINT32_MAX >> 1;
}

/* Each makes kinds of spots, of nodes that are at most NODES_AT_ONCE.  Returns
 * false if there is no memory. */
static bool put_brief_kinds(struct loader *loader,
                            const struct xenoprof_node *nodes, size_t count,
                            uint32_t *kinds)
{
    bool done = true;

    for ( size_t i = 0; i < count; i++ )
        brief_expect(&loader->brief, nodes[i].parent >> 1, kinds[i]);
    for ( size_t i = 0; done && i < count; i++ )
        done = put_kind(brief_node(&loader->brief, loader->loaded,
                                   nodes[i].parent >> 1, kinds[i]),
                        nodes[i].parent, &kinds[i]);
    return done;
}

static bool put_whole_kinds(struct loader *loader,
                            const struct xenoprof_node *nodes, size_t count,
                            uint32_t *kinds)
{
    struct loaded *loaded = loader->loaded;
    uint32_t hashes[NODES_AT_ONCE];
    bool done = true;

    for ( size_t i = 0; i < count; i++ )
        hashes[i] = loaded_expect_node(loaded, nodes[i].parent >> 1, kinds[i]);
    for ( size_t i = 0; i < count; i++ )
        table_expect_entry(&loaded->nodes, hashes[i]);
    for ( size_t i = 0; done && i < count; i++ )
        done = put_kind(
            loaded_put_node(loaded, nodes[i].parent >> 1, kinds[i], hashes[i]),
            nodes[i].parent, &kinds[i]);
    return done;
}

bool load_kinds(void *argument, const struct xenoprof_node *nodes, size_t count,
                uint32_t *ret)
{
    struct loader *loader = argument;
    bool done = true;

    for ( size_t at = 0; done && at < count; at += NODES_AT_ONCE )
    {
        size_t some = count - at < NODES_AT_ONCE ? count - at : NODES_AT_ONCE;

        for ( size_t i = 0; done && i < some; i++ )
            done = find_spot(loader, nodes[at + i].place, &ret[at + i]);
        if ( done && loader->wanted.brief )
            done = put_brief_kinds(loader, nodes + at, some, ret + at);
        else if ( done )
            done = put_whole_kinds(loader, nodes + at, some, ret + at);
    }
    return done;
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

    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        call.key.nodes[i] = kinds[i] >> 1;
    call.key.called |= leaf & 1;
    call.key.place = node_place(loader->loaded, leaf >> 1);
    loader->loaded->stacked |= call.key.called;
    return call;
}

/* Finds what calls of these kinds are to each that may ask.  Returns false if
 * there is no memory. */
static bool make_brief_calls(struct loader *loader,
                             const uint32_t kinds[XENOPROF_CHAINS], bool called,
                             struct loader_calls *ret)
{
    struct loaded_call call = call_of(loader, kinds, called);
    const struct brief_chains chains = brief_chains(&loader->brief,
                                                    call.key.nodes);

    for ( unsigned int i = 0; i < BRIEF_ASKERS; i++ )
    {
        memcpy(call.key.nodes, chains.nodes[i], sizeof(call.key.nodes));
        ret->numbers[i] = loaded_call(loader->loaded, &call);
        if ( !ret->numbers[i] )
            return false;
    }
    return true;
}

/* The same, of calls that are met for the first time; *ret is their index. */
static bool add_brief_calls(struct loader *loader,
                            const uint32_t kinds[XENOPROF_CHAINS], bool called,
                            uint32_t *ret)
{
    struct loader_calls *calls = vector_add(&loader->known_calls);

    *ret = (uint32_t)loader->known_calls.count - 1;
    return calls && make_brief_calls(loader, kinds, called, calls) &&
           triple_add(&loader->known_at[called], kinds, *ret);
}

/* Each file has most calls of those before it. */
static bool put_brief_calls(struct loader *loader,
                            const uint32_t kinds[XENOPROF_CHAINS], bool called)
{
    const struct triple_table *known = &loader->known_at[called];
    uint32_t at = triple_find(known, kinds, triple_hash(known, kinds));

    if ( at == TRIPLE_NONE && !add_brief_calls(loader, kinds, called, &at) )
        return false;
    for ( unsigned int i = 0; i < BRIEF_ASKERS; i++ )
        loader->calls[i].items[loader->calls[i].count++] =
            loader->known_calls.items[at].numbers[i];
    return true;
}

/* Sets kinds to those of a call; a place without a chain is a chain of its own.
 * Returns false if there is no memory. */
static bool get_kinds(struct loader *loader, const struct xenoprof_call *from,
                      uint32_t kinds[XENOPROF_CHAINS])
{
    memcpy(kinds, from->nodes, XENOPROF_CHAINS * sizeof(*kinds));
    return kinds[0] | kinds[1] | kinds[2] ||
           load_kinds(loader, &(struct xenoprof_node){0, from->place}, 1,
                      kinds);
}

/* Each sets *ret to what a call is without numbers of the file.  Returns false
 * if there is no memory. */
static bool make_call(struct loader *loader, const struct xenoprof_call *from,
                      struct loaded_call *ret)
{
    uint32_t kinds[XENOPROF_CHAINS];

    if ( !get_kinds(loader, from, kinds) )
        return false;
    *ret = call_of(loader, kinds, from->stack);
    return true;
}

/* Without chains, places of one function are one. */
static bool make_leaf(struct loader *loader, const struct xenoprof_call *from,
                      struct loaded_call *ret)
{
    uint32_t spot;

    *ret = (struct loaded_call){
        .key = {.place = from->place, .called = from->stack != 0}};
    if ( !find_spot(loader, from->place, &spot) )
        return false;
    if ( spot )
        ret->key.place = spot_place(loader->loaded, spot);
    loader->loaded->stacked |= ret->key.called;
    return true;
}

/* Asks for the memory of the nodes that say which places calls are at. */
static void expect_leaves(const struct loader *loader,
                          const struct xenoprof_call *from, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        uint32_t leaf = leaf_kind(from[i].nodes);

        if ( leaf )
            __builtin_prefetch(
                table_at(&loader->loaded->nodes, (leaf >> 1) - 1));
    }
}

/* Gives calls that are at most CALLS_AT_ONCE their numbers, for the first that
 * asks; there is room.  Returns false if there is no memory. */
static bool put_calls(struct loader *loader, const struct xenoprof_call *from,
                      size_t count)
{
    struct table *known = &loader->loaded->calls;
    struct loaded_call calls[CALLS_AT_ONCE];
    uint32_t hashes[CALLS_AT_ONCE];
    bool done = true;

    if ( loader->wanted.stacks )
        expect_leaves(loader, from, count);
    for ( size_t i = 0; done && i < count; i++ )
    {
        done = loader->wanted.stacks ? make_call(loader, &from[i], &calls[i])
                                     : make_leaf(loader, &from[i], &calls[i]);
        hashes[i] = done ? table_expect(known, &calls[i]) : 0;
    }
    for ( size_t i = 0; done && i < count; i++ )
        table_expect_entry(known, hashes[i]);
    for ( size_t i = 0; done && i < count; i++ )
    {
        const void *call = table_put_expected(known, &calls[i], hashes[i]);

        done = call;
        if ( call )
            loader->calls[0].items[loader->calls[0].count++] =
                (uint32_t)table_index(known, call) + 1;
    }
    return done;
}

/* Asks for the memory of a call that comes soon. */
static void expect_call(const struct loader *loader,
                        const struct xenoprof_call *from)
{
    const struct triple_table *known = &loader->known_at[from->stack != 0];

    triple_expect(known, triple_hash(known, from->nodes));
}

/* The same for each that may ask, of any number of calls. */
static bool put_all_brief_calls(struct loader *loader,
                                const struct xenoprof_call *from, size_t count)
{
    uint32_t kinds[XENOPROF_CHAINS];
    bool done = true;

    for ( size_t i = 0; done && i < count; i++ )
    {
        if ( i + CALLS_AHEAD < count )
            expect_call(loader, &from[i + CALLS_AHEAD]);
        done = get_kinds(loader, &from[i], kinds) &&
               put_brief_calls(loader, kinds, from[i].stack);
    }
    return done;
}

/* There is room for so many.  Returns false if there is no memory. */
static bool reserve_calls(struct loader *loader, size_t count)
{
    const unsigned int askers = loader->wanted.brief ? BRIEF_ASKERS : 1;

    for ( unsigned int i = 0; i < askers; i++ )
        if ( count > loader->calls[i].count &&
             !vector_reserve(&loader->calls[i],
                             count - loader->calls[i].count) )
            return false;
    return true;
}

bool load_calls(struct loader *loader, const struct xenoprof_samples *samples)
{
    bool done = reserve_calls(loader, samples->call_count);

    while ( done && loader->calls[0].count < samples->call_count )
    {
        const struct xenoprof_call *next = samples->call +
                                           loader->calls[0].count;
        size_t left = samples->call_count - loader->calls[0].count;
        size_t some = left < CALLS_AT_ONCE ? left : CALLS_AT_ONCE;

        done = loader->wanted.brief ? put_all_brief_calls(loader, next, left)
                                    : put_calls(loader, next, some);
    }
    return done;
}
