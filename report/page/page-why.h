/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why Xen ran, for a page: "verdict" and "why" in its JSON, as --why has them.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WHY_H
#define XENOPROF_REPORT_PAGE_PAGE_WHY_H

#include "base/json-writer.h"
#include "report/model/report.h"

#include <stdbool.h>

void page_why_put(struct json *json, const struct report *report);

#endif
