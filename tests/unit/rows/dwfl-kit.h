/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same stacks as elfutils' libdwfl walks them, from the same bytes. */
#ifndef XENOPROF_TESTS_DWFL_KIT_H
#define XENOPROF_TESTS_DWFL_KIT_H

#include "capture-kit.h"

struct dwfl_space;

/* Returns NULL if libdwfl cannot open what is mapped. */
struct dwfl_space *dwfl_space_open(const struct captured_space *space);
void dwfl_space_close(struct dwfl_space *space);

/* Frames of the chain, leaf first; of its end nothing is known. */
void dwfl_walk(struct dwfl_space *space, const struct captured_stack *stack,
               struct user_chain *ret);

#endif
