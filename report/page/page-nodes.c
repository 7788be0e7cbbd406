/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes columns of the tree of a page. */
#include "page-nodes.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>

void page_walk(const struct flame_look *look, const void *data, size_t nodes,
               uint32_t *ret)
{
    uint32_t *waiting SCOPE_FREE = must(calloc(nodes, sizeof(*waiting)));
    size_t left = 1, done = 0;

    while ( left )
    {
        uint32_t node = waiting[--left];

        ret[done++] = node;
        for ( uint32_t i = look->children(data, node); i-- > 0; )
            waiting[left++] = look->child(data, node, i);
    }
}

static uint32_t page_child_count(const void *data, uint32_t node)
{
    return tree_children(data, tree_node(data, node));
}

static uint32_t page_child(const void *data, uint32_t node, uint32_t index)
{
    return tree_child(data, tree_node(data, node), index);
}

struct use {
    uint64_t times;
    uint32_t frame;
};

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left, *b = right;

    if ( a->times != b->times )
        return a->times < b->times ? 1 : -1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static void number_frames(struct page_nodes *nodes, struct use *uses,
                          size_t count)
{
    for ( uint32_t i = 0; i < count; i++ )
        uses[i] = (struct use){0, i};
    for ( size_t i = 0; i < nodes->tree->nodes.count; i++ )
    {
        const struct node *node = tree_node(nodes->tree, (uint32_t)i);

        if ( node->key.kind == NODE_FRAME )
            uses[node->key.value].times++;
    }
    qsort(uses, count, sizeof(*uses), compare_uses);
    for ( uint32_t i = 0; i < count; i++ )
    {
        nodes->frame[uses[i].frame] = i;
        nodes->frames[i] = uses[i].frame;
        if ( uses[i].times )
            nodes->frame_count = i + 1;
    }
}

void page_nodes_build(struct page_nodes *nodes, const struct tree *tree,
                      const struct stacks *stacks)
{
    static const struct flame_look look = {.children = page_child_count,
                                           .child = page_child};
    size_t count = tree->nodes.count, frames = stacks->frames.count;
    struct use *uses SCOPE_FREE = must(calloc(frames + 1, sizeof(*uses)));

    *nodes = (struct page_nodes){
        .tree = tree,
        .order = must(calloc(count, sizeof(*nodes->order))),
        .number = must(calloc(count, sizeof(*nodes->number))),
        .frames = must(calloc(frames + 1, sizeof(*nodes->frames))),
        .frame = must(calloc(frames + 1, sizeof(*nodes->frame))),
    };
    page_walk(&look, tree, count, nodes->order);
    for ( size_t i = 0; i < count; i++ )
        nodes->number[nodes->order[i]] = (uint32_t)i;
    number_frames(nodes, uses, frames);
}

void page_nodes_free(struct page_nodes *nodes)
{
    free(nodes->order);
    free(nodes->number);
    free(nodes->frames);
    free(nodes->frame);
}

void page_nodes_put(const struct page_nodes *nodes, uint64_t unit,
                    struct bytes *ups, struct bytes *values,
                    struct bytes *times)
{
    size_t count = nodes->tree->nodes.count;
    uint32_t *depths SCOPE_FREE = must(calloc(count, sizeof(*depths)));

    for ( size_t i = 1; i < count; i++ )
    {
        const struct node *node = tree_node(nodes->tree, nodes->order[i]);
        uint64_t value = node->key.value;

        depths[i] = depths[nodes->number[node->key.parent]] + 1;
        bytes_number(ups, depths[i - 1] + 1 - depths[i]);
        bytes_number(values, node->key.kind == NODE_FRAME ? nodes->frame[value]
                                                          : value);
        bytes_number(times,
                     (tree_self(nodes->tree, node).time + unit / 2) / unit);
    }
}
