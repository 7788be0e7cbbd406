/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree laid out for a picture: frames side by side, as wide as their time.
 * Idle time is left out unless it was asked for by --filter=mode=idle: on
 * most hosts it would leave no room for anything else.
 */
#ifndef XENOPROF_REPORT_FLAME_H
#define XENOPROF_REPORT_FLAME_H

#include "tree.h"
#include "views.h"

struct flame_frame {
    uint32_t node; /* of the tree */
    uint32_t depth;
    uint64_t start; /* ns from the left */
    uint64_t length;
};

struct flame {
    const struct tree *tree;
    struct flame_frame *frames; /* each before those that it called */
    size_t count, room;
    uint32_t rows;       /* levels, the root's included */
    uint64_t total;      /* ns that are drawn: the root's length */
    struct amount idle;  /* what is not, because nothing was done */
    size_t narrow;       /* frames left out with all that they called */
    uint64_t narrow_own; /* ns of these */
    uint64_t least;      /* ns below which a frame is left out */
};

/* Frames shorter than the part-th part of all are left out.  False if there
 * is no memory; flame_free() in any case. */
bool flame_build(struct flame *flame, const struct report *report,
                 const struct tree *tree, uint64_t part);
void flame_free(struct flame *flame);

/* What is drawn of a node's total. */
struct amount flame_amount(const struct flame *flame, const struct node *node);

#endif
