/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree as the page has it: nodes in the order of a walk from the root, each
 * before those below it; frames by how often they are used, so that common
 * frames have small numbers.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_NODES_H
#define XENOPROF_REPORT_PAGE_PAGE_NODES_H

#include "bytes.h"
#include "report/picture/flame.h"
#include "report/model/tree.h"

struct page_nodes {
    const struct tree *tree;
    uint32_t *order;  /* nodes of the tree, as the page counts them */
    uint32_t *number; /* of each node of the tree: its index in order */
    uint32_t *frames; /* of stacks, as the page counts them */
    uint32_t *frame;  /* of each of stacks: its index in frames */
    size_t frame_count;
    /* Of each node, in that order: how many before it have marks, and how many
     * all of them, after the last.  A mark has what has time of its own, or is
     * a cell's end; and the root. */
    uint32_t *marks;
};

/* Of all nodes but the root. */
struct node_columns {
    struct planes ups;    /* how many levels up from the node before, 0: it is
                           * below that */
    struct planes values; /* the node's domain or frame */
    struct planes marks;  /* whether what has none below has no mark; of the
                           * others, whether they have one */
    struct planes times;  /* of those with marks: its own time, or amount */
};

/* The tree is of so many cells, and has ends.  page_nodes_free() in any
 * case. */
void page_nodes_build(struct page_nodes *nodes, const struct tree *tree,
                      const struct stacks *stacks, size_t cells);
void page_nodes_free(struct page_nodes *nodes);

/* Times are in units of so many.  *ret is zeroed by the caller. */
void page_nodes_put(const struct page_nodes *nodes, uint64_t unit,
                    struct node_columns *ret);
/* Append them as sections: they are empty then. */
void page_columns_put(struct node_columns *columns, struct bytes *ret);

/* Fill ret with all nodes of a tree of so many, in the order of a walk from the
 * root, each before those below it. */
void page_walk(const struct flame_look *look, const void *data, size_t nodes,
               uint32_t *ret);

#endif
