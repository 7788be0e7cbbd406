/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hash table of things that are kept elsewhere: open addressing, from
 * hashes to numbers from 1.  It keeps hash and number only; the owner of the
 * things decides what is equal, walking the candidates:
 *
 *   for ( slot = id_first(&table, hash); slot->id; slot = id_after(...) )
 *       if ( slot->hash == hash && equal(things[slot->id], ...) )
 *
 * table.h has entries of a fixed size on top of it.  Where a table is read once
 * for each sample, keys lie in the slots themselves (pair-counts.h,
 * triple-table.h).
 */
#ifndef XENOPROF_BASE_ID_TABLE_H
#define XENOPROF_BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Asks for the memory at an address, valid or not, that is needed soon.  gcc
 * (12) takes a function that has nothing but __builtin_prefetch() for one that
 * does nothing, and leaves out its calls: what follows it does something.
 */
static inline void memory_expect(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

struct id_slot {
    uint32_t hash;
    uint32_t id; /* 0: free */
};

struct id_table {
    struct id_slot *slots; /* NULL while nothing was added */
    size_t mask;           /* number of slots - 1 */
    uint64_t seed; /* begin each hash with it: nobody can foresee them */
    size_t used;
    bool close; /* set by the owner: at most a quarter is free from 2 MiB on */
};

/* Takes a seed, no memory yet. */
void id_table_init(struct id_table *table);
void id_table_deinit(struct id_table *table);

/* Gives the tables that are made from now on seeds that no process knows which
 * was forked before: a guest may take such a process over. */
void id_tables_reseed(void);

/* Add id, which is not in the table yet.  Returns false if there is no
 * memory; the table is then as before. */
bool id_table_add(struct id_table *table, uint32_t hash, uint32_t id);

/* Returns how many bytes the slots take with so many more in them. */
size_t id_table_takes(const struct id_table *table, size_t more);

/* Where a walk of an empty table ends. */
extern const struct id_slot id_slot_free;

/* The first candidate.  A table always has a free slot, so a walk ends. */
static inline const struct id_slot *id_first(const struct id_table *table,
                                             uint32_t hash)
{
    return table->slots ? &table->slots[hash & table->mask] : &id_slot_free;
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

/* Takes all out; there is room for as many again. */
void id_table_clear(struct id_table *table);

/* Takes slot out.  Walks that began before are not to go on. */
void id_table_remove(struct id_table *table, const struct id_slot *slot);

/* Returns a mix of a word and what was mixed before it, or the seed.  Of a
 * product's lower half alone, the upper bits are foreseen without the seed: a
 * next word could undo what this one changed. */
static inline uint64_t hash_mix(uint64_t before, uint64_t word)
{
    unsigned __int128 mixed = (unsigned __int128)(before ^ word) *
                              0x9e3779b97f4a7c15u;

    return (uint64_t)mixed ^ (uint64_t)(mixed >> 64);
}

/* Returns the hash that a row of mixes ends in; each half of it is one. */
static inline uint64_t hash_end(uint64_t mixed)
{
    mixed *= 0xbf58476d1ce4e5b9u;
    return mixed ^ (mixed >> 32);
}

/* Returns the hash of size bytes. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

#endif
