/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples ran, for who does not ask who called it: a place, and whether it
 * has a caller.  These are few, so a sample is found by its node's number
 * alone.
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

/* A leaf of one chain that stands on another one has a caller. */
static uint32_t leaf_of(const struct epoch_items *items,
                        const uint32_t nodes[CALL_CHAINS])
{
    uint32_t node = leaf_node(nodes), others = 0;

    for ( unsigned int i = 0; i < CALL_CHAINS; i++ )
        others += nodes[i] != 0;
    return node ? items->nodes.items[node - 1] | (others > 1) : 0;
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
    const struct xenoprof_call call = {items_place(items, leaf >> 1), leaf & 1};

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
