/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TABLE_ROOM_FIRST 64u

uint64_t table_hash(const void *bytes, size_t size, uint64_t seed)
{
    const char *at = bytes;
    uint64_t hash = seed ^ size;

    for ( size_t i = 0; i < size; i += sizeof(uint64_t) )
    {
        uint64_t word;

        memcpy(&word, at + i, sizeof(word));
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

void table_init(struct table *table, size_t key_size, size_t entry_size)
{
    *table = (struct table){.key_size = key_size, .entry_size = entry_size};
    /* Guests choose addresses: without a seed they would choose collisions.
     * If there is no seed to be had, the table is merely predictable. */
    if ( getentropy(&table->seed, sizeof(table->seed)) )
        table->seed = 1;
}

void table_free(struct table *table)
{
    free(table->entries);
    free(table->slots);
    table->entries = NULL;
    table->slots = NULL;
    table->count = table->room = 0;
}

static size_t table_mask(const struct table *table)
{
    return 2 * table->room - 1;
}

/* The slot where key is, or where it would be. */
static uint32_t *table_slot(const struct table *table, const void *key)
{
    size_t mask = table_mask(table);
    size_t at = table_hash(key, table->key_size, table->seed) & mask;

    while ( table->slots[at] && memcmp(table_at(table, table->slots[at] - 1),
                                       key, table->key_size) )
        at = (at + 1) & mask;
    return &table->slots[at];
}

static int table_grow(struct table *table)
{
    size_t room = table->room ? 2 * table->room : TABLE_ROOM_FIRST;
    char *entries;
    uint32_t *slots;

    if ( room > UINT32_MAX / 2 )
        return -1;
    entries = reallocarray(table->entries, room, table->entry_size);
    if ( !entries )
        return -1;
    table->entries = entries;
    slots = calloc(2 * room, sizeof(*slots));
    if ( !slots )
        return -1;
    free(table->slots);
    table->slots = slots;
    table->room = room;
    for ( size_t i = 0; i < table->count; i++ )
        *table_slot(table, table_at(table, i)) = (uint32_t)i + 1;
    return 0;
}

void *table_find(const struct table *table, const void *key)
{
    uint32_t found = table->room ? *table_slot(table, key) : 0;

    return found ? table_at(table, found - 1) : NULL;
}

void *table_put(struct table *table, const void *key)
{
    void *entry = table_find(table, key);

    if ( entry )
        return entry;
    if ( table->count == table->room && table_grow(table) )
        return NULL;
    *table_slot(table, key) = (uint32_t)table->count + 1;
    entry = table_at(table, table->count++);
    memset(entry, 0, table->entry_size);
    return memcpy(entry, key, table->key_size);
}
