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

static bool has_time(const struct page_nodes *nodes, uint32_t node)
{
    return tree_self(nodes->tree, tree_node(nodes->tree, node)).time > 0;
}

static void count_marks(struct page_nodes *nodes, size_t cells)
{
    size_t count = nodes->tree->nodes.count;
    uint32_t *marks = nodes->marks, sum = 0;

    for ( size_t i = 0; i < cells; i++ )
        marks[nodes->number[nodes->tree->ends[i]]] = 1;
    marks[0] = 1;
    for ( size_t i = 0; i <= count; i++ )
    {
        uint32_t mark = i < count &&
                        (marks[i] || has_time(nodes, nodes->order[i]));

        marks[i] = sum;
        sum += mark;
    }
}

void page_nodes_build(struct page_nodes *nodes, const struct tree *tree,
                      const struct stacks *stacks, size_t cells)
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
        .marks = must(calloc(count + 1, sizeof(*nodes->marks))),
    };
    page_walk(&look, tree, count, nodes->order);
    for ( size_t i = 0; i < count; i++ )
        nodes->number[nodes->order[i]] = (uint32_t)i;
    number_frames(nodes, uses, frames);
    count_marks(nodes, cells);
}

void page_nodes_free(struct page_nodes *nodes)
{
    free(nodes->order);
    free(nodes->number);
    free(nodes->frames);
    free(nodes->frame);
    free(nodes->marks);
}

static bool has_mark(const struct page_nodes *nodes, size_t node)
{
    return nodes->marks[node + 1] > nodes->marks[node];
}

void page_nodes_put(const struct page_nodes *nodes, uint64_t unit,
                    struct node_columns *ret)
{
    size_t count = nodes->tree->nodes.count;
    uint32_t *depths SCOPE_FREE = must(calloc(count, sizeof(*depths)));

    for ( size_t i = 1; i < count; i++ )
    {
        const struct node *node = tree_node(nodes->tree, nodes->order[i]);
        uint64_t value = node->key.value;
        bool leaf = !tree_children(nodes->tree, node);

        depths[i] = depths[nodes->number[node->key.parent]] + 1;
        planes_put(&ret->ups, depths[i - 1] + 1 - depths[i]);
        planes_put(&ret->values,
                   node->key.kind == NODE_FRAME ? nodes->frame[value] : value);
        planes_put(&ret->marks, has_mark(nodes, i) != leaf);
        if ( has_mark(nodes, i) )
            planes_put(&ret->times,
                       (tree_self(nodes->tree, node).time + unit / 2) / unit);
    }
}

void page_columns_put(struct node_columns *columns, struct bytes *ret)
{
    bytes_planes(ret, &columns->ups);
    bytes_planes(ret, &columns->values);
    bytes_planes(ret, &columns->marks);
    bytes_planes(ret, &columns->times);
}
