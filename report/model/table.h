/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of entries that begin with their key and lie one after the
 * other in the order in which they came.  A key is compared byte by byte, so
 * whoever makes one fills it with zeroes first.
 */
#ifndef XENOPROF_REPORT_MODEL_TABLE_H
#define XENOPROF_REPORT_MODEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
    uint32_t hash;  /* the lower half of that of its entry's key */
    uint32_t entry; /* index + 1; 0: none */
};

struct table {
    size_t key_size; /* a multiple of 8 */
    size_t entry_size;
    size_t count;
    size_t room; /* entries that fit before both arrays must grow */
    char *entries;
    struct table_slot *slots; /* twice as many as room */
    uint64_t seed;
};

/* Takes no memory yet. */
void table_init(struct table *table, size_t key_size, size_t entry_size);
void table_free(struct table *table);

/* The entry with this key, made (all zero but the key) if there is none;
 * NULL if there is no memory.  Good until the next table_put(). */
void *table_put(struct table *table, const void *key);
/* The same, but NULL if there is none. */
void *table_find(const struct table *table, const void *key);

/* index < count */
static inline void *table_at(const struct table *table, size_t index)
{
    return table->entries + index * table->entry_size;
}

/* entry is one of this table's. */
static inline size_t table_index(const struct table *table, const void *entry)
{
    return (size_t)((const char *)entry - table->entries) / table->entry_size;
}

/* Scatters size bytes at bytes (a multiple of 8). */
uint64_t table_hash(const void *bytes, size_t size, uint64_t seed);

#endif
