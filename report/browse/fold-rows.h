/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a tree of which parts are folded, as an outline draws it
 * (report/text/outline.h): it goes to the right only where there are several
 * ways to go, and what is small has no row.  No screen is needed here.
 */
#ifndef XENOPROF_REPORT_BROWSE_FOLD_ROWS_H
#define XENOPROF_REPORT_BROWSE_FOLD_ROWS_H

#include "base/vector.h"
#include "report/text/outline.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLD_NONE        SIZE_MAX
#define FOLD_HIDDEN_MOST 9999u /* more rows are not counted */

struct fold_row {
    uint32_t node;
    uint32_t above; /* whose numbers it need not repeat; or node */
    size_t parent;  /* row; FOLD_NONE: it stands at the left */
    size_t branch;  /* nearest row above that is on a branch, or FOLD_NONE */
    bool on_branch; /* it hangs on a branch of its parent's, */
    bool last;      /* ... the last one */
};

struct fold_rows {
    const struct outline *outline;
    uint32_t root; /* it has no row */
    bool *open;    /* by node */
    uint32_t nodes;
    VECTOR(struct fold_row);
};

/* All is folded.  nodes: numbers are less than that.  fold_rows_free() in any
 * case; the outline is the caller's. */
void fold_rows_init(struct fold_rows *rows, const struct outline *outline,
                    uint32_t root, uint32_t nodes);
void fold_rows_free(struct fold_rows *rows);

/* Opens the heaviest path, from the heaviest row on that of first children, and
 * then what is
 * heaviest of what is folded as long as no more than most rows are there. */
void fold_rows_unfold(struct fold_rows *rows, size_t most,
                      double (*weight)(const struct outline *outline,
                                       uint32_t node));

/* Whether a row has rows below it if it is open. */
bool fold_row_opens(const struct fold_rows *rows, size_t row);
bool fold_row_is_open(const struct fold_rows *rows, size_t row);
/* Opens or folds a row; with all below it if all. */
void fold_row_set(struct fold_rows *rows, size_t row, bool open, bool all);
/* Returns how many rows are hidden in a row, at most FOLD_HIDDEN_MOST and
 * 1. */
size_t fold_row_hidden(const struct fold_rows *rows, size_t row);

/* Prints the row, with a mark before its name if it can be opened or folded. */
void fold_row_print(const struct fold_rows *rows, size_t row);

/* Returns the next row, or the one before, whose name is matched, after which
 * it is there: what it was folded in is open.  Goes on at the other end.
 * FOLD_NONE: none. */
size_t fold_rows_find(struct fold_rows *rows, size_t from, bool back,
                      bool (*match)(const void *context, const char *text),
                      const void *context);

/* Opens the nodes whose names is_open() says to be open, as far as they have a
 * row then: a name is made of its parent's and of the node's text; the root's
 * is 0. */
void fold_rows_open(struct fold_rows *rows,
                    bool (*is_open)(const void *context, uint64_t name),
                    const void *context);
/* Returns the name of a node, whose parent has that name. */
uint64_t fold_node_name(const struct fold_rows *rows, uint64_t parent,
                        uint32_t node);

/* Shows what is open as a copy of rows->open has it, of a tree with as many
 * nodes. */
void fold_rows_restore(struct fold_rows *rows, const bool *open);

#endif
