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

/* The slot where key is, or where it would be.  Most slots on the way are
 * told apart by their hashes, without a look at the entries. */
static struct table_slot *find_slot(const struct table *table, const void *key,
                                    uint32_t hash)
{
    size_t mask = table_mask(table), at = hash & mask;
    struct table_slot *slot = &table->slots[at];

    while ( slot->entry &&
            (slot->hash != hash ||
             memcmp(table_at(table, slot->entry - 1), key, table->key_size)) )
    {
        at = (at + 1) & mask;
        slot = &table->slots[at];
    }
    return slot;
}

/* To the slots of a larger table. */
static void move_slots(struct table *table, const struct table_slot *from,
                       size_t count)
{
    size_t mask = table_mask(table);

    for ( size_t i = 0; i < count; i++ )
    {
        size_t at = from[i].hash & mask;

        if ( !from[i].entry )
            continue;
        while ( table->slots[at].entry )
            at = (at + 1) & mask;
        table->slots[at] = from[i];
    }
}

static int table_grow(struct table *table)
{
    size_t before = 2 * table->room;
    size_t room = table->room ? before : TABLE_ROOM_FIRST;
    struct table_slot *slots, *old = table->slots;
    char *entries;

    if ( room > UINT32_MAX / 2 )
        return -1;
    entries = reallocarray(table->entries, room, table->entry_size);
    if ( !entries )
        return -1;
    table->entries = entries;
    slots = calloc(2 * room, sizeof(*slots));
    if ( !slots )
        return -1;
    table->slots = slots;
    table->room = room;
    move_slots(table, old, before);
    free(old);
    return 0;
}

static uint32_t key_hash(const struct table *table, const void *key)
{
    return (uint32_t)table_hash(key, table->key_size, table->seed);
}

void *table_find(const struct table *table, const void *key)
{
    uint32_t found = 0;

    if ( table->room )
        found = find_slot(table, key, key_hash(table, key))->entry;
    return found ? table_at(table, found - 1) : NULL;
}

void *table_put(struct table *table, const void *key)
{
    uint32_t hash = key_hash(table, key);
    struct table_slot *slot = table->room ? find_slot(table, key, hash) : NULL;
    char *entry;

    if ( slot && slot->entry )
        return table_at(table, slot->entry - 1);
    if ( table->count == table->room )
    {
        if ( table_grow(table) )
            return NULL;
        slot = find_slot(table, key, hash);
    }
    *slot = (struct table_slot){hash, (uint32_t)table->count + 1};
    entry = table_at(table, table->count++);
    memset(entry, 0, table->entry_size);
    return memcpy(entry, key, table->key_size);
}
