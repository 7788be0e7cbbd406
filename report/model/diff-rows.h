/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a table that compares two sessions.
 */
#ifndef XENOPROF_REPORT_MODEL_DIFF_ROWS_H
#define XENOPROF_REPORT_MODEL_DIFF_ROWS_H

#include "diff.h"
#include "profile.h"

struct diff_row {
    struct {
        uint32_t text[LABELS]; /* in diff_rows.texts, a column each; 0: none */
        uint32_t zero;
    } key;
    struct amount side[2];
    struct change change;
};

struct diff_rows {
    struct names texts;
    struct diff_whole whole[2];
    struct table rows;              /* struct diff_row */
    const struct diff_row **sorted; /* by change, the largest first */
    size_t beyond;                  /* rows that are beyond noise */
};

/* What a row of one side is called under a label: malloc'ed. */
typedef char *diff_text_fn(const struct report *report,
                           const struct profile *profile, const struct row *row,
                           enum label label);

/* report.base is before, report after; rows by labels, alike if their texts
 * are.  diff_rows_free() in any case. */
void diff_rows_build(struct diff_rows *diff, const struct report *report,
                     const struct label_list *labels, diff_text_fn *text,
                     enum normalize normalize);
void diff_rows_free(struct diff_rows *diff);

#endif
