/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tables have in common: which rows those of a flat report show, columns
 * for labels, and numbers as texts for a grid (malloc'ed, NULL if there is no
 * memory).
 */
#ifndef XENOPROF_REPORT_TEXT_FLAT_ROWS_H
#define XENOPROF_REPORT_TEXT_FLAT_ROWS_H

#include "grid.h"
#include "report/model/query.h"
#include "report/model/format.h"
#include "report/model/profile.h"

/* How many rows are shown one by one. */
size_t flat_rows_shown(const struct query *query,
                       const struct profile *profile);
/* The same, where a higher limit than the usual one hides nothing more. */
size_t flat_rows_at_least(const struct query *query,
                          const struct profile *profile);
/* The rows from shown on, in one; its key says nothing. */
struct row flat_rows_hidden(const struct profile *profile, size_t shown);

/* Returns whether a label has a column of its own.  Without --sort the image
 * stands behind the symbol, where it says more than the mode. */
bool flat_has_column(const struct query *query, enum label label);
/* A column for this label. */
void flat_label_column(struct grid *grid, enum label label);

char *flat_percent(const struct profile *profile, uint64_t time);

#endif
