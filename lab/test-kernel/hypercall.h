/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_LAB_TEST_KERNEL_HYPERCALL_H
#define XENOPROF_LAB_TEST_KERNEL_HYPERCALL_H

#include <stdbool.h>
#include <stdint.h>

/* Finds Xen by CPUID and asks for the page of calls. False: not on Xen. */
bool hypercalls_init(void);

/* The address to call for a hypercall, in the page that Xen filled. */
const void *hypercall_entry(unsigned int number);

struct hypercall_arguments {
    unsigned long a[5];
};

/* What Xen returns: for most calls 0 or more, or a negative error number. */
long hypercall(unsigned int number, const struct hypercall_arguments *with);

#define HYPERCALL(number, ...)                                                 \
    hypercall(number, &(struct hypercall_arguments){{__VA_ARGS__}})

#endif /* XENOPROF_LAB_TEST_KERNEL_HYPERCALL_H */
