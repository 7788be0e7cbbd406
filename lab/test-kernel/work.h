/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAB_TEST_KERNEL_WORK_H
#define LAB_TEST_KERNEL_WORK_H

/*
 * Known work for a profiler to find: outer() calls middle(), which calls
 * leaf(), where nearly all of the time goes. Returns what leaf() counted.
 */
unsigned long outer(unsigned long rounds);

/* The same number of calls into Xen, of the cheapest kind. */
void hypercalls(unsigned long rounds);

#endif /* LAB_TEST_KERNEL_WORK_H */
