/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows and the structures that programs have of them: a column is of the member
 * that session-format.def names, or written and read by hand.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_FORMAT_MEMBERS_H
#define XENOPROF_LIBXENOPROF_SESSION_FORMAT_MEMBERS_H

#include "session-format.h"

struct format_member {
    uint16_t at, size; /* in bytes of its structure; size 0: by hand */
    uint32_t scale;    /* of its units in one of the column's */
    uint32_t refers;   /* the table whose rows it has the numbers of, or 0 */
};

/* Returns the members of a table that session_table_find() found, by column. */
const struct format_member *format_members(const struct session_table *table);

/* Puts those of *from into a row of zeroes. */
void session_row_put(const struct session_table *table, const void *from,
                     uint64_t *row);

/* The other way round.  What is too large for its member loses its upper bits;
 * a number that refers is 0 then. */
void session_row_take(const struct session_table *table, const uint64_t *row,
                      void *to);
/* The same for count rows, in columns, into structures of which *to is the
 * first, and each is size bytes behind the one before. */
void session_rows_take(const struct session_table *table,
                       uint64_t *const *values, size_t count, void *to,
                       size_t size);

#endif
