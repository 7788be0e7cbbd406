/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded table of addresses, on base/id-table.h: its hash has a seed, so a
 * guest cannot choose addresses that collide. */
#include <string.h>

#include "address-table.h"

void address_table_clear(struct address_table *table)
{
    id_table_deinit(&table->ids);
    vector_free(table);
    table->ids = (struct id_table){0};
}

static uint32_t hash_of_address(const struct address_table *table,
                                uint64_t address)
{
    return (uint32_t)(hash_mix(table->ids.seed, address) >> 32);
}

static struct address_entry *entry_of_address(const struct address_table *table,
                                              uint64_t address)
{
    uint32_t hash = hash_of_address(table, address);

    for ( const struct id_slot *slot = id_first(&table->ids, hash); slot->id;
          slot = id_after(&table->ids, slot) )
        if ( slot->hash == hash &&
             table->items[slot->id - 1].address == address )
            return &table->items[slot->id - 1];
    return NULL;
}

void address_table_find_all(const struct address_table *table,
                            const uint64_t *addresses, size_t count,
                            uint32_t *ret)
{
    const struct id_slot *slot;

    if ( !table->ids.slots )
    {
        memset(ret, 0, count * sizeof(*ret));
        return;
    }
    for ( size_t i = 0; i < count; i++ )
    {
        ret[i] = hash_of_address(table, addresses[i]);
        memory_expect(&table->ids.slots[ret[i] & table->ids.mask]);
    }
    for ( size_t i = 0; i < count; i++ )
    {
        slot = &table->ids.slots[ret[i] & table->ids.mask];
        while ( slot->id &&
                (slot->hash != ret[i] ||
                 table->items[slot->id - 1].address != addresses[i]) )
            slot = id_after(&table->ids, slot);
        ret[i] = slot->id ? table->items[slot->id - 1].number : 0;
    }
}

void address_table_expect(const struct address_table *table, uint64_t address)
{
    memory_expect(id_first(&table->ids, hash_of_address(table, address)));
}

uint32_t address_table_find(const struct address_table *table, uint64_t address)
{
    const struct address_entry *entry = entry_of_address(table, address);

    return entry ? entry->number : 0;
}

void address_table_set(struct address_table *table, uint64_t address,
                       uint32_t number)
{
    struct address_entry *entry = entry_of_address(table, address);

    if ( !entry )
    {
        if ( table->count >= ADDRESS_TABLE_MAX )
            address_table_clear(table);
        if ( !table->ids.slots )
            id_table_init(&table->ids);
        if ( !vector_reserve(table, 1) ||
             !id_table_add(&table->ids, hash_of_address(table, address),
                           (uint32_t)table->count + 1) )
            return;
        entry = vector_add(table);
        entry->address = address;
    }
    entry->number = number;
}
