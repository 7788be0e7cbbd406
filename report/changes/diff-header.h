/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_CHANGES_DIFF_HEADER_H
#define XENOPROF_REPORT_CHANGES_DIFF_HEADER_H

#include "report/text/grid.h"
#include "report/model/diff.h"

#include <stdio.h>

/* What stands above a comparison: both sessions with their losses, what is
 * selected, and how many of the changes that were tested are beyond noise. */
void diff_header(const struct report *report, const struct diff_whole whole[2],
                 size_t beyond, size_t tested, FILE *file);

/* The same without the last: its line "noise" and what follows are to come. */
void diff_header_sides(const struct report *report,
                       const struct diff_whole whole[2], FILE *file);

/* The columns of a table of changes, behind which is what they are of; ends
 * with NULL. */
extern const char *const diff_titles[];

/* Add these cells; tested: else it is a sum, of which it is not known how sure
 * it is. */
void diff_add_change(struct grid *grid, const struct report *report,
                     const struct change *change, bool tested);

/* "A -> B" with an arrow, of session_title(), and of parts of the time if these
 * are compared; malloc'ed. */
char *diff_title(const struct report *report);

#endif
