/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of calls as rows of text, of which parts are folded.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_TREE_H
#define XENOPROF_REPORT_BROWSE_BROWSE_TREE_H

#include "fold-rows.h"
#include "report/text/calls.h"

struct browse_tree {
    struct calls calls;
    struct outline outline;
    struct outline_rest rest; /* what is too small to have a row */
    struct fold_rows rows;
};

/* As the report's query has it; symbol: only stacks with such a function, from
 * there on.  tree is at one place until browse_tree_free(). */
void browse_tree_init(struct browse_tree *tree, const struct report *report,
                      enum tree_order order, const char *symbol);
void browse_tree_free(struct browse_tree *tree);

/* Opens what is heaviest, so that there are at most so many rows but for the
 * heaviest path. */
void browse_tree_unfold(struct browse_tree *tree, size_t most);

/* Returns the rows, with one for all that is small. */
size_t browse_tree_count(const struct browse_tree *tree);
/* Returns whether a row is a node's. */
static inline bool browse_tree_has(const struct browse_tree *tree, size_t row)
{
    return row < tree->rows.count;
}

/* Returns a line, malloc'ed: the title's, or a row's. */
char *browse_tree_title(const struct browse_tree *tree, const char *title);
char *browse_tree_line(struct browse_tree *tree, size_t row);

/* Returns a pattern that means the row's function, malloc'ed, or NULL if it is
 * none, or nobody knows which. */
char *browse_tree_symbol(const struct browse_tree *tree, size_t row);

#endif
