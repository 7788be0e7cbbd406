/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 2 of the session format: what the tables of session-format.def are to
 * programs.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_FORMAT_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum session_table_number {
#define SESSION_TABLE(number, NAME, name, kind) SESSION_TABLE_##NAME = number,
#define SESSION_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,  \
                       member)
#include "session-format.def"
#undef SESSION_TABLE
#undef SESSION_COLUMN
};

/* Where a column is among those of its table: its number less 1. */
enum session_column_slot {
#define SESSION_TABLE(number, NAME, name, kind)
#define SESSION_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,  \
                       member)                                                 \
    SESSION_##TABLE##_##NAME = number - 1,
#include "session-format.def"
#undef SESSION_TABLE
#undef SESSION_COLUMN
};

#define SESSION_COLUMNS_MAX 16u /* of a table */
/* All tables have numbers below this. */
#define SESSION_TABLES_MAX 34u

#define COLUMN_ALWAYS (-1)
#define COLUMN_BYTES  (-1) /* instead of an enum column_coding */

struct session_column {
    uint32_t table;
    uint32_t number;
    const char *name;
    int coding;
    int when; /* bit of column 1, or COLUMN_ALWAYS */
    uint32_t refers;
    const char *unit;
};

enum session_table_kind { TABLE_ROWS, TABLE_NUMBERED, TABLE_SMALL };

struct session_table {
    uint32_t number;
    const char *name;
    enum session_table_kind kind;
    const struct session_column *columns;
    size_t count;
    size_t first; /* of its columns among those of all tables */
};

/* Puts the table at index into *ret.  Returns false after the last. */
bool session_table_at(size_t index, struct session_table *ret);
/* The same for the table with this number; false if there is none. */
bool session_table_find(uint64_t number, struct session_table *ret);

/* Bits of the columns "has". */
#define PLACE_HAS_OFFSET  1u /* from its symbol, which has a name */
#define PLACE_HAS_ADDRESS 2u
#define SHAPE_HAS_MODE    3u /* the mode itself */
#define SHAPE_HAS_USER    4u
#define SHAPE_HAS_KERNEL  8u
#define SHAPE_HAS_XEN     16u

#endif
