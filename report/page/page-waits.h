/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long each vCPU waited for a pCPU, and had nothing to do, by time, as the
 * page has it (doc/page.md).
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WAITS_H
#define XENOPROF_REPORT_PAGE_PAGE_WAITS_H

#include "bytes.h"
#include "report/model/loaded.h"

/* Puts the rows; nothing if the session has none, or no samples. */
void page_waits_put(const struct loaded *loaded, struct bytes *ret);

#endif
