/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots of the hash table, how they grow, and hashes of bytes. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "id-table.h"

#define FIRST_SLOTS 128u
#define LARGE       (1u << 20) /* slots */
#define CLOSE       (1u << 18) /* slots, of tables that are to be close */
#define LONG_KEY    64u

const struct id_slot id_slot_free;

/* What the processes that were forked before do not know. */
static uint64_t own_seed;

void id_tables_reseed(void)
{
    uint64_t word;

    if ( getrandom(&word, sizeof(word), 0) == sizeof(word) )
        own_seed = word;
}

void id_table_init(struct id_table *table)
{
    const void *random = (const void *)getauxval(AT_RANDOM);
    uint64_t words[2] = {0, 0};

    *table = (struct id_table){.slots = NULL};
    /* Guests choose addresses and names; they must not choose collisions.
     * Linux gives every program 16 random bytes when it starts, which takes
     * no system call: the parser may make none.  The C library makes its stack
     * guard of the same bytes, so no seed is a part of them. */
    if ( random )
        memcpy(words, random, sizeof(words));
    table->seed = hash_end(hash_mix(
        hash_mix(hash_mix((uintptr_t)table, words[0]), words[1]), own_seed));
}

void id_table_deinit(struct id_table *table)
{
    free(table->slots);
    table->slots = NULL;
    table->used = table->mask = 0;
}

static void put_id(struct id_table *table, struct id_slot entry)
{
    size_t at = entry.hash & table->mask;

    while ( table->slots[at].id )
        at = (at + 1) & table->mask;
    table->slots[at] = entry;
}

/* An entry stays where it is, or moves up by as many slots as there were.  They
 * are taken from behind a free slot on, as walks meet them: none is put behind
 * one that is still to move, so the old slots need no copy. */
static void spread_ids(struct id_table *table, size_t before)
{
    size_t from = 0;

    while ( from < before && table->slots[from].id )
        from++;
    for ( size_t i = 1; i <= before; i++ )
    {
        struct id_slot *slot = &table->slots[(from + i) & (before - 1)];
        const struct id_slot entry = *slot;

        *slot = (struct id_slot){0, 0};
        if ( entry.id )
            put_id(table, entry);
    }
}

static bool grow_ids(struct id_table *table)
{
    size_t before = table->slots ? table->mask + 1 : 0;
    size_t count = before ? 2 * before : FIRST_SLOTS;
    struct id_slot *slots = reallocarray(table->slots, count, sizeof(*slots));

    if ( !slots )
        return false;
    memset(slots + before, 0, (count - before) * sizeof(*slots));
    table->slots = slots;
    table->mask = count - 1;
    spread_ids(table, before);
    return true;
}

/* Half of a small table is free, so walks are short; of a large one a quarter,
 * since it takes memory that caches do not have. */
static bool is_full(const struct id_table *table, size_t mask, size_t used)
{
    return mask < (table->close ? CLOSE : LARGE) ? 2 * used >= mask
                                                 : 4 * used >= 3 * mask;
}

size_t id_table_takes(const struct id_table *table, size_t more)
{
    size_t count = table->slots ? table->mask + 1 : 0;

    if ( !count && more )
        count = FIRST_SLOTS;
    while ( more && is_full(table, count - 1, table->used + more - 1) )
        count *= 2;
    return count * sizeof(*table->slots);
}

bool id_table_add(struct id_table *table, uint32_t hash, uint32_t id)
{
    if ( is_full(table, table->mask, table->used) && !grow_ids(table) )
        return false;
    put_id(table, (struct id_slot){hash, id});
    table->used++;
    return true;
}

void id_table_clear(struct id_table *table)
{
    if ( table->slots )
        memset(table->slots, 0, (table->mask + 1) * sizeof(*table->slots));
    table->used = 0;
}

/* What follows moves up into the gap, up to the next free slot: a walk must not
 * end before what it looks for. */
void id_table_remove(struct id_table *table, const struct id_slot *slot)
{
    size_t gap = (size_t)(slot - table->slots);
    size_t at = (gap + 1) & table->mask;

    for ( ; table->slots[at].id; at = (at + 1) & table->mask )
    {
        size_t home = table->slots[at].hash & table->mask;

        /* It may stand anywhere from its home on. */
        if ( ((at - home) & table->mask) < ((at - gap) & table->mask) )
            continue;
        table->slots[gap] = table->slots[at];
        gap = at;
    }
    table->slots[gap] = (struct id_slot){0, 0};
    table->used--;
}

/* Long keys in rows that a processor mixes side by side.  Moves *at behind
 * them. */
static uint64_t mix_rows(uint64_t mixed, const uint8_t **at, size_t *size)
{
    uint64_t rows[] = {mixed, mixed + 1, mixed + 2, mixed + 3}, words[4];

    for ( ; *size >= sizeof(words);
          *at += sizeof(words), *size -= sizeof(words) )
    {
        memcpy(words, *at, sizeof(words));
        for ( unsigned int i = 0; i < 4; i++ )
            rows[i] = hash_mix(rows[i], words[i]);
    }
    for ( unsigned int i = 1; i < 4; i++ )
        rows[0] = hash_mix(rows[0], rows[i]);
    return rows[0];
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t mixed = seed ^ size, word;

    if ( size >= LONG_KEY )
        mixed = mix_rows(mixed, &at, &size);
    for ( ; size >= sizeof(word); at += sizeof(word), size -= sizeof(word) )
    {
        memcpy(&word, at, sizeof(word));
        mixed = hash_mix(mixed, word);
    }
    word = 0;
    if ( size )
        memcpy(&word, at, size);
    return hash_end(hash_mix(mixed, word));
}
