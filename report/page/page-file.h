/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page as a file: what report/page/ has, around the data of one report.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_FILE_H
#define XENOPROF_REPORT_PAGE_PAGE_FILE_H

#include "bytes.h"

/* The title may be any text; data is all sections, one behind the other.
 * False if there is no memory; writing errors are seen at file. */
bool page_file_put(const char *title, const struct bytes *data, FILE *file);

#endif
