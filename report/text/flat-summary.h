/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first look: whose time it is, a line for each domain.
 */
#ifndef XENOPROF_REPORT_TEXT_FLAT_SUMMARY_H
#define XENOPROF_REPORT_TEXT_FLAT_SUMMARY_H

#include "report/model/report.h"

/* Nothing if there are no samples; false if there is no memory. */
bool flat_summary(const struct report *report, FILE *file);

#endif
