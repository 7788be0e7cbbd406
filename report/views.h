/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All forms of report, as views.def lists them.
 */
#ifndef XENOPROF_REPORT_VIEWS_H
#define XENOPROF_REPORT_VIEWS_H

#include "report/model/report.h"

enum {
#define VIEW(name, compare) VIEW_##name,
#include "views.def"
#undef VIEW
    VIEWS
};

struct view_row {
    const struct view *view;
    const struct view *compare; /* --diff; its print is NULL: it cannot */
};

extern const struct view_row view_table[VIEWS];

extern const struct view view_ratio; /* --ratio */

#endif
