/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ceiling on what this process allocates, which Linux holds: whatever a file
 * makes it ask for, an allocation beyond it returns NULL.
 */
#ifndef XENOPROF_BASE_MEMORY_LIMIT_H
#define XENOPROF_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_LIMIT_DEFAULT (1ull << 30)

/* Allows so many bytes more than are allocated now; 0 lifts the ceiling.
 * Returns false with errno if Linux refuses. */
bool memory_limit(uint64_t bytes);

/* From here on what is large goes back to Linux when it is freed, and grows
 * without a copy.  For programs whose tables are most of their memory: there
 * are no holes where smaller ones were. */
void memory_give_back(void);

/* Returns the ceiling, or 0 if there is none. */
uint64_t memory_limit_now(void);

/* Puts the bytes of a text such as 512M into *ret: a number and K, M, G or
 * nothing.  Returns false if it is not one, is 0, or is over a PiB. */
bool memory_size_parse(const char *text, uint64_t *ret);

#endif
