/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions' own shares changed beyond noise between two sessions. */
#ifndef XENOPROF_REPORT_PAGE_DIFF_FUNCTIONS_H
#define XENOPROF_REPORT_PAGE_DIFF_FUNCTIONS_H

#include "report/model/diff.h"

struct diff_functions {
    struct amount (*amounts)[2]; /* of each frame itself, on each side */
    struct change *changes;      /* of each frame */
    size_t count;
};

/* Sums up the nodes of a tree that has been built, and tests all functions at
 * once.  diff_functions_free() in any case. */
void diff_functions_make(struct diff_functions *functions,
                         const struct diff_tree *diff);
void diff_functions_free(struct diff_functions *functions);

#endif
