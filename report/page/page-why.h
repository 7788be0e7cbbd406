/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why Xen ran, for a page: "why" in its JSON, as --why has it; and the verdict.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WHY_H
#define XENOPROF_REPORT_PAGE_PAGE_WHY_H

#include "base/json-writer.h"
#include "page-nodes.h"
#include "report/text/why-text.h"

void page_why_put(struct json *json, const struct why_page *page);

/* Returns the number of a reason in "why", counted from 1; 0: it is not there. */
uint32_t page_why_number(const struct why_page *page, enum xen_reason reason);

/* Puts "verdict", of the whole page, and "findings": what it takes to make some
 * of its lines anew, of any selection. */
void page_verdict_put(struct json *json, const struct report *report,
                      const struct page_nodes *nodes);

#endif
