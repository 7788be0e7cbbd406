/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's entry code, written by hand: it is entered with rsp anywhere in a
 * cpu_user_regs that it builds, or takes down, and calls C functions with rsp
 * at its beginning.  From these calls, forwards and backwards along the flow,
 * follows how far away it lies everywhere else.
 */
#ifndef XENOPROF_MODULE_UNWIND_ENTRY_DISTANCE_H
#define XENOPROF_MODULE_UNWIND_ENTRY_DISTANCE_H

#include "stack-frame.h"

/* Frames of the instructions that are marked as entry code.  Returns 0 or
 * -ENOMEM. */
int unwind_follow_entry(const struct listing *listing,
                        struct unwind_frame *frames);

#endif
