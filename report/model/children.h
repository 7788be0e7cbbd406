/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of functions with what they took themselves, and with all that they
 * called: a sample counts once for each function in its stack.
 */
#ifndef XENOPROF_REPORT_MODEL_CHILDREN_H
#define XENOPROF_REPORT_MODEL_CHILDREN_H

#include "stacks.h"
#include "tree.h"

struct child_row {
    struct {
        uint64_t groups[LABELS]; /* values of labels that are no frame's */
        uint64_t frame;          /* number + 1; 0: no frame, as for idle */
    } key;
    struct amount self;
    struct amount total;
    uint64_t last; /* bundle that was counted last */
    bool absent;   /* no function, but callers that are not known */
};

struct children {
    struct table rows;               /* struct child_row */
    struct table bundles;            /* while it is built */
    const struct child_row **sorted; /* by total time, then by own; those
                                        that are absent are last */
    size_t functions;                /* that are not */
    uint64_t time_all;               /* of all cells */
    struct amount shown;             /* of those that are not dropped */
};

/* By those of labels that are no part of a frame.  children_free() in any
 * case. */
void children_build(struct children *children, const struct loaded *loaded,
                    const struct stacks *stacks,
                    const struct label_list *groups);
void children_free(struct children *children);

#endif
