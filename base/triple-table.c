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

static void put(const struct triple_table *table,
                const struct triple_slot *slot)
{
    size_t at = triple_hash(table, slot->key) & table->mask;

    while ( table->slots[at].number )
        at = (at + 1) & table->mask;
    table->slots[at] = *slot;
}

static bool grow(struct triple_table *table)
{
    struct triple_table larger = {.mask = table->slots ? 2 * table->mask + 1
                                                       : SLOTS_FIRST - 1,
                                  .used = table->used,
                                  .seed = table->seed};

    larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
    if ( !larger.slots )
        return false;
    for ( size_t i = 0; table->slots && i <= table->mask; i++ )
        if ( table->slots[i].number )
            put(&larger, &table->slots[i]);
    free(table->slots);
    *table = larger;
    return true;
}

bool triple_add(struct triple_table *table, const uint32_t key[TRIPLE],
                uint32_t number)
{
    struct triple_slot slot = {.number = number + 1};

    if ( (!table->slots || 4 * table->used >= 3 * table->mask) && !grow(table) )
        return false;
    memcpy(slot.key, key, sizeof(slot.key));
    put(table, &slot);
    table->used++;
    return true;
}
