/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of Linux that its own ORC rows leave without a rule, describe as the
 * end of a stack although it is called, or describe as it is not.
 */
#ifndef XENOPROF_GUEST_LINUX_SPECIAL_CODE_H
#define XENOPROF_GUEST_LINUX_SPECIAL_CODE_H

#include "guest/stack-walk.h"

/* Returns what the function of this name is, mostly UNWIND_ORDINARY. */
enum unwind_special special_code_of(const char *name);

/* Returns how many words code in the hypercall page that Xen wrote for a PV
 * guest has pushed behind its return address. */
unsigned int hypercall_pushed(uint64_t ip);

/* An unwinder, for interrupted code only. */
enum unwind_end walk_by_special_code(struct stack_walk *walk);

#endif
