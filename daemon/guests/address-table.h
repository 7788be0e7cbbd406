/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers by address: the places of one guest's code.
 */
#ifndef XENOPROF_DAEMON_GUESTS_ADDRESS_TABLE_H
#define XENOPROF_DAEMON_GUESTS_ADDRESS_TABLE_H

#include "base/id-table.h"
#include "base/vector.h"

/* A guest that jumps about must not fill dom0's memory: a table that is full
 * begins anew. */
#define ADDRESS_TABLE_MAX 16384u

struct address_entry {
    uint64_t address;
    uint32_t number;
};

/* All zeroes is an empty table. */
struct address_table {
    VECTOR(struct address_entry);
    struct id_table ids; /* index + 1 of each entry */
};

void address_table_clear(struct address_table *table);
/* Returns the number of this address, or 0 if it is not in the table. */
uint32_t address_table_find(const struct address_table *table,
                            uint64_t address);
/* The same for count addresses, whose numbers go to ret: memory is asked for
 * all of them at once. */
void address_table_find_all(const struct address_table *table,
                            const uint64_t *addresses, size_t count,
                            uint32_t *ret);
/* Asks for memory before many are looked for. */
void address_table_expect(const struct address_table *table, uint64_t address);
/* number is not 0.  The table stays as it is if there is no memory. */
void address_table_set(struct address_table *table, uint64_t address,
                       uint32_t number);

#endif
