/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of an image: for each place in its code, the rule by which its
 * caller's frame is found.
 *
 * Code is divided into pages of 64 KiB, and these into blocks of 256 bytes.  A
 * row is a byte, its address in its block, and another, the number of a rule;
 * it holds up to the next row.  An image has some rules that most rows have:
 * these have the low numbers, and what has another is in a list of its own.
 */
#ifndef XENOPROF_ROWS_ROW_TABLE_H
#define XENOPROF_ROWS_ROW_TABLE_H

#include <stddef.h>

#include "base/flat.h"
#include "row-rule.h"

#define ROW_PAGE_SHIFT 16u
#define ROW_PAGE       (1u << ROW_PAGE_SHIFT)

#define ROW_BLOCK_SHIFT 8u
#define ROW_BLOCKS      256u /* of a page */
#define ROW_RARE        255u /* the number of a rule that is listed */

#define ROW_PAGES_MAX    65536u /* 4 GiB of addresses */
#define ROW_ROWS_MAX     (1u << 24)
#define ROW_RULES_MAX    65536u
#define ROW_SEGMENTS_MAX 64u

/* A part of the file that is mapped as code.  Addresses are those that the file
 * gives itself. */
struct row_segment {
    uint64_t offset;  /* in the file */
    uint64_t address; /* of that byte */
    uint64_t size;
};

/* There is one more than there are pages.  A page of more than one row has a
 * number for its blocks; the first row of each is at the page's first byte. */
struct row_page {
    uint32_t first; /* row */
    uint32_t dense; /* pages of more than one row before this one */
};

struct row_table {
    uint64_t base; /* of the first page: a multiple of ROW_PAGE */
    uint32_t pages, dense, rows, rare, rules, segments;
    const struct row_segment *segment; /* by address; they do not overlap */
    const struct row_page *page;       /* pages + 1 */
    const uint16_t *block;  /* dense * ROW_BLOCKS: rows of the page before it */
    const uint8_t *address; /* rows: within the block */
    const uint8_t *number;  /* rows: of the rule, or ROW_RARE */
    const uint32_t *rare_row; /* rare: which rows have that number */
    const uint16_t *rare_number;
    const struct row_rule *rule; /* the first is RULE_NONE */
    void *owned; /* what is freed with the table; NULL if it lies elsewhere */
};

/* Takes NULL. */
void row_table_close(struct row_table *table);

/* Appends the table to bytes that another process, or another machine, is to
 * read.  Returns false if there is no memory. */
bool row_table_put(const struct row_table *table, struct buffer *to);
/*
 * Returns the table in these bytes, which it uses where they lie, at a multiple
 * of 8; or NULL if they are not exactly one table, in all that a walk relies
 * on, or there is no memory.  Whoever wrote them may have lied about the code,
 * but about nothing else.
 */
struct row_table *row_table_get(const void *bytes, size_t size);

/* Bytes of memory that its rows and rules take. */
size_t row_table_size(const struct row_table *table);

/* Returns the rule of the code at address, which is RULE_NONE outside of the
 * table.  Good as long as the table. */
const struct row_rule *row_table_find(const struct row_table *table,
                                      uint64_t address);
/* The number of a row's rule. */
uint32_t row_table_number(const struct row_table *table, uint32_t row);

#endif
