/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 2 of the session format: what the tables of epoch-format.def are to
 * programs.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_EPOCH_FORMAT_H
#define XENOPROF_LIBXENOPROF_SESSION_EPOCH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum epoch_table_number {
#define EPOCH_TABLE(number, NAME, name, kind) EPOCH_##NAME = number,
#define EPOCH_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,    \
                     member)
#include "epoch-format.def"
#undef EPOCH_TABLE
#undef EPOCH_COLUMN
};

/* Where a column is among those of its table: its number less 1. */
enum epoch_column_slot {
#define EPOCH_TABLE(number, NAME, name, kind)
#define EPOCH_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,    \
                     member)                                                   \
    EPOCH_##TABLE##_##NAME = number - 1,
#include "epoch-format.def"
#undef EPOCH_TABLE
#undef EPOCH_COLUMN
};

#define EPOCH_COLUMNS_MAX 16u /* of a table */
/* Tables but SAMPLE have numbers below this. */
#define EPOCH_TABLES_MAX (EPOCH_TICKS + 1u)

#define EPOCH_ALWAYS (-1)
#define EPOCH_BYTES  (-1) /* instead of an enum column_coding */

struct epoch_column {
    uint32_t table;
    uint32_t number;
    const char *name;
    int coding;
    int when; /* bit of column 1, or EPOCH_ALWAYS */
    uint32_t refers;
    const char *unit;
};

enum epoch_table_kind { EPOCH_ROWS, EPOCH_NUMBERED, EPOCH_SMALL };

struct epoch_table {
    uint32_t number;
    const char *name;
    enum epoch_table_kind kind;
    const struct epoch_column *columns;
    size_t count;
    size_t first; /* of its columns among those of all tables */
};

/* Puts the table at index into *ret.  Returns false after the last. */
bool epoch_table_at(size_t index, struct epoch_table *ret);
/* The same for the table with this number; false if there is none. */
bool epoch_table_find(uint64_t number, struct epoch_table *ret);

/* Bits of the columns "has". */
#define PLACE_HAS_OFFSET  1u /* from its symbol, which has a name */
#define PLACE_HAS_ADDRESS 2u
#define SHAPE_HAS_MODE    3u /* the mode itself */
#define SHAPE_HAS_USER    4u
#define SHAPE_HAS_KERNEL  8u
#define SHAPE_HAS_XEN     16u

#endif
