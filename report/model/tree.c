/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

const struct tree_plan tree_by_domain = {
    .order = TREE_CALLEES,
    .groups = {.label = {LABEL_DOMAIN}, .count = 1},
};

struct tree_plan tree_by_labels(const struct label_list *groups)
{
    struct tree_plan plan = tree_by_domain;

    plan.bare = true;
    for ( size_t i = 0; i < groups->count; i++ )
        if ( groups->label[i] != LABEL_DOMAIN )
            plan.groups.label[plan.groups.count++] = groups->label[i];
    return plan;
}

/* The node at which the stack of a cell ends: found once for all cells that
 * are alike in what the tree tells apart. */
struct joint {
    struct {
        uint32_t group; /* node of the last group */
        uint32_t chain;
    } key;
    uint32_t node; /* number + 1; 0: not known yet */
};

/* Likewise, by chain, for the groups that came first: most trees have few. */
struct group_ends {
    uint32_t group;
    uint32_t *nodes; /* as in struct joint; NULL: no group yet */
};

#define GROUPS_FIRST 8u
#define LATELY       64u /* groups that are found without a search */

struct tree_builder {
    struct tree *tree;
    const struct stacks *stacks;
    const struct tree_plan *plan;
    const struct table *cells;
    struct group_ends groups[GROUPS_FIRST];
    struct {
        uint32_t parent, kind;
        uint64_t value;
        uint32_t node; /* NODE_ROOT: nothing is noted */
    } lately[LATELY];  /* nodes of groups */
};

/* The child of a node. */
static uint32_t step(struct tree *tree, uint32_t parent, uint32_t kind,
                     uint64_t value)
{
    struct node key, *node;

    memset(&key, 0, sizeof(key));
    key.key.parent = parent;
    key.key.kind = kind;
    key.key.value = value < VALUE_NONE ? (uint32_t)value : VALUE_NONE;
    node = must(table_put(&tree->nodes, &key));
    return (uint32_t)table_index(&tree->nodes, node);
}

/* The same of a frame.  Most nodes have one such child: end says which, while a
 * tree is built. */
static uint32_t step_to_frame(struct tree *tree, uint32_t parent,
                              uint32_t frame)
{
    struct table *nodes = &tree->nodes;
    const struct node key = {.key = {parent, NODE_FRAME, frame}};
    struct node *from = table_at(nodes, parent);

    return (uint32_t)table_index(
        nodes, must(table_put_only(nodes, &from->end, &key, 0)));
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

/* The same of a group, of which most cells' was another one's just before. */
static uint32_t step_to_group(struct tree_builder *builder, uint32_t parent,
                              uint32_t kind, uint64_t value)
{
    typeof(&builder->lately[0]) known =
        &builder->lately[(parent * 7 + value) % LATELY];

    if ( known->node == NODE_ROOT || known->parent != parent ||
         known->kind != kind || known->value != value )
    {
        known->node = step(builder->tree, parent, kind, value);
        known->parent = parent;
        known->kind = kind;
        known->value = value;
    }
    return known->node;
}

/* The node of a cell's groups. */
static uint32_t find_group_node(struct tree_builder *builder,
                                const struct cell *cell)
{
    const struct label_list *groups = &builder->plan->groups;
    size_t levels = builder->plan->bare && cell->key.domain == DOMAIN_INDEX_IDLE
                        ? 1
                        : groups->count;
    uint32_t node = NODE_ROOT;

    for ( size_t i = 0; i < levels; i++ )
    {
        uint64_t value = label_value(cell, groups->label[i]);

        if ( value != LABEL_NONE || !builder->plan->bare )
            node = step_to_group(builder, node, groups->label[i], value);
    }
    return node;
}

static struct joint *put_joint(const struct tree_builder *builder,
                               uint32_t group, uint32_t chain)
{
    const struct joint key = {.key = {group, chain}};

    return must(table_put(&builder->tree->joints, &key));
}

/* Returns the nodes of chains below a group, or NULL if it is not among the
 * first ones, if the tree has few cells, or if there is no memory for them: a
 * joint takes less. */
static uint32_t *group_nodes(struct tree_builder *builder, uint32_t group)
{
    struct group_ends *ends = builder->groups;
    size_t at = 0;

    if ( builder->plan->only && builder->plan->only->few )
        return NULL;
    while ( at < GROUPS_FIRST && ends[at].nodes && ends[at].group != group )
        at++;
    if ( at == GROUPS_FIRST )
        return NULL;
    if ( !ends[at].nodes )
        ends[at] = (struct group_ends){
            group,
            calloc(builder->stacks->chains.count, sizeof(*ends[at].nodes))};
    return ends[at].nodes;
}

/* Returns where to note a chain's node; good until the next call.  nodes are
 * the group's. */
static uint32_t *chain_node(struct tree_builder *builder, uint32_t *nodes,
                            uint32_t group, uint32_t chain)
{
    return nodes ? &nodes[chain] : &put_joint(builder, group, chain)->node;
}

/* Returns the node of a chain below a group; where stacks are drawn as they
 * are, that is a child of its parent's, so each is looked for once. */
static uint32_t find_callee(struct tree_builder *builder, uint32_t group,
                            uint32_t chain)
{
    struct tree *tree = builder->tree;
    struct node key = {.key = {.kind = NODE_FRAME}};
    uint32_t *nodes = group_nodes(builder, group), *known, node = group;
    uint32_t *path = builder->stacks->path.items; /* what has no node yet */
    size_t count = 0;

    for ( ; chain != CHAIN_EMPTY;
          chain = stacks_chain(builder->stacks, chain)->key.parent )
    {
        known = chain_node(builder, nodes, group, chain);
        if ( *known )
        {
            node = *known - 1;
            break;
        }
        path[count++] = chain;
    }
    while ( count )
    {
        chain = path[--count];
        key.key.parent = node;
        key.key.value = stacks_chain(builder->stacks, chain)->key.frame;
        /* The parent has no child of it yet. */
        node = (uint32_t)table_index(&tree->nodes,
                                     must(table_append(&tree->nodes, &key)));
        *chain_node(builder, nodes, group, chain) = node + 1;
    }
    return node;
}

/* The same for a chain that is turned round, or drawn in part. */
static uint32_t find_node(struct tree_builder *builder, uint32_t group,
                          uint32_t chain)
{
    const struct tree_plan *plan = builder->plan;
    const struct chain *found = stacks_chain(builder->stacks, chain);
    uint32_t *known = chain_node(builder, group_nodes(builder, group), group,
                                 chain);
    const uint32_t *frames;
    uint32_t from = 0, to = found->count, node = group;

    if ( *known )
        return *known - 1;
    frames = chain_frames(builder->stacks, found);
    if ( plan->pivots && plan->order == TREE_CALLEES )
        from = find_pivot(builder, found);
    else if ( plan->pivots )
        to = find_pivot(builder, found) + 1;
    for ( uint32_t i = from; i < to; i++ )
        node = step_to_frame(
            builder->tree, node,
            frames[plan->order == TREE_CALLEES ? i : from + to - 1 - i]);
    *known = node + 1;
    return node;
}

/* Children are made after their parents, so the last comes first. */
static void sum_subtrees(struct tree *tree)
{
    for ( size_t i = 0; i < tree->nodes.count; i++ )
        ((struct node *)table_at(&tree->nodes, i))->end = 0;
    for ( size_t i = tree->nodes.count; i-- > NODE_ROOT + 1; )
    {
        const struct node *node = table_at(&tree->nodes, i);
        struct node *parent = table_at(&tree->nodes, node->key.parent);

        amount_add(&parent->total, node->total);
        parent->end++; /* how many it has, as yet */
    }
}

struct amount tree_self(const struct tree *tree, const struct node *node)
{
    struct amount self = node->total;

    for ( uint32_t i = 0; i < tree_children(tree, node); i++ )
    {
        const struct node *child = tree_node(tree, tree_child(tree, node, i));

        self.samples -= child->total.samples;
        self.time -= child->total.time;
    }
    return self;
}

struct children_order {
    const struct tree *tree;
    const struct stacks *stacks;
};

static bool is_absent_child(const struct children_order *order, uint32_t number)
{
    const struct node *node = tree_node(order->tree, number);

    return node->key.kind == NODE_FRAME &&
           frame_is_absent(stacks_frame(order->stacks, node->key.value));
}

static int compare_tree_children(const void *left, const void *right,
                                 void *argument)
{
    const struct children_order *order = argument;
    const struct tree *tree = order->tree;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct amount *x = &tree_node(tree, a)->total;
    const struct amount *y = &tree_node(tree, b)->total;

    if ( is_absent_child(order, a) != is_absent_child(order, b) )
        return is_absent_child(order, a) ? 1 : -1;
    if ( x->time != y->time )
        return x->time < y->time ? 1 : -1;
    if ( x->samples != y->samples )
        return x->samples < y->samples ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

/* Puts the children of each node together: end, which was how many a node has,
 * is where they begin, and then, once all are there, where they end. */
static void gather_children(struct tree *tree)
{
    uint32_t first = 0;

    for ( size_t i = 0; i < tree->nodes.count; i++ )
    {
        struct node *node = table_at(&tree->nodes, i);
        uint32_t count = node->end;

        node->end = first;
        first += count;
    }
    for ( size_t i = NODE_ROOT + 1; i < tree->nodes.count; i++ )
    {
        const struct node *node = table_at(&tree->nodes, i);
        struct node *parent = table_at(&tree->nodes, node->key.parent);

        tree->children[parent->end++] = (uint32_t)i;
    }
}

static void sort_tree_children(struct tree *tree, const struct stacks *stacks)
{
    struct children_order order = {tree, stacks};

    tree->children = must(calloc(tree->nodes.count, sizeof(*tree->children)));
    gather_children(tree);
    for ( size_t i = 0; i < tree->nodes.count; i++ )
    {
        const struct node *node = table_at(&tree->nodes, i);
        uint32_t count = tree_children(tree, node);

        if ( count > 1 )
            qsort_r(tree->children + tree_first(tree, node), count,
                    sizeof(*tree->children), compare_tree_children, &order);
    }
}

static void take_cell(struct tree_builder *builder, const struct cell *cell)
{
    const struct tree_plan *plan = builder->plan;
    const struct chain *chain = stacks_chain(builder->stacks, cell->chain);
    uint32_t group, number;
    struct node *node;

    builder->tree->time_all += cell->time;
    /* Stacks without a pivot are not in the tree at all. */
    if ( cell->dropped ||
         (plan->pivots && find_pivot(builder, chain) == chain->count) )
        return;
    group = find_group_node(builder, cell);
    if ( plan->shallow )
        number = group;
    else if ( !plan->pivots && plan->order == TREE_CALLEES )
        number = find_callee(builder, group, cell->chain);
    else
        number = find_node(builder, group, cell->chain);
    node = table_at(&builder->tree->nodes, number);
    amount_add(&node->total, cell_amount(cell));
    if ( builder->tree->ends )
        builder->tree->ends[table_index(builder->cells, cell)] = number;
}

void tree_build(struct tree *tree, const struct loaded *loaded,
                const struct stacks *stacks, const struct tree_plan *plan)
{
    struct tree_builder builder = {
        .tree = tree, .stacks = stacks, .plan = plan, .cells = &loaded->cells};
    const struct cell_row *only = plan->only;
    struct node root;

    *tree = (struct tree){.time_all = 0};
    table_init(&tree->nodes, sizeof(((struct node *)0)->key),
               sizeof(struct node));
    table_init(&tree->joints, sizeof(((struct joint *)0)->key),
               sizeof(struct joint));
    if ( plan->ends )
        tree->ends = must(calloc(loaded->cells.count + 1, sizeof(*tree->ends)));
    memset(&root, 0, sizeof(root));
    root.key.kind = NODE_ALL; /* or the first domain would be it */
    must(table_put(&tree->nodes, &root));
    for ( uint32_t i = only ? only->first : 0; i; i = only->next[i - 1] )
        take_cell(&builder, table_at(&loaded->cells, i - 1));
    for ( size_t i = 0; !only && i < loaded->cells.count; i++ )
        take_cell(&builder, table_at(&loaded->cells, i));
    table_free(&tree->joints);
    for ( size_t i = 0; i < GROUPS_FIRST; i++ )
        free(builder.groups[i].nodes);
    sum_subtrees(tree);
    sort_tree_children(tree, stacks);
}

void tree_free(struct tree *tree)
{
    table_free(&tree->nodes);
    free(tree->ends);
    free(tree->children);
}
