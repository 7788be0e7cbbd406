/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries with keys, on the slots of id-table.h. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64u

void table_init(struct table *table, size_t key_size, size_t entry_size)
{
    *table = (struct table){.key_size = key_size, .entry_size = entry_size};
    id_table_init(&table->ids);
}

void table_free(struct table *table)
{
    free(table->entries);
    table->entries = NULL;
    table->count = table->room = 0;
    id_table_deinit(&table->ids);
}

/* Most keys are some words. */
static inline bool same_key(const void *left, const void *right, size_t size)
{
    const char *a = left, *b = right;
    uint64_t x, y;

    for ( ; size >= sizeof(x); size -= sizeof(x) )
    {
        memcpy(&x, a, sizeof(x));
        memcpy(&y, b, sizeof(y));
        if ( x != y )
            return false;
        a += sizeof(x);
        b += sizeof(y);
    }
    return !size || !memcmp(a, b, size);
}

static void *find_table_entry(const struct table *table, const void *key,
                              uint32_t hash)
{
    const struct id_slot *slot = id_first(&table->ids, hash);

    for ( ; slot->id; slot = id_after(&table->ids, slot) )
    {
        void *entry = table_at(table, slot->id - 1);

        if ( slot->hash == hash && same_key(entry, key, table->key_size) )
            return entry;
    }
    return NULL;
}

static uint32_t key_hash(const struct table *table, const void *key)
{
    return (uint32_t)hash_bytes(table->ids.seed, key, table->key_size);
}

void *table_find(const struct table *table, const void *key)
{
    return find_table_entry(table, key, key_hash(table, key));
}

void *table_find_hashed(const struct table *table, const void *key,
                        uint32_t hash)
{
    return find_table_entry(table, key, hash);
}

void table_expect_hash(const struct table *table, uint32_t hash)
{
    memory_expect(id_first(&table->ids, hash));
}

uint32_t table_expect(const struct table *table, const void *key)
{
    uint32_t hash = key_hash(table, key);

    table_expect_hash(table, hash);
    return hash;
}

void table_expect_entry(const struct table *table, uint32_t hash)
{
    const struct id_slot *slot = id_first(&table->ids, hash);
    const char *entry;

    while ( slot->id && slot->hash != hash )
        slot = id_after(&table->ids, slot);
    if ( !slot->id )
        return;
    entry = table_at(table, slot->id - 1);
    memory_expect(entry);
    /* What comes after the key may lie in the next line of the cache. */
    memory_expect(entry + table->entry_size / 2);
}

/* Returns false if there is no memory for one more entry. */
static bool make_entry_room(struct table *table)
{
    size_t room = table->room ? 2 * table->room : ROOM_FIRST;
    char *entries;

    if ( table->count < table->room )
        return true;
    if ( room > UINT32_MAX / 2 )
        return false;
    entries = reallocarray(table->entries, room, table->entry_size);
    if ( !entries )
        return false;
    table->entries = entries;
    table->room = room;
    return true;
}

size_t table_room_for(const struct table *table, size_t more)
{
    size_t room = table->room;

    while ( room < table->count + more )
        room = room ? 2 * room : ROOM_FIRST;
    return room;
}

void *table_append(struct table *table, const void *key)
{
    char *entry;

    if ( !make_entry_room(table) )
        return NULL;
    entry = table_at(table, table->count++);
    memset(entry, 0, table->entry_size);
    return memcpy(entry, key, table->key_size);
}

bool table_find_one(struct table *table, size_t index)
{
    return id_table_add(&table->ids, key_hash(table, table_at(table, index)),
                        (uint32_t)index + 1);
}

bool table_find_all(struct table *table)
{
    for ( size_t i = 0; i < table->count; i++ )
    {
        const void *entry = table_at(table, i);
        uint32_t hash = key_hash(table, entry);

        /* Many that are alike would be in each other's way. */
        if ( !find_table_entry(table, entry, hash) &&
             !id_table_add(&table->ids, hash, (uint32_t)i + 1) )
            return false;
    }
    return true;
}

void table_find_none(struct table *table)
{
    id_table_deinit(&table->ids);
}

bool table_fit(struct table *table, size_t entry_size)
{
    const size_t before = table->entry_size;
    const size_t room = table->count ? table->count : 1;
    char *entries = reallocarray(table->entries, room, entry_size);

    if ( !entries )
        return false;
    table->entries = entries;
    table->room = room;
    table->entry_size = entry_size;
    /* The last one first: none is where another is to be. */
    for ( size_t i = table->count; entry_size > before && i-- > 0; )
    {
        memmove(entries + i * entry_size, entries + i * before, before);
        memset(entries + i * entry_size + before, 0, entry_size - before);
    }
    return true;
}

void *table_put(struct table *table, const void *key)
{
    return table_put_expected(table, key, key_hash(table, key));
}

void *table_put_last(struct table *table, size_t *last, const void *key)
{
    void *entry;

    if ( *last < table->count )
    {
        entry = table_at(table, *last);
        if ( same_key(entry, key, table->key_size) )
            return entry;
    }
    entry = table_put(table, key);
    if ( entry )
        *last = table_index(table, entry);
    return entry;
}

void *table_put_expected(struct table *table, const void *key, uint32_t hash)
{
    void *entry = find_table_entry(table, key, hash);

    return entry ? entry : table_put_new(table, key, hash);
}

void *table_put_new(struct table *table, const void *key, uint32_t hash)
{
    if ( !make_entry_room(table) ||
         !id_table_add(&table->ids, hash, (uint32_t)table->count + 1) )
        return NULL;
    return table_append(table, key);
}

void *table_put_only(struct table *table, uint32_t *only, const void *key,
                     uint32_t hash)
{
    void *entry;

    if ( !*only )
    {
        *only = (uint32_t)table->count + 1;
        entry = table_append(table, key);
        if ( !entry )
            *only = 0;
        return entry;
    }
    if ( *only != TABLE_SEVERAL )
    {
        entry = table_at(table, *only - 1);
        if ( same_key(entry, key, table->key_size) )
            return entry;
        if ( !table_find_one(table, *only - 1) )
            return NULL;
        *only = TABLE_SEVERAL;
    }
    return hash ? table_put_expected(table, key, hash) : table_put(table, key);
}

uint32_t table_expect_only(const struct table *table, uint32_t only,
                           const void *key)
{
    if ( only == TABLE_SEVERAL )
        return table_expect(table, key);
    if ( only )
        memory_expect(table_at(table, only - 1));
    return 0;
}

static struct table empty_like(const struct table *table)
{
    struct table empty;

    table_init(&empty, table->key_size, table->entry_size);
    return empty;
}

bool table_keep(struct table *table,
                bool (*kept)(const void *entry, const void *argument),
                const void *argument)
{
    struct table left = empty_like(table);
    bool done = true;

    for ( size_t i = 0; done && i < table->count; i++ )
    {
        const void *entry = table_at(table, i);
        void *to;

        if ( !kept(entry, argument) )
            continue;
        to = table_put(&left, entry);
        done = to;
        if ( done )
            memcpy(to, entry, table->entry_size);
    }
    table_free(done ? table : &left);
    if ( done )
        *table = left;
    return done;
}

bool table_join_older(struct table *table, const void *key,
                      void (*add)(void *to, const void *more))
{
    struct table kept = empty_like(table);
    bool done = true;

    for ( size_t i = 0; done && i < table->count; i++ )
    {
        const void *entry = table_at(table, i);
        void *to = table_put(&kept, i < table->count / 2 ? key : entry);

        done = to;
        if ( done )
            add(to, entry);
    }
    table_free(done ? table : &kept);
    if ( done )
        *table = kept;
    return done;
}

void *table_sorted(const struct table *table,
                   int (*compare)(const void *left, const void *right))
{
    void **sorted = calloc(table->count + 1, sizeof(*sorted));

    if ( !sorted )
        return NULL;
    for ( size_t i = 0; i < table->count; i++ )
        sorted[i] = table_at(table, i);
    qsort(sorted, table->count, sizeof(*sorted), compare);
    return sorted;
}
