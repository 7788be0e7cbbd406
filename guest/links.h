/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel's stacks say which stack they were entered from: data for Xen,
 * which reads the second window, or the process's, there.
 */
#ifndef XENOPROF_GUEST_LINKS_H
#define XENOPROF_GUEST_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#define GUEST_LINKS_MAX 4u

/*
 * Returns how many links a 64-bit Linux of that version has, 0 if none can be
 * found.  A link is the distance in bytes from a stack's end to the stack
 * pointer of the stack before; *ret has them in the order to try them in.
 */
unsigned int guest_links(unsigned int major, unsigned int minor,
                         uint16_t ret[GUEST_LINKS_MAX]);

/*
 * Returns the distance from the end of a task's stack to the stack pointer of
 * the process that entered the kernel, 0 if it is not known; fred is
 * kernel_info's.
 */
unsigned int guest_user_link(unsigned int major, unsigned int minor, bool fred);

/* From the start of what an entry saves (struct pt_regs) to that word. */
#define GUEST_ENTRY_SP 152u

#endif
