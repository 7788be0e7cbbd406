/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples in columns ran.  For who does not ask who called it that is a
 * place, and whether it has a caller: these are few, so a sample is found by
 * its node's number alone.
 *
 * For who says which nodes are of one kind it is the kinds of its nodes, in
 * place of the nodes: so there are fewer calls.
 */
#include <string.h>

#include "block-items.h"

/* Where the place of a node of the file is, or NULL. */
static const struct defined_space *space_of_node(
    const struct reader_tables *read, size_t node)
{
    const struct read_place *place = READ_FIND(read, places,
                                               read->nodes.items[node].place);

    return place && place->known ? READ_FIND(read, spaces, place->space) : NULL;
}

/* In whose code a node of the file is. */
static uint8_t mode_of_node(const struct reader_tables *read, size_t node)
{
    const struct defined_space *space = space_of_node(read, node);

    return space ? space->mode : XENOPROF_MODES;
}

/* It was called all the same. */
uint32_t leaf_that_passes(const struct block_items *items, size_t index,
                          const struct xenoprof_node *node)
{
    const uint32_t caller = items->nodes.items[node->parent - 1];

    return caller >> 1 && mode_of_node(items->read, node->parent - 1) ==
                              mode_of_node(items->read, index)
               ? caller | 1
               : leaf_of_node(node);
}

#define RUN 64u /* rows at a time: a compiler knows how many */

#define STEPS_CALL 64u /* of kinds: who takes it looks at what it is */

/* Whether a leaf of one chain stands on another one. */
static inline bool stands(const uint32_t nodes[CALL_CHAINS])
{
    unsigned int chains = 0;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        chains += nodes[i] != 0;
    return chains > 1;
}

/* The leaf's node of some rows, and whether it stands on another chain. */
struct leaf_run {
    uint32_t nodes[RUN];
    uint8_t stand[RUN];
};

/* Which chains a sample has nobody foresees, a processor neither: there is no
 * branch here. */
static inline void find_leaf(const struct reader_tables *read, size_t row,
                             uint32_t *restrict node, uint8_t *restrict stand)
{
    uint32_t xen = samples_node(read, row, SESSION_SAMPLE_XEN);
    uint32_t kernel = samples_node(read, row, SESSION_SAMPLE_KERNEL);
    uint32_t user = samples_node(read, row, SESSION_SAMPLE_USER);
    uint32_t no_xen = -(uint32_t)!xen, no_kernel = -(uint32_t)!kernel;

    *node = xen | (no_xen & (kernel | (no_kernel & user)));
    *stand = (uint8_t)((xen && (kernel || user)) | (kernel && user));
}

/* There are as many as places, twice. */
static bool make_leaf_room(struct block_items *items)
{
    size_t count = 2 * (items->all.places.count + 1);
    size_t known = items->leaves.count;

    if ( count <= known )
        return true;
    if ( !vector_reserve(&items->leaves, count - known) )
        return false;
    memset(items->leaves.items + known, 0,
           (count - known) * sizeof(*items->leaves.items));
    items->leaves.count = count;
    return true;
}

/* Gives a leaf the next number of what samples ran. */
static bool add_leaf(struct block_items *items, uint32_t leaf)
{
    const struct xenoprof_call call = {.place = leaf >> 1, .stack = leaf & 1};
    uint32_t number;

    if ( !sample_columns_call(&items->columns, &call, &number) )
        return false;
    items->leaves.items[leaf] = number + 1;
    return true;
}

/* Finds what the run's rows, of calls[] and whos[], ran.  Returns false if
 * there is no memory. */
static bool take_run(struct block_items *items, const struct leaf_run *run,
                     size_t count, const uint32_t *whos,
                     uint32_t *restrict calls)
{
    const uint32_t *leaf_of_nodes = items->nodes.items;

    for ( size_t i = 0; i < count; i++ )
    {
        uint32_t node = run->nodes[i];
        uint32_t leaf = node ? leaf_of_nodes[node - 1] | run->stand[i] : 0;

        if ( !items->leaves.items[leaf] && whos[i] != WHO_UNKNOWN &&
             !add_leaf(items, leaf) )
            return false;
        calls[i] = items->leaves.items[leaf] - 1;
    }
    return true;
}

bool leaves_take(struct block_items *items)
{
    const struct sample_columns *columns = &items->columns;
    const uint32_t *leaf_of_nodes = items->nodes.items;
    struct leaf_run run;
    bool done = make_leaf_room(items);

    for ( size_t at = 0; done && at < columns->count; at += RUN )
    {
        size_t left = columns->count - at, count = left < RUN ? left : RUN;

        for ( size_t i = 0; i < count; i++ )
        {
            find_leaf(items->read, at + i, &run.nodes[i], &run.stand[i]);
            if ( run.nodes[i] )
                memory_expect(&leaf_of_nodes[run.nodes[i] - 1]);
        }
        done = take_run(items, &run, count, columns->whos + at,
                        columns->calls + at);
    }
    return done;
}

/* Who takes a call looks at all nodes of its chains. */
static void add_depths(struct block_items *items,
                       const uint32_t nodes[CALL_CHAINS])
{
    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        if ( nodes[i] )
            items->steps += items->read->nodes.items[nodes[i] - 1].depth;
}

bool chain_call(struct block_items *items, const uint32_t nodes[CALL_CHAINS],
                uint32_t *ret)
{
    struct xenoprof_call call = {.stack = stands(nodes)};
    uint32_t leaf = leaf_node(nodes);
    const struct xenoprof_node *node;

    if ( leaf )
    {
        node = table_at(&items->columns.nodes, leaf - 1);
        call.place = node->place;
        call.stack |= node->parent != 0;
    }
    memcpy(call.nodes, nodes, sizeof(call.nodes));
    add_depths(items, nodes);
    return sample_columns_call(&items->columns, &call, ret) &&
           triple_add(&items->calls, nodes, *ret);
}

/* Whose place a node of the file has, or XENOPROF_NOBODY. */
static uint16_t domain_of_node(const struct reader_tables *read, size_t node)
{
    const struct defined_space *space = space_of_node(read, node);
    const struct defined_domain *domain = space ? READ_FIND(read, domains,
                                                            space->domain)
                                                : NULL;

    return domain && domain->known ? (uint16_t)domain->number : XENOPROF_NOBODY;
}

bool kinds_of_nodes(struct block_items *items,
                    const struct xenoprof_node *nodes, size_t count)
{
    struct xenoprof_kind_node asked[NODES_AT_ONCE];
    uint32_t *kinds = items->nodes.items;

    for ( size_t i = 0; i < count; i++ )
        asked[i] = (struct xenoprof_kind_node){
            nodes[i].parent ? kinds[nodes[i].parent - 1] : 0, nodes[i].place,
            domain_of_node(items->read, items->coded + i)};
    return items->kinds_of(items->kinds_argument, items->columns.file, asked,
                           count, kinds + items->coded);
}

/* Some rows, whose memory is asked for at once. */
struct kind_run {
    uint32_t nodes[RUN][CALL_CHAINS];
    uint32_t kinds[RUN][CALL_CHAINS]; /* of these */
    uint32_t hashes[RUN];
};

static void expect_kinds(const struct block_items *items, size_t first,
                         size_t count, struct kind_run *run)
{
    const uint32_t *kinds = items->nodes.items;

    for ( size_t i = 0; i < count; i++ )
    {
        samples_nodes(items->read, first + i, run->nodes[i]);
        for ( unsigned int chain = 0; chain < CALL_CHAINS; chain++ )
            if ( run->nodes[i][chain] )
                memory_expect(&kinds[run->nodes[i][chain] - 1]);
    }
}

/* Which chains a sample has nobody foresees, a processor neither: there is no
 * branch here.  kinds is not empty. */
static inline uint32_t kind_at(const uint32_t *kinds, uint32_t node)
{
    uint32_t any = node != 0;

    return kinds[node - any] & -any;
}

static void expect_leaf_calls(const struct block_items *items, size_t count,
                              struct kind_run *run)
{
    static const uint32_t none[] = {0};
    const uint32_t *known = items->nodes.count ? items->nodes.items : none;

    for ( size_t i = 0; i < count; i++ )
    {
        const uint32_t xen = kind_at(known, run->nodes[i][0]);
        const uint32_t kernel = kind_at(known, run->nodes[i][1]);
        const uint32_t user = kind_at(known, run->nodes[i][2]);

        run->hashes[i] = triple_hash_of(&items->calls, xen, kernel, user);
        triple_expect(&items->calls, run->hashes[i]);
        run->kinds[i][0] = xen;
        run->kinds[i][1] = kernel;
        run->kinds[i][2] = user;
    }
}

/* Gives the kinds of a row the next number of what samples ran.  Returns false
 * if there is no memory. */
static bool add_kinds(struct block_items *items, const struct kind_run *run,
                      size_t row, uint32_t *ret)
{
    struct xenoprof_call call = {.stack = stands(run->kinds[row])};

    memcpy(call.nodes, run->kinds[row], sizeof(call.nodes));
    items->steps += STEPS_CALL;
    add_depths(items, run->nodes[row]);
    return sample_columns_call(&items->columns, &call, ret) &&
           triple_add(&items->calls, run->kinds[row], *ret);
}

/* Finds what the run's rows ran that is known, and asks for the memory of the
 * nodes of what is not. */
static void find_kinds(const struct block_items *items,
                       const struct kind_run *run, size_t count,
                       uint32_t *restrict calls)
{
    const struct read_node *nodes = items->read->nodes.items;

    for ( size_t i = 0; i < count; i++ )
    {
        calls[i] = triple_find(&items->calls, run->kinds[i], run->hashes[i]);
        for ( unsigned int chain = 0;
              calls[i] == TRIPLE_NONE && chain < CALL_CHAINS; chain++ )
            if ( run->nodes[i][chain] )
                memory_expect(&nodes[run->nodes[i][chain] - 1]);
    }
}

/* The same of all rows, of calls[] and whos[]: one that is new may be another
 * one's, too.  Returns false if there is no memory. */
static bool take_kinds(struct block_items *items, const struct kind_run *run,
                       size_t count, const uint32_t *whos,
                       uint32_t *restrict calls)
{
    find_kinds(items, run, count, calls);
    for ( size_t i = 0; i < count; i++ )
    {
        if ( calls[i] != TRIPLE_NONE )
            continue;
        calls[i] = triple_find(&items->calls, run->kinds[i], run->hashes[i]);
        if ( calls[i] == TRIPLE_NONE && whos[i] != WHO_UNKNOWN &&
             !add_kinds(items, run, i, &calls[i]) )
            return false;
    }
    return true;
}

bool kinds_take(struct block_items *items)
{
    const struct sample_columns *columns = &items->columns;
    struct kind_run run;
    bool done = true;

    for ( size_t at = 0; done && at < columns->count; at += RUN )
    {
        size_t left = columns->count - at, count = left < RUN ? left : RUN;

        expect_kinds(items, at, count, &run);
        expect_leaf_calls(items, count, &run);
        done = take_kinds(items, &run, count, columns->whos + at,
                          columns->calls + at);
    }
    return done;
}
