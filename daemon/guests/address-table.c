/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "address-table.h"

#define ROOM_FIRST 256u

void address_table_clear(struct address_table *table)
{
    free(table->entries);
    *table = (struct address_table){0};
}

/* Where address is or would be; there is always a free entry. */
static struct address_entry *entry_of(const struct address_table *table,
                                      uint64_t address)
{
    uint32_t mask = table->room - 1;
    uint32_t at = (uint32_t)(address * 0x9e3779b97f4a7c15ul >> 32) & mask;

    while ( table->entries[at].number && table->entries[at].address != address )
        at = (at + 1) & mask;
    return &table->entries[at];
}

uint32_t address_table_find(const struct address_table *table, uint64_t address)
{
    return table->room ? entry_of(table, address)->number : 0;
}

/* Twice the room; false: no memory. */
static bool grow(struct address_table *table)
{
    struct address_table larger = {
        .room = table->room ? table->room * 2 : ROOM_FIRST,
        .used = table->used,
    };

    larger.entries = calloc(larger.room, sizeof(*larger.entries));
    if ( !larger.entries )
        return false;
    for ( uint32_t i = 0; i < table->room; i++ )
        if ( table->entries[i].number )
            *entry_of(&larger, table->entries[i].address) = table->entries[i];
    free(table->entries);
    *table = larger;
    return true;
}

void address_table_set(struct address_table *table, uint64_t address,
                       uint32_t number)
{
    struct address_entry *entry;

    if ( table->used >= ADDRESS_TABLE_MAX )
        address_table_clear(table);
    if ( table->used * 4 >= table->room * 3 && !grow(table) )
        return;
    entry = entry_of(table, address);
    table->used += !entry->number;
    *entry = (struct address_entry){address, number};
}
