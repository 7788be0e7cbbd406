/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stacks a session records: the value of --stacks.
 */
#ifndef XENOPROF_CONTROL_STACK_CHOICE_H
#define XENOPROF_CONTROL_STACK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stack_choice {
    STACKS_NONE = 0,
    STACKS_XEN = 1u << 0,    /* the hypervisor's own */
    STACKS_KERNEL = 1u << 1, /* of guests' kernels */
    STACKS_USER = 1u << 2    /* of processes in active domains */
};

#define STACKS_DEFAULT (STACKS_XEN | STACKS_KERNEL)

/* "none", or words joined by commas.  False if it is neither; then *ret is as
 * it was. */
bool stack_choice_parse(const char *text, unsigned int *ret);

/* The same words, in a fixed order; false if they do not fit. */
bool stack_choice_format(unsigned int choice, char *text, size_t size);

/* The parts of a sample that hold them: enum xenoprof_part. */
uint32_t stack_choice_parts(unsigned int choice);

#endif
