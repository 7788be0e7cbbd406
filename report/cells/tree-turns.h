/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of which one part is in memory at a time: what is below one child of
 * the root, a domain most often.  Who prints one after the other needs no more.
 */
#ifndef XENOPROF_REPORT_CELLS_TREE_TURNS_H
#define XENOPROF_REPORT_CELLS_TREE_TURNS_H

#include "report/model/tree.h"

struct tree_turns {
    struct tree groups; /* the root and its children, with all that they have */
    uint32_t *first;    /* by node of these: the first of its cells */
    const struct loaded *loaded;
    const struct stacks *stacks;
    struct tree_plan plan; /* of the whole tree; it has groups */
};

/* All zero is free already.  tree_turns_free() in any case. */
void tree_turns_init(struct tree_turns *turns, const struct loaded *loaded,
                     const struct stacks *stacks, const struct tree_plan *plan);
void tree_turns_free(struct tree_turns *turns);

/* A tree of one child of the root, a node of turns->groups, with what is below
 * it; it is the only child there, too.  tree_free() in any case. */
void tree_turn(const struct tree_turns *turns, uint32_t group,
               struct tree *ret);

#endif
