/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose time there was and when, as the page has it (doc/page.md): what it
 * needs to know how long each vCPU ran in any part of the time.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_OWNERS_H
#define XENOPROF_REPORT_PAGE_PAGE_OWNERS_H

#include "bytes.h"
#include "report/model/report.h"

/* Whether samples have what their vCPU ran; else each has the mean of its node:
 * those of other types, and where there is an account of pCPUs alone. */
static inline bool page_has_owners(const struct loaded *loaded)
{
    return types_is_time(&loaded->types) && !loaded->slots.by_pcpu &&
           loaded->timeline.begun;
}

/* Put the rows; nothing if the page has no owners. */
void page_owners_put(const struct report *report, struct bytes *ret);

#endif
