/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a table of the rows of functions, which may come in any order, twice,
 * or one over another.
 *
 * Init, then function and row in turns, root, make, free.
 */
#ifndef XENOPROF_ROWS_ROW_BUILDER_H
#define XENOPROF_ROWS_ROW_BUILDER_H

#include "base/table.h"
#include "base/vector.h"
#include "row-table.h"

/* A function: rows from `first` on. */
struct row_function {
    uint64_t start, end;
    uint32_t order, first, count;
};

struct raw_row {
    uint32_t place; /* from the base */
    uint32_t number;
};

struct row_builder {
    struct row_segment segment[ROW_SEGMENTS_MAX];
    uint32_t segments;
    uint64_t base, end; /* of the pages */
    uint64_t root, root_end;
    struct {
        VECTOR(struct row_function);
    } functions;
    struct {
        VECTOR(struct raw_row);
    } raw;
    struct table rules; /* of struct row_rule */
    bool open;          /* rows of the last function are taken */
    bool no_memory, too_many;
};

/* Segments are sorted by address and do not overlap.  Returns false if that is
 * not so, there are none or too many, they lie further apart than a table can
 * say, or there is no memory (no_memory); the builder needs to be freed all the
 * same. */
bool row_builder_init(struct row_builder *builder,
                      const struct row_segment *segment, size_t segments);
void row_builder_free(struct row_builder *builder);

/* Rows that follow are of the code from start to end.  What is outside of the
 * segments, or was said of before by a function that begins earlier, is passed
 * over. */
void row_builder_function(struct row_builder *builder, uint64_t start,
                          uint64_t end);
/* The row of the code from address on; addresses rise, and of equal ones the
 * last counts. */
void row_builder_row(struct row_builder *builder, uint64_t address,
                     const struct row_rule *rule);

/* Returns whether no table will be made whatever else is said, for want of
 * memory or since there are too many rows. */
bool row_builder_failed(const struct row_builder *builder);

/* The code from address to end is a root, where nothing else is said of it. */
void row_builder_root(struct row_builder *builder, uint64_t address,
                      uint64_t end);

/* Returns the table, or NULL if there is no memory, or (too_many) there are
 * more rows than one may have. */
struct row_table *row_builder_make(struct row_builder *builder);

#endif
