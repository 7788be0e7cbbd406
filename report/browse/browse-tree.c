/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-tree.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/model/symbol-pivots.h"
#include "report/text/layout.h"

#include <string.h>

/* Counts what is small below all that has a row or could have one. */
static void leave_small_out(const struct outline *outline, uint32_t node)
{
    const struct outline_source *source = outline->source;

    for ( uint32_t i = 0; i < source->count(outline, node); i++ )
    {
        const uint32_t child = source->child(outline, node, i);

        if ( source->small(outline, child) )
            outline_leave_out(outline, child);
        else
            leave_small_out(outline, child);
    }
}

void browse_tree_init(struct browse_tree *tree, const struct report *report,
                      enum tree_order order, const char *symbol)
{
    bool any, *pivots SCOPE_FREE = symbol ? symbol_pivots(report->loaded,
                                                          report->stacks,
                                                          symbol, &any)
                                          : NULL;

    memset(tree, 0, sizeof(*tree));
    calls_init_whole(&tree->calls, report, order, pivots);
    tree->outline = calls_outline(&tree->calls, &tree->rest, NULL);
    leave_small_out(&tree->outline, NODE_ROOT);
    fold_rows_init(&tree->rows, &tree->outline, NODE_ROOT,
                   (uint32_t)tree->calls.tree.nodes.count);
}

void browse_tree_free(struct browse_tree *tree)
{
    fold_rows_free(&tree->rows);
    calls_free(&tree->calls);
}

/* Nobody looks for idle time. */
static double node_weight(const struct outline *outline, uint32_t node)
{
    const struct calls *calls = outline->data;

    if ( node_is_idle(tree_node(&calls->tree, node)) )
        return 0;
    return (double)tree_node(&calls->tree, node)->total.time;
}

void browse_tree_unfold(struct browse_tree *tree, size_t most)
{
    fold_rows_unfold(&tree->rows, most, node_weight);
}

size_t browse_tree_count(const struct browse_tree *tree)
{
    return tree->rows.count + (tree->rest.count > 0);
}

char *browse_tree_title(const struct browse_tree *tree, const char *title)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    calls_title(&tree->calls, title, file);
    return format_close(file, &text);
}

char *browse_tree_line(struct browse_tree *tree, size_t row)
{
    char *text = NULL;
    size_t size;

    tree->outline.file = must(open_memstream(&text, &size));
    tree->outline.width = tree->calls.report->layout->width;
    if ( browse_tree_has(tree, row) )
        fold_row_print(&tree->rows, row);
    else
        outline_print_rest(&tree->outline,
                           query_limit(tree->calls.report->query));
    return format_close(tree->outline.file, &text);
}

char *browse_tree_symbol(const struct browse_tree *tree, size_t row)
{
    const struct report *report = tree->calls.report;
    const struct node *node;

    if ( !browse_tree_has(tree, row) )
        return NULL;
    node = tree_node(&tree->calls.tree, tree->rows.items[row].node);
    if ( node->key.kind != NODE_FRAME )
        return NULL;
    return symbol_pattern(report->loaded,
                          stacks_frame(report->stacks, node->key.value));
}
