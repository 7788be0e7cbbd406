/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with columns of numbers and, behind them, a column for each label:
 * the flat report, --children and --diff.
 */
#ifndef XENOPROF_REPORT_TEXT_LABEL_TABLE_H
#define XENOPROF_REPORT_TEXT_LABEL_TABLE_H

#include "grid.h"
#include "report/model/profile.h"
#include "report/model/report.h"

struct label_table {
    const struct report *report;
    const void *data; /* for the functions below */
    struct label_list labels;
    size_t count;              /* of rows, sorted; row 0 is the largest */
    const char *const *titles; /* of the numbers; ends with NULL */
    /* Adds a row's numbers, one for each title; rest: those of the sum of it
     * and all behind it, if they can be added up. */
    void (*numbers)(struct grid *grid, const void *data, size_t row, bool rest);
    bool sums; /* they can */
    /* Returns a malloc'ed text. */
    char *(*text)(const void *data, size_t row, enum label label);
    /* Returns whether a row is at least limit percent. */
    bool (*large)(const void *data, size_t row, double limit);
};

/* Prints titles and rows.  Rows below --percent-limit are one line. */
void label_table_print(const struct label_table *table, FILE *file);

/* Returns whether a label has a column of its own.  Without --sort the image
 * stands behind the symbol, where it says more than the mode. */
bool label_has_column(const struct query *query, enum label label);

/* Both return malloc'ed text: the percentage of all pCPU time, and a row's
 * symbol with, in brackets, where it is from if that is not plain. */
char *percent_text(const struct profile *profile, uint64_t time);
char *row_symbol_text(const struct report *report,
                      const struct profile *profile, const struct row_key *key);

#endif
