/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's frames from its registers and raw pieces of its stack.
 *
 * Pure: reads only what it is given.  The guest wrote registers and bytes, so
 * the walk is bounded and trusts no length.  A chain that cannot go on ends
 * and says why; nothing in it is guessed.
 */
#ifndef XENOPROF_GUEST_UNWIND_H
#define XENOPROF_GUEST_UNWIND_H

#include "unwind-input.h"

/* The result has at least one frame, the leaf. */
void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret);

#endif
