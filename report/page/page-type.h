/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of one type of samples, as a page has it.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_TYPE_H
#define XENOPROF_REPORT_PAGE_PAGE_TYPE_H

#include "page-file.h"
#include "report/model/report.h"

/* Writes all sections of the type that the report shows.  Its query is one of
 * view_html's needs. */
void page_type_put(const struct report *report, page_data_put *put, FILE *file);

#endif
