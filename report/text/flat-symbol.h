/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column of symbols in a table: the name, and in brackets where it is
 * from if that is not plain.
 */
#ifndef XENOPROF_REPORT_TEXT_FLAT_SYMBOL_H
#define XENOPROF_REPORT_TEXT_FLAT_SYMBOL_H

#include "report/model/profile.h"
#include "report/model/report.h"

/* malloc'ed, NULL if there is no memory. */
char *flat_symbol(const struct report *report, const struct profile *profile,
                  const struct row_key *key);

#endif
