/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page has beside nodes and samples, as one JSON object: what is known
 * of the session, and all names.  doc/page.md describes it.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_INFO_H
#define XENOPROF_REPORT_PAGE_PAGE_INFO_H

#include "report/model/frame-text.h"
#include "page-events.h"
#include "report/model/report.h"

#include "base/json-writer.h"

#define PAGE_VERSION 5

struct page_info {
    const struct report *report;
    const struct page_nodes *nodes;
    const struct page_events *events;
    const struct frame_texts *texts;
};

/* Makes the JSON, and the columns of frames: the image (0: not known), and enum
 * xenoprof_mode, or XENOPROF_MODES for an entry that is not code. */
void page_info_put(const struct page_info *info, struct bytes *json,
                   struct bytes *images, struct bytes *modes);

/* Puts two members: the selection, and the session's warnings. */
void page_info_selection(struct json *json, const struct report *report);

#endif
