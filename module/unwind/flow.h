/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows the flow of all functions until nothing new is learnt: the frame
 * before each instruction, and which functions never return.
 */
#ifndef XENOPROF_MODULE_UNWIND_FLOW_H
#define XENOPROF_MODULE_UNWIND_FLOW_H

#include "stack-frame.h"
#include "roles.h"

/*
 * Frames of code (one for each instruction) are filled in, but for those
 * marked as entry code or apart.  The work is bounded by the code's size.
 * Returns 0 or -ENOMEM.
 */
int unwind_follow(const struct listing *listing,
                  const struct unwind_fixups *fixups,
                  struct unwind_frame *frames);

/*
 * Symbols do not say whether they are functions.  One that is come to from
 * right before it, with something on the stack, is a label: its mark is taken
 * away.  Returns how many; the flow must be followed again if there are any.
 */
size_t unwind_drop_labels(struct listing *listing,
                          const struct unwind_frame *frames);

#endif
