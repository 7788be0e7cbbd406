/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A way to have guests' stacks walked, and what is counted of it. */
#ifndef XENOPROF_BENCH_PARSER_WAYS_H
#define XENOPROF_BENCH_PARSER_WAYS_H

#include "guest/unwind.h"

/* Counted in all processes, by wrappers of the C library's functions. */
struct counted_calls {
    uint64_t calls;  /* system calls */
    uint64_t clocks; /* readings that may be system calls on a PV dom0 */
};

struct cost_way {
    const char *name;
    /* Has so many guests' kernels found. */
    void (*begin)(unsigned int guests);
    /* A round of the daemon, a quarter of a second after the one before: each
     * guest has so many stacks more; number counts rounds. */
    void (*round)(unsigned int number, unsigned int guests,
                  unsigned int samples);
    /* Returns the ns that the processes worked so far. */
    uint64_t (*cpu)(void);
    void (*end)(void);
};

extern const struct cost_way cost_of_batches;

/* Of every guest: an address in its kernel, its memory, and its stacks. */
uint64_t cost_address(void);
size_t cost_read(uint64_t address, void *to, size_t size);
void cost_stack(unsigned int number, struct unwind_start *ret);
/* What is wrong with the frames ends the program. */
void cost_check(const struct unwind_result *frames);
void cost_must(bool condition, const char *what);

#endif
