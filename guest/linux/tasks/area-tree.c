/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the root to each leaf.  Every word may be a lie: the levels are bounded,
 * and so are the nodes, however they lead to each other. */
#include "area-tree.h"

#include <string.h>
#include <xenoprof/fetch.h>

/* Ten children each: more than there can be areas. */
#define LEVELS_MAX 8u

/* In a word that leads to a node: which sort it is, and 4.  The word that is
 * the root has 2 as well; it is the only entry if that is missing (upstream
 * lib/maple_tree.c, mte_mk_root(), mt_mk_node()). */
#define NODE_MASK   (MAPLE_NODE_BYTES - 1ull)
#define SORT_SHIFT  3u
#define SORT_MASK   15u
#define IS_INTERNAL 2u
#define ENTRY_MASK  3u

/* Sorts (enum maple_type).  Linux makes no dense ones (0) so far. */
enum { NODE_LEAF = 1, NODE_RANGE = 2, NODE_GAPS = 3 };

struct tree_walk {
    const struct kernel_layout *layout;
    struct guest_memory *memory;
    const struct area_taker *taker;
    uint32_t nodes; /* that may still be read */
};

struct tree_node {
    uint32_t count;
    uint64_t slots[MAPLE_RANGE_SLOTS];
    uint64_t lasts[MAPLE_RANGE_SLOTS]; /* the last address of each */
};

static uint64_t word_of_node(const uint8_t *bytes, uint32_t at)
{
    uint64_t word;

    memcpy(&word, bytes + at, sizeof(word));
    return word;
}

/* Returns the number of the last slot that is used: a full node that keeps no
 * gaps has none of it, since that lies in its last slot (ma_data_end()). */
static uint32_t last_slot(const struct maple_form *form, uint32_t sort,
                          const uint8_t *bytes, uint64_t max)
{
    uint64_t pivot = word_of_node(bytes, form->pivots + 8 * (form->count - 2));

    if ( sort == NODE_GAPS || !pivot )
        return bytes[form->end];
    return form->count - (pivot == max ? 2 : 1);
}

/* Returns whether bytes are a node whose last address is max. */
static bool spell_node(const struct maple_form *form, uint32_t last,
                       const uint8_t *bytes, uint64_t max,
                       struct tree_node *ret)
{
    if ( last >= form->count )
        return false;
    ret->count = last + 1;
    for ( uint32_t i = 0; i <= last; i++ )
    {
        ret->slots[i] = word_of_node(bytes, form->slots + 8 * i);
        ret->lasts[i] = i < last ? word_of_node(bytes, form->pivots + 8 * i)
                                 : max;
        if ( ret->lasts[i] > max || (i && ret->lasts[i] <= ret->lasts[i - 1]) )
            return false;
    }
    return true;
}

static bool read_node(struct tree_walk *walk, uint64_t entry, uint64_t max,
                      struct tree_node *ret)
{
    uint32_t sort = (uint32_t)(entry >> SORT_SHIFT) & SORT_MASK;
    struct maple_form form = maple_form_of(walk->layout, sort == NODE_GAPS);
    uint8_t bytes[MAPLE_NODE_BYTES];

    return sort >= NODE_LEAF && sort <= NODE_GAPS &&
           xenoprof_fetch_is_kernel(entry) &&
           guest_memory_get(walk->memory, entry & ~NODE_MASK, bytes,
                            sizeof(bytes)) &&
           spell_node(&form, last_slot(&form, sort, bytes, max), bytes, max,
                      ret);
}

/* Gaps are zeroes, and what Linux reserves is no address (XA_ZERO_ENTRY). */
static bool take_leaf(const struct tree_walk *walk,
                      const struct tree_node *node)
{
    uint64_t addresses[MAPLE_RANGE_SLOTS];
    size_t count = 0;

    for ( uint32_t i = 0; i < node->count; i++ )
        if ( node->slots[i] % 8 == 0 &&
             xenoprof_fetch_is_kernel(node->slots[i]) )
            addresses[count++] = node->slots[i];
    return !count || walk->taker->take(walk->taker->self, addresses, count);
}

static bool walk_node(struct tree_walk *walk, uint64_t entry, uint64_t max,
                      unsigned int levels)
{
    bool is_leaf = ((entry >> SORT_SHIFT) & SORT_MASK) == NODE_LEAF;
    struct tree_node node;
    bool right = true;

    if ( !walk->nodes )
        return true;
    walk->nodes--;
    if ( !levels || !read_node(walk, entry, max, &node) )
        return false;
    if ( is_leaf )
        return take_leaf(walk, &node);
    for ( uint32_t i = 0; right && i < node.count; i++ )
        right = walk_node(walk, node.slots[i], node.lasts[i], levels - 1);
    return right;
}

bool area_tree_walk(const struct kernel_layout *layout,
                    struct guest_memory *memory, uint64_t root,
                    const struct area_taker *taker)
{
    struct tree_walk walk = {layout, memory, taker, AREA_NODES_MAX};

    if ( (root & ENTRY_MASK) == IS_INTERNAL )
        return walk_node(&walk, root, UINT64_MAX, LEVELS_MAX);
    if ( !root )
        return true;
    return root % 8 == 0 && xenoprof_fetch_is_kernel(root) &&
           taker->take(taker->self, &root, 1);
}
