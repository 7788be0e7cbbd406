/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report says first, ranked: verdict-rules.def has the rules.
 */
#ifndef XENOPROF_REPORT_WHY_VERDICT_H
#define XENOPROF_REPORT_WHY_VERDICT_H

#include "verdict-items.h"
#include "report/model/report.h"

#define VERDICT_LINES 5u /* that are shown */

struct verdict_line {
    bool trust; /* all that is of that rank, in one line, the first */
    const struct verdict_item *item; /* that it is of, or begins with */
    char *text; /* with the command that shows more; malloc'ed, not clean */
};

struct verdict {
    struct verdict_items items;
    struct verdict_line lines[VERDICT_LINES];
    size_t line_count;
};

/* Of functions and processes that is of the cells that are not dropped, of
 * losses, waits, pCPUs and the profiler of all; what Xen ran for is only known
 * with stacks.  verdict_free() in any case. */
void verdict_build(struct verdict *verdict, const struct report *report);
void verdict_free(struct verdict *verdict);

#endif
