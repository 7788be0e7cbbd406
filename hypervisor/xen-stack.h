/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's own stack, by the unwind table.
 *
 * Only addresses of known text come out of it, never a word of the stack that
 * is something else, and it never goes on by guessing: a frame whose caller is
 * not certain is the last one.
 */
#ifndef XENOPROF_HYPERVISOR_XEN_STACK_H
#define XENOPROF_HYPERVISOR_XEN_STACK_H

#include "unwind-check.h"

/*
 * The chain of start, as struct xenoprof_chain has it, into at most room
 * frames.  Returns how many; 1 at least, where room is.  *whole: the last one
 * was called by no function of Xen's: its caller is the guest, or it began an
 * empty stack.
 *
 * Reads only what port_xen_stack_of() says is a stack, and at most room times
 * 100 words of that.  [nmi]
 */
uint32_t xen_stack_walk(const struct unwind_table *table,
                        const struct port_xen_stack *start, uint64_t *frames,
                        uint32_t room, bool *whole);

#endif
