/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/must.h"
#include "diff.h"

#include "base/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one side takes while it is added. */
struct diff_tree_side {
    struct diff_tree *diff;
    const struct report *report;
    const struct tree *tree;
    struct frame_texts texts;
    uint32_t *number; /* by the side's node: the diff's */
    uint32_t *frames; /* by the side's frame: the diff's + 1; 0: not asked */
    unsigned int side;
};

static void find_value(struct diff_tree_side *from, const struct node *node,
                       uint64_t *ret)
{
    struct diff_names *names = &from->diff->names;
    uint32_t number = 0, *known;

    if ( node->key.kind != NODE_FRAME )
    {
        diff_names_label(names, from->report->loaded,
                         (enum label)node->key.kind, node_value(node), &number);
        *ret = number;
        return;
    }
    known = &from->frames[node->key.value];
    if ( !*known )
    {
        diff_names_frame(names, &from->texts, (uint32_t)node->key.value, known);
        ++*known;
    }
    *ret = *known - 1;
}

static void add_diff_node(struct diff_tree_side *from, uint32_t number)
{
    const struct node *node = tree_node(from->tree, number);
    struct diff_node key, *found;

    memset(&key, 0, sizeof(key));
    if ( number != NODE_ROOT )
    {
        key.key.parent = from->number[node->key.parent];
        key.key.kind = node->key.kind;
        find_value(from, node, &key.key.value);
    }
    found = must(table_put(&from->diff->nodes, &key));
    from->number[number] = (uint32_t)table_index(&from->diff->nodes, found);
    amount_add(&found->self[from->side], tree_self(from->tree, node));
    amount_add(&found->total[from->side], node->total);
}

static void add_tree_side(struct diff_tree *diff, const struct report *report,
                          const struct tree_plan *plan, unsigned int side)
{
    struct tree tree;
    struct diff_tree_side from = {
        .diff = diff, .report = report, .tree = &tree, .side = side};

    tree_build(&tree, report->loaded, report->stacks, plan);
    from.number = must(calloc(tree.nodes.count, sizeof(*from.number)));
    from.frames = must(
        calloc(report->stacks->frames.count + 1, sizeof(*from.frames)));
    frame_texts_init(&from.texts, report->loaded, report->stacks);
    for ( size_t i = 0; i < tree.nodes.count; i++ )
        add_diff_node(&from, (uint32_t)i);
    frame_texts_free(&from.texts);
    free(from.number);
    free(from.frames);
    tree_free(&tree);
    diff->whole[side] = diff_whole(report->loaded);
}

static double moved(const struct diff_node *node)
{
    return fabs(node->change.after - node->change.before);
}

/* Children come after their parents. */
static void find_swings(struct diff_tree *diff)
{
    for ( size_t i = diff->nodes.count; i-- > 0; )
    {
        struct diff_node *node = table_at(&diff->nodes, i);
        struct diff_node *parent = table_at(&diff->nodes, node->key.parent);

        if ( moved(node) > node->swing )
            node->swing = moved(node);
        if ( i == NODE_ROOT )
            continue;
        if ( node->swing > parent->swing )
            parent->swing = node->swing;
        parent->count++;
    }
}

static void test_nodes(struct diff_tree *diff)
{
    size_t count = diff->nodes.count;
    struct change **changes SCOPE_FREE = must(calloc(count, sizeof(*changes)));

    for ( size_t i = 0; i < count; i++ )
    {
        struct diff_node *node = table_at(&diff->nodes, i);

        diff_test(diff->whole, diff->normalize, node->total, &node->change);
        changes[i] = &node->change;
    }
    /* The root is all there is, and its change says nothing. */
    noise_mark(changes + 1, count - 1);
    for ( size_t i = 0; i < count; i++ )
        diff->beyond += changes[i]->beyond;
}

static int compare_diff_children(const void *left, const void *right,
                                 void *argument)
{
    const struct diff_tree *diff = argument;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct diff_node *x = diff_tree_node(diff, a);
    const struct diff_node *y = diff_tree_node(diff, b);

    if ( x->swing != y->swing )
        return x->swing < y->swing ? 1 : -1;
    if ( moved(x) != moved(y) )
        return moved(x) < moved(y) ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

static void sort_diff_children(struct diff_tree *diff)
{
    uint32_t first = 0;

    diff->children = must(calloc(diff->nodes.count, sizeof(*diff->children)));
    for ( size_t i = 0; i < diff->nodes.count; i++ )
    {
        struct diff_node *node = table_at(&diff->nodes, i);

        node->first = first;
        first += node->count;
        node->count = 0;
    }
    for ( size_t i = NODE_ROOT + 1; i < diff->nodes.count; i++ )
    {
        const struct diff_node *node = table_at(&diff->nodes, i);
        struct diff_node *parent = table_at(&diff->nodes, node->key.parent);

        diff->children[parent->first + parent->count++] = (uint32_t)i;
    }
    for ( size_t i = 0; i < diff->nodes.count; i++ )
    {
        const struct diff_node *node = table_at(&diff->nodes, i);

        if ( node->count > 1 )
            qsort_r(diff->children + node->first, node->count,
                    sizeof(*diff->children), compare_diff_children, diff);
    }
}

void diff_tree_build(struct diff_tree *diff, const struct report *report,
                     const struct tree_plan *plan, enum normalize normalize)
{
    *diff = (struct diff_tree){.normalize = normalize};
    diff_names_init(&diff->names);
    table_init(&diff->nodes, sizeof(((struct diff_node *)0)->key),
               sizeof(struct diff_node));
    add_tree_side(diff, report->base, plan, 0);
    add_tree_side(diff, report, plan, 1);
    test_nodes(diff);
    find_swings(diff);
    sort_diff_children(diff);
}

void diff_tree_free(struct diff_tree *diff)
{
    diff_names_free(&diff->names);
    table_free(&diff->nodes);
    free(diff->children);
}
