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
};

/* page_nodes_free() in any case. */
void page_nodes_build(struct page_nodes *nodes, const struct tree *tree,
                      const struct stacks *stacks);
void page_nodes_free(struct page_nodes *nodes);

/* Three columns, without the root: how many levels up from the node before (0:
 * it is below that node); its domain or frame; its own time, or amount, in
 * units of so many. */
void page_nodes_put(const struct page_nodes *nodes, uint64_t unit,
                    struct bytes *ups, struct bytes *values,
                    struct bytes *times);

/* Fill ret with all nodes of a tree of so many, in the order of a walk from the
 * root, each before those below it. */
void page_walk(const struct flame_look *look, const void *data, size_t nodes,
               uint32_t *ret);

#endif
