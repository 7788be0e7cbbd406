/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number for each three numbers, in slots of 16 bytes: who looks for many
 * asks for the memory of some ahead, and then finds most in the first slot.
 */
#ifndef XENOPROF_BASE_TRIPLE_TABLE_H
#define XENOPROF_BASE_TRIPLE_TABLE_H

#include "id-table.h"

#define TRIPLE      3u
#define TRIPLE_NONE UINT32_MAX

struct triple_slot {
    uint32_t key[TRIPLE];
    uint32_t number; /* and 1; 0: free */
};

struct triple_table {
    struct triple_slot *slots; /* NULL: nothing is there */
    size_t mask, used;
    uint64_t seed; /* nobody can foresee hashes */
};

/* Takes no memory yet. */
void triple_table_init(struct triple_table *table);
/* Leaves an empty table, and no memory. */
void triple_table_clear(struct triple_table *table);

/* The hash of three numbers; who just made them does not put them into memory
 * for it, from where they would be taken two at a time: a processor waits for
 * what was stored otherwise. */
static inline uint32_t triple_hash_of(const struct triple_table *table,
                                      uint32_t first, uint32_t second,
                                      uint32_t third)
{
    uint64_t two = first | (uint64_t)second << 32;

    return (uint32_t)hash_end(hash_mix(hash_mix(table->seed, two), third));
}

static inline uint32_t triple_hash(const struct triple_table *table,
                                   const uint32_t key[TRIPLE])
{
    return triple_hash_of(table, key[0], key[1], key[2]);
}

/* Asks for the memory of what has this hash. */
static inline void triple_expect(const struct triple_table *table,
                                 uint32_t hash)
{
    if ( table->slots )
        memory_expect(&table->slots[hash & table->mask]);
}

/* Returns the number, or TRIPLE_NONE; hash is the key's. */
static inline uint32_t triple_find(const struct triple_table *table,
                                   const uint32_t key[TRIPLE], uint32_t hash)
{
    if ( !table->slots )
        return TRIPLE_NONE;
    for ( size_t at = hash & table->mask; table->slots[at].number;
          at = (at + 1) & table->mask )
    {
        const struct triple_slot *slot = &table->slots[at];

        if ( slot->key[0] == key[0] && slot->key[1] == key[1] &&
             slot->key[2] == key[2] )
            return slot->number - 1;
    }
    return TRIPLE_NONE;
}

/* Adds what is not there; number is not TRIPLE_NONE.  Returns false if there is
 * no memory. */
bool triple_add(struct triple_table *table, const uint32_t key[TRIPLE],
                uint32_t number);

#endif
