/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a table of rows that are laid out, but not packed. */
#ifndef XENOPROF_ROWS_ROW_PACK_H
#define XENOPROF_ROWS_ROW_PACK_H

#include "row-table.h"

/* Each page has a row for its first byte; rule number 0 is RULE_NONE. */
struct plain_rows {
    uint64_t base;
    uint32_t pages, rows, rules, segments;
    const struct row_segment *segment;
    const uint32_t *first;   /* pages + 1: the first row of each */
    const uint16_t *address; /* rows: within the page */
    const uint16_t *number;  /* rows: of the rule */
    const struct row_rule *rule;
};

/* Returns the table, or NULL if there is no memory. */
struct row_table *row_pack(const struct plain_rows *plain);

#endif
