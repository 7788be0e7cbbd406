/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's own stack, by the unwind table.
 *
 * Only addresses of known text come out, never another word of the stack, and
 * the walk never guesses: a frame whose caller is not certain is the last one.
 */
#ifndef XENOPROF_HYPERVISOR_XEN_STACK_H
#define XENOPROF_HYPERVISOR_XEN_STACK_H

#include "unwind-check.h"

/*
 * Writes the chain that begins at start, in the form of struct xenoprof_chain,
 * to at most room frames.  Returns their number, at least 1 if there is room.
 * *whole is true if the chain reached its root: the last frame was entered from
 * the guest, or began on an empty stack.
 *
 * Reads only what port_xen_stack_of() calls a stack, and at most room times 100
 * words of that.  [nmi]
 */
uint32_t xen_stack_walk(const struct unwind_table *table,
                        const struct port_xen_stack *start, uint64_t *frames,
                        uint32_t room, bool *whole);

#endif
