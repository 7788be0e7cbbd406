/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ran on each pCPU and when, as the page has it (doc/page.md).
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_PCPUS_H
#define XENOPROF_REPORT_PAGE_PAGE_PCPUS_H

#include "bytes.h"
#include "report/model/report.h"

/* Reads the session once more, since samples are not told apart by pCPU
 * otherwise, and puts the rows: nothing of a session that is large, or not of
 * time. */
void page_pcpus_put(const struct report *report, struct bytes *ret);

#endif
