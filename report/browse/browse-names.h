/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows of a tree are open, and where the cursor is, by name: so they are
 * the same in a tree of the session that was read anew.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_NAMES_H
#define XENOPROF_REPORT_BROWSE_BROWSE_NAMES_H

#include "browse-tree.h"

/* Of open rows: fold_node_name(), in their order. */
struct browse_names {
    VECTOR(uint64_t);
    struct {
        VECTOR(uint64_t);
    } cursor; /* its row's name, behind those of the rows that it is in */
};

void browse_names_note(struct browse_names *names,
                       const struct browse_tree *tree, size_t cursor);
/* Opens the same rows.  Returns the cursor's row, or of what it is in the
 * innermost that is there. */
size_t browse_names_restore(const struct browse_names *names,
                            struct browse_tree *tree);
void browse_names_free(struct browse_names *names);

#endif
