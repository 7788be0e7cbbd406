/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples in columns ran.  For who does not ask who called it that is a
 * place, and whether it has a caller: these are few, so a sample is found by
 * its node's number alone.
 */
#include <string.h>

#include "epoch-items.h"

uint32_t leaf_of_node(uint32_t place, bool called)
{
    return place << 1 | called;
}

void leaf_expect(const struct epoch_items *items,
                 const uint32_t nodes[CALL_CHAINS])
{
    uint32_t node = leaf_node(nodes);

    if ( node )
        __builtin_prefetch(&items->nodes.items[node - 1]);
}

/* Whether a leaf of one chain stands on another one. */
static bool stands(const uint32_t nodes[CALL_CHAINS])
{
    unsigned int chains = 0;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        chains += nodes[i] != 0;
    return chains > 1;
}

static uint32_t leaf_of(const struct epoch_items *items,
                        const uint32_t nodes[CALL_CHAINS])
{
    uint32_t node = leaf_node(nodes);

    return node ? items->nodes.items[node - 1] | stands(nodes) : 0;
}

/* There are as many as places, twice. */
static bool make_room(struct epoch_items *items)
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

bool leaf_call(struct epoch_items *items, const uint32_t nodes[CALL_CHAINS],
               uint32_t *ret)
{
    uint32_t leaf = leaf_of(items, nodes);
    const struct xenoprof_call call = {.place = items_place(items, leaf >> 1),
                                       .stack = leaf & 1};

    if ( leaf >= items->leaves.count && !make_room(items) )
        return false;
    if ( !items->leaves.items[leaf] )
    {
        if ( !sample_columns_call(&items->columns, &call, ret) )
            return false;
        items->leaves.items[leaf] = *ret + 1;
    }
    *ret = items->leaves.items[leaf] - 1;
    return true;
}

bool chain_call(struct epoch_items *items, const uint32_t nodes[CALL_CHAINS],
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
    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
    {
        call.nodes[i] = nodes[i];
        /* Who takes the call looks at all of them. */
        if ( nodes[i] )
            items->steps += items->read->nodes.items[nodes[i] - 1].depth;
    }
    return sample_columns_call(&items->columns, &call, ret) &&
           triple_add(&items->calls, nodes, *ret);
}
