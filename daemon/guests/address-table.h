/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers by address: places of one guest's code.
 */
#ifndef XENOPROF_DAEMON_GUESTS_ADDRESS_TABLE_H
#define XENOPROF_DAEMON_GUESTS_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A guest that jumps about must not fill dom0's memory: a table that is full
 * begins anew. */
#define ADDRESS_TABLE_MAX 16384u

struct address_entry {
    uint64_t address;
    uint32_t number; /* 0: free */
};

/* All zeroes is an empty table. */
struct address_table {
    struct address_entry *entries;
    uint32_t used, room;
};

void address_table_clear(struct address_table *table);
/* 0: it is not there. */
uint32_t address_table_find(const struct address_table *table,
                            uint64_t address);
/* number is not 0.  Without memory it is forgotten. */
void address_table_set(struct address_table *table, uint64_t address,
                       uint32_t number);

#endif
