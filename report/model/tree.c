/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

const struct tree_plan tree_by_domain = {
    .order = TREE_CALLEES,
    .groups = {.label = {LABEL_DOMAIN}, .count = 1},
};

/* The node at which the stack of a cell ends: found once for all cells that
 * are alike in what the tree tells apart. */
struct joint {
    struct {
        uint32_t group; /* node of the last group */
        uint32_t chain;
    } key;
    uint32_t node; /* number + 1; 0: not known yet */
};

struct tree_builder {
    struct tree *tree;
    const struct stacks *stacks;
    const struct tree_plan *plan;
};

#define NODE_NONE UINT32_MAX

/* The child of a node; NODE_NONE if there is no memory. */
static uint32_t step(struct tree *tree, uint32_t parent, uint32_t kind,
                     uint64_t value)
{
    struct node key, *node;

    memset(&key, 0, sizeof(key));
    key.key.parent = parent;
    key.key.kind = kind;
    key.key.value = value;
    node = table_put(&tree->nodes, &key);
    return node ? (uint32_t)table_index(&tree->nodes, node) : NODE_NONE;
}

/* Index of the first frame of a chain that is a pivot, or its count. */
static uint32_t find_pivot(const struct tree_builder *builder,
                           const struct chain *chain)
{
    const uint32_t *frames = chain_frames(builder->stacks, chain);
    uint32_t at = 0;

    while ( at < chain->count && !builder->plan->pivots[frames[at]] )
        at++;
    return at;
}

/* Whether the tree has a stack at all. */
static bool wanted(const struct tree_builder *builder, uint32_t chain)
{
    const struct chain *found = stacks_chain(builder->stacks, chain);

    return !builder->plan->pivots || find_pivot(builder, found) < found->count;
}

static uint32_t descend(const struct tree_builder *builder, uint32_t node,
                        const struct chain *chain)
{
    const uint32_t *frames = chain_frames(builder->stacks, chain);
    uint32_t from = 0, to = chain->count;

    if ( builder->plan->pivots && builder->plan->order == TREE_CALLEES )
        from = find_pivot(builder, chain);
    else if ( builder->plan->pivots )
        to = find_pivot(builder, chain) + 1;
    for ( uint32_t i = from; i < to && node != NODE_NONE; i++ )
        node = step(
            builder->tree, node, NODE_FRAME,
            frames[builder->plan->order == TREE_CALLEES ? i
                                                        : from + to - 1 - i]);
    return node;
}

/* The node of a cell's groups; NODE_NONE if there is no memory. */
static uint32_t find_group(const struct tree_builder *builder,
                           const struct cell *cell)
{
    const struct label_list *groups = &builder->plan->groups;
    uint32_t node = NODE_ROOT;

    for ( size_t i = 0; i < groups->count && node != NODE_NONE; i++ )
        node = step(builder->tree, node, groups->label[i],
                    label_value(cell, groups->label[i]));
    return node;
}

static bool find_node(const struct tree_builder *builder, struct joint *joint)
{
    uint32_t node = descend(builder, joint->key.group,
                            stacks_chain(builder->stacks, joint->key.chain));

    joint->node = node + 1;
    return node != NODE_NONE;
}

static bool add_cell(const struct tree_builder *builder,
                     const struct cell *cell)
{
    struct joint key = {.key = {find_group(builder, cell), cell->chain}};
    struct joint *joint;
    struct node *node;

    if ( key.key.group == NODE_NONE )
        return false;
    joint = table_put(&builder->tree->joints, &key);
    if ( !joint || (!joint->node && !find_node(builder, joint)) )
        return false;
    node = table_at(&builder->tree->nodes, joint->node - 1);
    amount_add(&node->self, cell_amount(cell));
    return true;
}

/* Children are made after their parents, so the last comes first. */
static void sum_up(struct tree *tree)
{
    for ( size_t i = tree->nodes.count; i-- > 0; )
    {
        struct node *node = table_at(&tree->nodes, i);
        struct node *parent = table_at(&tree->nodes, node->key.parent);

        amount_add(&node->total, node->self);
        if ( i == NODE_ROOT )
            continue;
        amount_add(&parent->total, node->total);
        parent->count++;
    }
}

static int compare_children(const void *left, const void *right, void *argument)
{
    const struct tree *tree = argument;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct amount *x = &tree_node(tree, a)->total;
    const struct amount *y = &tree_node(tree, b)->total;

    if ( x->time != y->time )
        return x->time < y->time ? 1 : -1;
    if ( x->samples != y->samples )
        return x->samples < y->samples ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

static bool sort_children(struct tree *tree)
{
    uint32_t first = 0;

    tree->children = calloc(tree->nodes.count, sizeof(*tree->children));
    if ( !tree->children )
        return false;
    for ( size_t i = 0; i < tree->nodes.count; i++ )
    {
        struct node *node = table_at(&tree->nodes, i);

        node->first = first;
        first += node->count;
        node->count = 0;
    }
    for ( size_t i = NODE_ROOT + 1; i < tree->nodes.count; i++ )
    {
        const struct node *node = table_at(&tree->nodes, i);
        struct node *parent = table_at(&tree->nodes, node->key.parent);

        tree->children[parent->first + parent->count++] = (uint32_t)i;
    }
    for ( size_t i = 0; i < tree->nodes.count; i++ )
    {
        const struct node *node = table_at(&tree->nodes, i);

        if ( node->count > 1 )
            qsort_r(tree->children + node->first, node->count,
                    sizeof(*tree->children), compare_children, tree);
    }
    return true;
}

static bool add_root(struct tree *tree)
{
    struct node root;

    memset(&root, 0, sizeof(root));
    root.key.kind = NODE_ALL; /* or the first domain would be it */
    return table_put(&tree->nodes, &root);
}

bool tree_build(struct tree *tree, const struct loaded *loaded,
                const struct stacks *stacks, const struct tree_plan *plan)
{
    const struct tree_builder builder = {tree, stacks, plan};

    *tree = (struct tree){.time_all = 0};
    table_init(&tree->nodes, sizeof(((struct node *)0)->key),
               sizeof(struct node));
    table_init(&tree->joints, sizeof(((struct joint *)0)->key),
               sizeof(struct joint));
    if ( !add_root(tree) )
        return false;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        tree->time_all += cell->time;
        if ( !cell->dropped && wanted(&builder, cell->chain) &&
             !add_cell(&builder, cell) )
            return false;
    }
    table_free(&tree->joints);
    sum_up(tree);
    return sort_children(tree);
}

void tree_free(struct tree *tree)
{
    table_free(&tree->nodes);
    table_free(&tree->joints);
    free(tree->children);
}
