/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions without a meaning of their own: the thunks by which compiled code
 * calls and returns.  A sample in one of them is its caller's.
 */
#ifndef XENOPROF_REPORT_WHY_LEAVES_H
#define XENOPROF_REPORT_WHY_LEAVES_H

#include "report/model/stacks.h"

bool symbol_is_thunk(const char *symbol);
bool frame_is_thunk(const struct loaded *loaded, const struct frame *frame);

/* The number of the frame that a chain's own time belongs to: its leaf, or who
 * called that if it is a thunk.  The chain has frames. */
uint32_t chain_worker(const struct loaded *loaded, const struct stacks *stacks,
                      const struct chain *chain);

#endif
