/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a table grows. */
#include "triple-table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024u

void triple_table_init(struct triple_table *table)
{
    struct id_table seeded;

    id_table_init(&seeded);
    *table = (struct triple_table){.seed = seeded.seed};
}

void triple_table_clear(struct triple_table *table)
{
    free(table->slots);
    table->slots = NULL;
    table->used = 0;
}

static void put_triple(const struct triple_table *table,
                       const struct triple_slot *slot)
{
    size_t at = triple_hash(table, slot->key) & table->mask;

    while ( table->slots[at].number )
        at = (at + 1) & table->mask;
    table->slots[at] = *slot;
}

/* As in id-table.c: where they are. */
static void spread_triples(struct triple_table *table, size_t before)
{
    size_t from = 0;

    while ( from < before && table->slots[from].number )
        from++;
    for ( size_t i = 1; i <= before; i++ )
    {
        struct triple_slot *slot = &table->slots[(from + i) & (before - 1)];
        const struct triple_slot taken = *slot;

        *slot = (struct triple_slot){.number = 0};
        if ( taken.number )
            put_triple(table, &taken);
    }
}

static bool grow_triples(struct triple_table *table)
{
    size_t before = table->slots ? table->mask + 1 : 0;
    size_t count = before ? 2 * before : SLOTS_FIRST;
    struct triple_slot *slots = reallocarray(table->slots, count,
                                             sizeof(*slots));

    if ( !slots )
        return false;
    memset(slots + before, 0, (count - before) * sizeof(*slots));
    table->slots = slots;
    table->mask = count - 1;
    spread_triples(table, before);
    return true;
}

bool triple_add(struct triple_table *table, const uint32_t key[TRIPLE],
                uint32_t number)
{
    struct triple_slot slot = {.number = number + 1};

    if ( (!table->slots || 4 * table->used >= 3 * table->mask) &&
         !grow_triples(table) )
        return false;
    memcpy(slot.key, key, sizeof(slot.key));
    put_triple(table, &slot);
    table->used++;
    return true;
}
