/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a header on what samples are of.
 */
#ifndef XENOPROF_REPORT_TYPES_TYPE_LINES_H
#define XENOPROF_REPORT_TYPES_TYPE_LINES_H

#include "report/model/report.h"

/* Whether a session has something to say of types: samples that are not of
 * time. */
bool type_lines_wanted(const struct loaded *loaded);
/* Shows which types there are, how much of each, and what is known of pairs of
 * them; nothing for a session of time alone. */
void type_lines(const struct report *report, FILE *file);

#endif
