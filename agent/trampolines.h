/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trampolines of CPython (-X perf): memory full of copies of one piece of
 * code, one for each function of Python's, which calls the interpreter with it.
 * Nothing says how they are walked, but they are all alike, at equal distances;
 * and where they are is seen from what the process says for profilers.
 *
 * An image of them is a number that says all of it: which piece of code, how
 * far apart, how much memory.  So it is the same in all processes.
 */
#ifndef XENOPROF_AGENT_TRAMPOLINES_H
#define XENOPROF_AGENT_TRAMPOLINES_H

#include "base/buffer.h"
#include "jit-map.h"

/* Returns the image (with AGENT_IMAGE_NO_FILE) of this executable memory, from
 * its first byte on; or 0 if these functions do not say that it has trampolines
 * and nothing else. */
uint64_t trampolines_image(struct jit_map *map, uint64_t start, uint64_t end);

/* Appends the image's table of rows, as row_table_put() writes it.  Returns
 * false if there is no such image, or no memory. */
bool trampolines_rows(uint64_t image, struct buffer *ret);

#endif
