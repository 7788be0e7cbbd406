/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the flow of all functions until nothing changes: finds the frame
 * before each instruction, and the functions that never return. */
#ifndef XENOPROF_MODULE_UNWIND_FLOW_H
#define XENOPROF_MODULE_UNWIND_FLOW_H

#include "jump-tables.h"
#include "stack-frame.h"
#include "roles.h"

/*
 * Fills in the frames, one for each instruction, except where the role is ENTRY
 * or APART. The work is bounded by the size of the code.  Returns 0 or -ENOMEM.
 */
int unwind_follow(const struct listing *listing,
                  const struct unwind_fixups *fixups,
                  const struct jump_tables *tables,
                  struct unwind_frame *frames);

/*
 * Symbols do not say whether they are functions.  A symbol that the instruction
 * before it reaches with something on the stack is a label, and loses the role
 * of a function.  Returns how many did; the flow must be followed again if any.
 */
size_t unwind_drop_labels(struct listing *listing,
                          const struct unwind_frame *frames);

#endif
