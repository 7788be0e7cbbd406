/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An open-addressing hash table from whatever has a hash to numbers from 1.
 * It keeps hash and number only: what is equal, the owner of the things
 * decides, walking the candidates:
 *
 *   for ( slot = id_first(&table, hash); slot->id; slot = id_after(...) )
 *       if ( slot->hash == hash && equal(things[slot->id], ...) )
 */
#ifndef XENOPROF_BASE_ID_TABLE_H
#define XENOPROF_BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_slot {
    uint32_t hash;
    uint32_t id; /* 0: free */
};

struct id_table {
    struct id_slot *slots;
    size_t mask;   /* number of slots - 1 */
    uint64_t seed; /* begin each hash with it: nobody can foresee them */
    size_t used;
};

/* A table always has a free slot, so that every walk ends. */
bool id_table_init(struct id_table *table);
void id_table_deinit(struct id_table *table);

/* Add id, which is not in the table yet; false if there is no memory. */
bool id_table_add(struct id_table *table, uint32_t hash, uint32_t id);
/* Forget everything, keep the memory. */
void id_table_clear(struct id_table *table);

static inline const struct id_slot *id_first(const struct id_table *table,
                                             uint32_t hash)
{
    return &table->slots[hash & table->mask];
}

static inline const struct id_slot *id_after(const struct id_table *table,
                                             const struct id_slot *slot)
{
    return &table->slots[((size_t)(slot - table->slots) + 1) & table->mask];
}

/* Another number with the same hash takes the place of slot's. */
static inline void id_table_replace(struct id_table *table,
                                    const struct id_slot *slot, uint32_t id)
{
    table->slots[slot - table->slots].id = id;
}

/* A well-mixed 64-bit value's worth of a word and what came before it. */
static inline uint64_t hash_mix(uint64_t before, uint64_t word)
{
    uint64_t mixed = (before ^ word) * 0x9e3779b97f4a7c15u;

    return mixed ^ (mixed >> 29);
}

static inline uint32_t hash_end(uint64_t mixed)
{
    mixed *= 0xbf58476d1ce4e5b9u;
    return mixed >> 32;
}

uint32_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

#endif
