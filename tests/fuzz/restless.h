/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that changes its memory while it is read: of two reads of the same
 * place the second may differ, so that whoever reads a length twice, or looks
 * at a pointer and then reads it again, is found out.
 */
#ifndef XENOPROF_TESTS_FUZZ_RESTLESS_H
#define XENOPROF_TESTS_FUZZ_RESTLESS_H

#include "edits.h"
#include "guest/memory.h"

struct restless {
    struct guest_memory still; /* as it was before */
    unsigned int each, reads;
};

static inline size_t restless_read(void *self, uint64_t address, void *to,
                                   size_t size)
{
    struct restless *restless = self;
    const struct guest_memory *still = &restless->still;
    size_t got = still->read(still->self, address, to, size);
    uint32_t dice = ++restless->reads * 0x9e3779b1u;

    if ( got && !(restless->reads % restless->each) )
        ((uint8_t *)to)[(dice >> 8) % got] ^= (uint8_t)(dice >> 24 | 1);
    return got;
}

/* Has memory change with every so many reads, as the input says behind its
 * edits; or not at all. */
static inline void restless_begin(struct restless *restless,
                                  struct guest_memory *memory,
                                  const uint8_t *input, size_t size)
{
    const unsigned int each = edits_rest(input, size);

    *restless = (struct restless){.still = *memory, .each = each};
    if ( !each )
        return;
    memory->read = restless_read;
    memory->read_pieces = NULL;
    memory->self = restless;
}

/* As fuzz_seed(), of so many originals: each with memory that stays as it is,
 * then with memory that does not. */
static inline size_t restless_seed(unsigned int number, unsigned int originals,
                                   uint8_t *input)
{
    size_t size = edits_seed(number % originals, input);

    if ( number < originals )
        return size;
    input[size] = 5;
    return number < 2 * originals ? size + 1 : 0;
}

static inline void restless_end(const struct restless *restless,
                                struct guest_memory *memory)
{
    memory->read = restless->still.read;
    memory->read_pieces = restless->still.read_pieces;
    memory->self = restless->still.self;
}

#endif
