/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of a kernel that is built as programs are, such as a
 * unikernel: by the rows that its compiler wrote into its file.
 */
#ifndef XENOPROF_GUEST_WALK_AS_PROGRAM_H
#define XENOPROF_GUEST_WALK_AS_PROGRAM_H

#include "unwind-input.h"

/* The same as guest_unwind(), of code that has a space; start has registers,
 * and of its windows only the first is looked at. */
void walk_as_program(const struct unwind_code *code,
                     const struct unwind_start *start,
                     struct unwind_result *ret);

#endif
