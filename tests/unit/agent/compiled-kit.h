/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent knows of code that a process compiled itself, for walks of
 * stacks that were captured. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_COMPILED_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_COMPILED_KIT_H

#include "agent/jit-names.h"
#include "tests/unit/rows/capture-kit.h"

/* The rows of an image that is no file; NULL if there is none. */
struct row_table *kit_image_rows(uint64_t image);
/* Gives the mappings without a file the rows that they have.  Returns how many
 * have some. */
unsigned int kit_bind_compiled(struct captured_space *space,
                               struct jit_names *jits);
/* Returns the function that has that address, or NULL. */
const char *kit_compiled_name(struct jit_names *jits, pid_t pid,
                              uint64_t address);

#endif
