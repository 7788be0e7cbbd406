/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page as a file: the texts of report/page/ around the data of one report.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_FILE_H
#define XENOPROF_REPORT_PAGE_PAGE_FILE_H

#include "bytes.h"

#include <stdio.h>

/* Up to the data of the first type of samples; the title may be any text.  The
 * caller checks file for errors. */
void page_file_begin(const char *title, const char *type, FILE *file);
/* Writes all sections in a row, compressed (RFC 1951, without a header). */
typedef void page_data_put(const struct bytes *data, FILE *file);
page_data_put page_file_put_data;   /* in base64 */
page_data_put page_file_put_packed; /* as they are */
/* Up to the data of another type. */
void page_file_next(const char *type, FILE *file);
/* What follows the data. */
void page_file_end(FILE *file);
/* A page without data, which it asks for: of --serve. */
void page_file_put_served(FILE *file);

#endif
