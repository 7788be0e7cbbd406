/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel's code loads most often, without a symbol: a second source for
 * where it keeps things.
 *
 *   mov gs:X, %reg              per-CPU words: most often the canary, then the
 *                               current task
 *   add or mov X(,%reg,8)       tables: most often of processors' areas
 *
 * Only a part of the code is read, in pieces over all of it.  Bytes that look
 * like such an instruction by chance are few.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_CODE_LOADS_H
#define XENOPROF_GUEST_LINUX_TASKS_CODE_LOADS_H

#include "guest/memory.h"

#define CODE_LOADS_KEPT   256u /* different ones */
#define CODE_LOADS_PIECES 128u
#define CODE_LOADS_PIECE  4096u

struct load_count {
    uint64_t value;
    uint32_t count;
};

struct load_counts {
    struct load_count item[CODE_LOADS_KEPT];
    uint32_t used;
};

struct code_loads {
    struct load_counts gs;    /* values are added to the base of gs */
    struct load_counts table; /* addresses */
};

/* Counts the loads of some code, which lies at address. */
void code_loads_count(struct code_loads *loads, const uint8_t *code,
                      size_t size, uint64_t address);
/* Reads and counts pieces of the code from start to end; *loads was empty. */
void code_loads_read(struct code_loads *loads, struct guest_memory *memory,
                     uint64_t start, uint64_t end);

/* Returns how often a value was loaded. */
uint32_t load_counts_of(const struct load_counts *counts, uint64_t value);
/* Returns what was loaded most often but for some values; count is 0 if that
 * is nothing. */
struct load_count load_counts_top(const struct load_counts *counts,
                                  const uint64_t *without, size_t number);

#endif
