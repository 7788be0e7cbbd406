/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by two numbers: to count takes a look at one line of a cache, whose
 * memory was asked for some counts before.
 */
#ifndef XENOPROF_BASE_PAIR_COUNTS_H
#define XENOPROF_BASE_PAIR_COUNTS_H

#include "id-table.h"

struct pair_count {
    uint64_t pair;   /* pair_of() */
    uint32_t number; /* the caller's, and 1; 0: free */
    uint32_t count;  /* the caller's */
};

struct pair_counts {
    struct pair_count *slots; /* NULL: nothing is there; free ones are zero */
    size_t mask, used;
    uint64_t seed; /* nobody can foresee hashes */
};

/* Takes no memory yet. */
void pair_counts_init(struct pair_counts *counts);
/* Leaves none, and no memory. */
void pair_counts_free(struct pair_counts *counts);

/* Two numbers as one. */
static inline uint64_t pair_of(uint32_t left, uint32_t right)
{
    return left | (uint64_t)right << 32;
}

static inline uint32_t pair_left(uint64_t pair)
{
    return (uint32_t)pair;
}

static inline uint32_t pair_right(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

/* One mix is enough for two numbers that are small. */
static inline uint32_t pair_hash(const struct pair_counts *counts,
                                 uint64_t pair)
{
    return (uint32_t)hash_mix(counts->seed, pair);
}

/* Asks for the memory of a count.  Returns a hash for pair_find(). */
static inline uint32_t pair_expect(const struct pair_counts *counts,
                                   uint64_t pair)
{
    uint32_t hash = pair_hash(counts, pair);

    if ( counts->slots )
        memory_expect(&counts->slots[hash & counts->mask]);
    return hash;
}

/* Where a pair of this hash is most often; NULL if nothing is there. */
static inline struct pair_count *pair_first(const struct pair_counts *counts,
                                            uint32_t hash)
{
    return counts->slots ? &counts->slots[hash & counts->mask] : NULL;
}

/* Returns the count of this pair, good until the next pair_add(), or NULL if
 * there is none. */
static inline struct pair_count *pair_find(const struct pair_counts *counts,
                                           uint64_t pair, uint32_t hash)
{
    if ( !counts->slots )
        return NULL;
    for ( size_t at = hash & counts->mask; counts->slots[at].number;
          at = (at + 1) & counts->mask )
        if ( counts->slots[at].pair == pair )
            return &counts->slots[at];
    return NULL;
}

/* Returns a new count, 0, of what is not there, or NULL if there is no
 * memory. */
struct pair_count *pair_add(struct pair_counts *counts, uint64_t pair,
                            uint32_t number);

#endif
