/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands below a table: that there is more to see, and where names are
 * missing that could be given.
 */
#ifndef XENOPROF_REPORT_TEXT_FLAT_HINTS_H
#define XENOPROF_REPORT_TEXT_FLAT_HINTS_H

#include "report/model/report.h"

/* False if there is no memory. */
bool flat_hints(const struct report *report, FILE *file);

#endif
