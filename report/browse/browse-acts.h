/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be done in --browse, by key-table.def; browse_act_close() is what
 * "close" does, and so on.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_ACTS_H
#define XENOPROF_REPORT_BROWSE_BROWSE_ACTS_H

#include "browse-state.h"

typedef void browse_act(struct browse *browse);

#define BROWSE_KEY(act, first, second, third, keys, hint, help)                \
    browse_act browse_act_##act;
#include "key-table.def"
#undef BROWSE_KEY

/* Selects the domain that the cursor is at. */
void browse_choose_domain(struct browse *browse);
/* Leaves a page or a text, for what was shown before.  Returns whether there
 * was one. */
bool browse_leave(struct browse *browse);
/* Moves an end of the time that is chosen. */
void browse_move_time(struct browse *browse, long columns);
/* What was typed is taken, as the prompt asked for it. */
void browse_take_search(struct browse *browse);
void browse_take_time(struct browse *browse);

#endif
