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
};

static inline void nameless_free(struct nameless *nameless)
{
    free(nameless->counts);
    nameless->counts = NULL;
}

static inline uint32_t nameless_slot(uint32_t space, uint64_t address)
{
    return (uint32_t)hash_end(hash_mix(hash_mix(1, space), address)) &
           ((1u << NAMELESS_BITS) - 1);
}

/* Returns false if there is no memory. */
static inline bool nameless_add(struct nameless *nameless, uint32_t space,
                                uint64_t address)
{
    uint8_t *count;

    if ( !nameless->counts )
        nameless->counts = calloc(1u << NAMELESS_BITS, 1);
    if ( !nameless->counts )
        return false;
    count = &nameless->counts[nameless_slot(space, address)];
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
    count = &nameless->counts[nameless_slot(space, address)];
    *count -= *count && *count < NAMELESS_MOST;
}

/* Asks for the memory of what nameless_may_have() is asked soon. */
static inline void nameless_expect(const struct nameless *nameless,
                                   uint32_t space, uint64_t address)
{
    if ( nameless->counts )
        __builtin_prefetch(&nameless->counts[nameless_slot(space, address)]);
}

/* Returns false if the address is certainly none of these. */
static inline bool nameless_may_have(const struct nameless *nameless,
                                     uint32_t space, uint64_t address)
{
    return nameless->counts && nameless->counts[nameless_slot(space, address)];
}

#endif
