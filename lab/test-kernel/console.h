/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_LAB_TEST_KERNEL_CONSOLE_H
#define XENOPROF_LAB_TEST_KERNEL_CONSOLE_H

#include <stdbool.h>

/* Finds the console's ring; needs hypercalls. False: the guest has none. */
bool console_init(void);

/* Writes text, waiting for dom0 while the ring is full. */
void print(const char *text);

/* Writes a number in decimal. */
void print_number(long value);

#endif /* XENOPROF_LAB_TEST_KERNEL_CONSOLE_H */
