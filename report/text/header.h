/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands above a table: with --header all of the session's attributes,
 * else what header-short.h has, nothing of both with --no-header; and its
 * losses.
 */
#ifndef XENOPROF_REPORT_TEXT_HEADER_H
#define XENOPROF_REPORT_TEXT_HEADER_H

#include "report/model/profile.h"
#include "report/model/report.h"

void header_print(const struct report *report, const struct profile *profile,
                  FILE *file);

#endif
