/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waited, for a page: "waits" in its JSON, as --waits has it: a row for each
 * vCPU of the host, those that waited longest for a pCPU first.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WAITS_H
#define XENOPROF_REPORT_PAGE_PAGE_WAITS_H

#include "base/json-writer.h"
#include "report/model/report.h"

#include <stdbool.h>

void page_waits_put(struct json *json, const struct report *report);

#endif
