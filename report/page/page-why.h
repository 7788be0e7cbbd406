/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why Xen ran, for a page: "verdict" and "why" in its JSON, as --why has them.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WHY_H
#define XENOPROF_REPORT_PAGE_PAGE_WHY_H

#include "base/json-writer.h"
#include "report/text/why-text.h"

void page_why_put(struct json *json, const struct why_page *page);

/* Returns the number of a reason in "why", counted from 1; 0: it is not there. */
uint32_t page_why_number(const struct why_page *page, enum xen_reason reason);

#endif
