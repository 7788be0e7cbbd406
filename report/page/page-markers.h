/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the session says beside its samples, as the page marks it over its
 * lanes.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_MARKERS_H
#define XENOPROF_REPORT_PAGE_PAGE_MARKERS_H

#include "report/model/report.h"

#include "base/json-writer.h"

/* Puts two members: markers, and how many more there are than the page has. */
void page_markers_put(struct json *json, const struct report *report);

#endif
