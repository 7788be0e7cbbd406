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

static void walk_page_nodes(struct page_nodes *nodes)
{
    static const struct flame_look look = {.children = page_child_count,
                                           .child = page_child};

    page_walk(&look, nodes->tree, nodes->tree->nodes.count, nodes->order);
    for ( size_t i = 0; i < nodes->tree->nodes.count; i++ )
        nodes->number[nodes->order[i]] = (uint32_t)i;
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
    size_t count = tree->nodes.count, frames = stacks->frames.count;
    struct use *uses SCOPE_FREE = must(calloc(frames + 1, sizeof(*uses)));

    *nodes = (struct page_nodes){
        .tree = tree,
        .order = must(calloc(count, sizeof(*nodes->order))),
        .number = must(calloc(count, sizeof(*nodes->number))),
        .frames = must(calloc(frames + 1, sizeof(*nodes->frames))),
        .frame = must(calloc(frames + 1, sizeof(*nodes->frame))),
    };
    walk_page_nodes(nodes);
    number_frames(nodes, uses, frames);
}

void page_nodes_free(struct page_nodes *nodes)
{
    free(nodes->order);
    free(nodes->number);
    free(nodes->frames);
    free(nodes->frame);
}

static uint32_t node_depth(const struct page_nodes *nodes,
                           const uint32_t *depths, uint32_t number)
{
    const struct node *node = tree_node(nodes->tree, number);

    return depths[nodes->number[node->key.parent]] + 1;
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

        depths[i] = node_depth(nodes, depths, nodes->order[i]);
        bytes_number(ups, depths[i - 1] + 1 - depths[i]);
        bytes_number(values, node->key.kind == NODE_FRAME ? nodes->frame[value]
                                                          : value);
        bytes_number(times,
                     (tree_self(nodes->tree, node).time + unit / 2) / unit);
    }
}
