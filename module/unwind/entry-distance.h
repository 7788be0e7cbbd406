/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's entry code is written by hand.  It begins with rsp anywhere in a
 * cpu_user_regs, which it builds or takes down, and calls C functions with rsp
 * at the start of that structure.  Those calls give the distance of rsp from
 * the structure everywhere else, forwards and backwards along the flow.
 */
#ifndef XENOPROF_MODULE_UNWIND_ENTRY_DISTANCE_H
#define XENOPROF_MODULE_UNWIND_ENTRY_DISTANCE_H

#include "stack-frame.h"

/* Fills in the frames of the instructions with the role ENTRY. Returns 0 or
 * -ENOMEM. */
int unwind_follow_entry(const struct listing *listing,
                        struct unwind_frame *frames);

#endif
