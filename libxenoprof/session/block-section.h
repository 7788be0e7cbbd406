/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section of a block: some tables of some rows.
 *
 *   table    number, size of what follows (4 bytes), rows, number of the first
 *            row (0 if rows have none), columns up to its end
 *   column   number * 2, or number * 2 + 1 and a bit of the table's first
 *            column; then the column (column.h) of all rows, or of those with
 *            this bit
 *
 * A column that is not there is zero in all rows.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_BLOCK_SECTION_H
#define XENOPROF_LIBXENOPROF_SESSION_BLOCK_SECTION_H

#include "base/vector.h"
#include "libxenoprof/column.h"
#include "session-format.h"

/* What rows have that are of a shape, by its number less 1. */
struct section_shapes {
    VECTOR(uint64_t);
};

/* Rows of one table, as numbers side by side. */
struct session_rows {
    VECTOR(uint64_t);
};

/* Returns a new last row of this table, all zeroes, or NULL if there is no
 * memory. */
uint64_t *session_rows_add(struct session_rows *rows,
                           const struct session_table *table);

/* Writes tables into a section; all zeroes, and columns that are open, is
 * one. */
struct section_writer {
    struct column_packer columns;
    struct buffer section;               /* the tables so far */
    const struct section_shapes *shapes; /* of samples; not the writer's */
    struct {
        VECTOR(uint64_t);
    } spare;
};

void section_writer_free(struct section_writer *writer);

/* Adds a table of count rows, 1 to COLUMN_ROWS_MAX; first is the number of
 * the first, if the table's rows have numbers; bytes go into its column of
 * bytes, if it has one.  Returns false if there is no memory: section is then
 * of no use. */
bool section_put(struct section_writer *writer,
                 const struct session_table *table, const uint64_t *rows,
                 size_t count, uint64_t first, const struct buffer *bytes);

/* A table that was read ahead, as a reader has it; numbers are good as long as
 * this is. */
struct early_table {
    struct session_table table;
    size_t count;
    uint64_t first;
    uint64_t *values[SESSION_COLUMNS_MAX]; /* in room */
    struct {
        VECTOR(uint64_t);
    } room;
    struct buffer bytes;
    uint32_t there;
    uint64_t steps; /* that reading it took */
    size_t size;    /* of its bytes in the section, and what was passed over */
};

/* The first tables of a section; all zeroes is none. */
struct early_tables {
    VECTOR(struct early_table); /* there is room for so many */
    size_t known, next;         /* so many were read; this one is taken next */
    struct {
        VECTOR(uint64_t);
    } spare; /* room for one more */
};

/* Reads tables; all zeroes but for columns.zstd is one. */
struct section_reader {
    struct column_reader columns;
    const struct section_shapes *shapes;   /* of samples; not the reader's */
    struct session_table table;            /* that was read last, its */
    size_t count;                          /* ... rows, */
    uint64_t first;                        /* ... the number of the first, */
    uint64_t *values[SESSION_COLUMNS_MAX]; /* ... columns, by slot, */
    struct buffer bytes;                   /* ... and its column of bytes */
    uint32_t there;    /* ... and those of these, by bit, that it has */
    uint32_t unwanted; /* columns of samples that are not read, by bit: their
                          values are anything */
    uint32_t passed;   /* tables that are passed over, by bit */
    struct {
        VECTOR(uint64_t);
    } room, has, spare; /* has: bits of rows, if these were asked for */
    /* What reading may still take, in steps of about a nanosecond: a few bytes
     * can be many rows.  Whoever reads a section says how much; 0 after a
     * section that would take more. */
    uint64_t steps;
    struct early_tables *early; /* read before; NULL: nothing */
};

void section_reader_free(struct section_reader *reader);

/* Takes so many of the reader's steps.  Returns false if it has fewer: it has
 * none then. */
bool section_spend(struct section_reader *reader, uint64_t steps);

/* Reads the next table that is known.  Returns COLUMN_OK; COLUMN_BAD if the
 * bytes are not a table, or take more steps than there are;
 * COLUMN_NO_MEMORY; or COLUMN_OK and sets *end after the last. */
enum column_result section_next(struct section_reader *reader,
                                struct cursor *section, bool *end);
/* The same for the next table with this number; others are not looked at. */
enum column_result section_find(struct section_reader *reader,
                                struct cursor *section, uint64_t number,
                                bool *end);

/* Reads what a section begins with, for section_next() of another reader, which
 * says and takes the same then as if it read that itself.  What depends on
 * shapes is left to it, and so is what would take too much memory. */
void section_read_early(struct section_reader *reader, struct cursor section,
                        struct early_tables *ret);
void early_tables_free(struct early_tables *early);

#endif
