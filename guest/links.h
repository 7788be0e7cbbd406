/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel's interrupt and exception stacks say which stack they were
 * entered from: data for Xen, which reads the second window there.
 */
#ifndef XENOPROF_GUEST_LINKS_H
#define XENOPROF_GUEST_LINKS_H

#include <stdint.h>

#define GUEST_LINKS_MAX 4u

/*
 * The distances from a stack's end, in bytes and in the order in which they
 * are to be tried, at which a 64-bit Linux of that version keeps the stack
 * pointer of the stack before.  Returns how many; 0: it has none that can be
 * found.
 */
unsigned int guest_links(unsigned int major, unsigned int minor,
                         uint16_t ret[GUEST_LINKS_MAX]);

#endif
