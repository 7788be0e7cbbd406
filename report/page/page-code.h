/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hottest functions' instructions and lines of source, with the samples of
 * each in the page's whole time, as the page has them (doc/page.md).
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_CODE_H
#define XENOPROF_REPORT_PAGE_PAGE_CODE_H

#include "page-nodes.h"
#include "report/model/report.h"

#define PAGE_CODE_FUNCTIONS 200u
#define PAGE_CODE_BYTES     (1u << 20) /* of JSON */
#define PAGE_CODE_ROWS      2000u      /* of one function */

/* Reads the session once more, since samples are not told apart by address
 * otherwise, and puts JSON: nothing of a session that is large. */
void page_code_put(const struct report *report, const struct page_nodes *nodes,
                   struct bytes *ret);

#endif
