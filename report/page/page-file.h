/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page as a file: the texts of report/page/ around the data of one report.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_FILE_H
#define XENOPROF_REPORT_PAGE_PAGE_FILE_H

#include "bytes.h"

#include <stdio.h>

/* Sections of a page's data, in this order; the last three are of --diff, where
 * those of samples are empty. */
enum {
    SECTION_INFO,
    SECTION_FRAME_IMAGES,
    SECTION_FRAME_MODES,
    SECTION_NODE_UPS,
    SECTION_NODE_VALUES,
    SECTION_NODE_TIMES,
    SECTION_RUNS,
    SECTION_NODES,
    SECTION_COUNTS,
    SECTION_OWNERS,
    SECTION_WAITS,
    SECTION_PCPUS,
    SECTION_CODE,
    SECTION_BEFORE,
    SECTION_AFTER,
    SECTION_BEYOND,
    SECTIONS
};

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
