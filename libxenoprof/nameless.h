/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether there may be an address without a name among those of a session: a
 * later file may say its name.  Counts by hash, which fit into a cache next to
 * the processor, where a hash of all addresses does not: nearly all addresses
 * are not among these.
 */
#ifndef XENOPROF_LIBXENOPROF_NAMELESS_H
#define XENOPROF_LIBXENOPROF_NAMELESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/id-table.h"

#define NAMELESS_BITS 18u
#define NAMELESS_MOST UINT8_MAX /* or more: not counted any longer */

struct nameless {
    uint8_t *counts; /* NULL: there is none */
    uint64_t seed;   /* guests choose addresses: they must not foresee slots */
};

static inline void nameless_free(struct nameless *nameless)
{
    free(nameless->counts);
    nameless->counts = NULL;
}

static inline uint8_t *nameless_count(const struct nameless *nameless,
                                      uint32_t space, uint64_t address)
{
    uint64_t mixed = hash_mix(hash_mix(nameless->seed, space), address);

    return &nameless->counts[hash_end(mixed) & ((1u << NAMELESS_BITS) - 1)];
}

/* Returns false if there is no memory. */
static inline bool nameless_begin(struct nameless *nameless)
{
    struct id_table seeded;

    if ( nameless->counts )
        return true;
    id_table_init(&seeded);
    nameless->seed = seeded.seed;
    nameless->counts = calloc(1u << NAMELESS_BITS, 1);
    return nameless->counts;
}

/* Returns false if there is no memory. */
static inline bool nameless_add(struct nameless *nameless, uint32_t space,
                                uint64_t address)
{
    uint8_t *count;

    if ( !nameless_begin(nameless) )
        return false;
    count = nameless_count(nameless, space, address);
    *count += *count < NAMELESS_MOST;
    return true;
}

/* An address that was added got its name. */
static inline void nameless_remove(struct nameless *nameless, uint32_t space,
                                   uint64_t address)
{
    uint8_t *count;

    if ( !nameless->counts )
        return;
    count = nameless_count(nameless, space, address);
    *count -= *count && *count < NAMELESS_MOST;
}

/* Asks for the memory of what nameless_may_have() is asked soon. */
static inline void nameless_expect(const struct nameless *nameless,
                                   uint32_t space, uint64_t address)
{
    if ( nameless->counts )
        memory_expect(nameless_count(nameless, space, address));
}

/* Returns false if the address is certainly none of these. */
static inline bool nameless_may_have(const struct nameless *nameless,
                                     uint32_t space, uint64_t address)
{
    return nameless->counts && *nameless_count(nameless, space, address);
}

#endif
