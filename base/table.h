/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries that begin with their key, found by it, and in a row in the order
 * in which they came.  A key is compared byte by byte, so whoever makes one
 * fills it with zeroes first.
 */
#ifndef XENOPROF_BASE_TABLE_H
#define XENOPROF_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "id-table.h"

struct table {
    size_t key_size;
    size_t entry_size;
    size_t count;
    size_t room;
    char *entries;
    struct id_table ids; /* index + 1 of each entry */
};

/* Takes no memory yet. */
void table_init(struct table *table, size_t key_size, size_t entry_size);
/* An empty table is left. */
void table_free(struct table *table);

/* Returns the entry with this key, made (all zero but the key) if there is
 * none, or NULL if there is no memory.  Good until the next table_put(). */
void *table_put(struct table *table, const void *key);
/* The same, but *last, the index of the entry that was put so last, is looked
 * at first.  It may be of no entry, or of another table's. */
void *table_put_last(struct table *table, size_t *last, const void *key);
/* Returns a new entry at the row's end, which is not found by its key before
 * table_find_all() was called; or NULL if there is no memory. */
void *table_append(struct table *table, const void *key);
/* Such an entry is found by its key from now on; no other one has that.
 * Returns false if there is no memory. */
bool table_find_one(struct table *table, size_t index);
/* All entries are found by their keys from now on, the first of those that have
 * the same; none was before.  Returns false if there is no memory. */
bool table_find_all(struct table *table);
/* No entry is found by its key from now on, which takes less memory, until
 * table_find_all() is called; nor is one put. */
void table_find_none(struct table *table);
/* Makes entries as large as that, with zeroes behind what they were, and gives
 * back the room that they do not need.  Returns false if there is no memory:
 * the table is as before. */
bool table_fit(struct table *table, size_t entry_size);
/* Returns the entry with this key, or NULL if there is none. */
void *table_find(const struct table *table, const void *key);

/* For a table that is to stay small: the older half of its entries become a
 * part of the entry with this key, which is the first then.  add adds one entry
 * to another.  Returns false if there is no memory: the table is as before. */
bool table_join_older(struct table *table, const void *key,
                      void (*add)(void *to, const void *more));

/* Drops the entries that are not kept; the others come in the same order.
 * Returns false if there is no memory: the table is as before. */
bool table_keep(struct table *table,
                bool (*kept)(const void *entry, const void *argument),
                const void *argument);

/*
 * For who puts many keys into a table that no cache holds: table_expect() some
 * of them, then table_expect_entry() the same ones, and then put them with
 * table_put_expected(), which is table_put().  Memory is then asked for all of
 * them at once.  What the first returns is for the other two.
 */
uint32_t table_expect(const struct table *table, const void *key);
void table_expect_entry(const struct table *table, uint32_t hash);
void *table_put_expected(struct table *table, const void *key, uint32_t hash);

/*
 * For who has a word for each of what keys begin with, say, where most have one
 * entry, which then needs no search: *only is 0 at first, then the entry's
 * index and 1, or TABLE_SEVERAL, which are found by their keys.  It may be in
 * an entry of the table itself.  Keys that are alike have the same word.
 *
 * table_put_only() is table_put() otherwise.  hash is what table_expect_only()
 * returned, which asks for memory, and of which table_expect_entry() asks for
 * more unless it is 0; or it is 0.
 */
#define TABLE_SEVERAL UINT32_MAX
void *table_put_only(struct table *table, uint32_t *only, const void *key,
                     uint32_t hash);
uint32_t table_expect_only(const struct table *table, uint32_t only,
                           const void *key);

/*
 * Or for who has hashes of the keys' own, of the table's seed: each entry is
 * then put and found with its hash, by table_put_expected() and these.
 */
void table_expect_hash(const struct table *table, uint32_t hash);
/* As table_put_expected(), of a key that is not there yet. */
void *table_put_new(struct table *table, const void *key, uint32_t hash);
void *table_find_hashed(const struct table *table, const void *key,
                        uint32_t hash);

/* Returns for how many entries it has room when there are so many more. */
size_t table_room_for(const struct table *table, size_t more);

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

/* Returns pointers to all entries, sorted as qsort(3) does; malloc'ed, or NULL
 * if there is no memory.  Good until the next table_put(). */
void *table_sorted(const struct table *table,
                   int (*compare)(const void *left, const void *right));

#endif
