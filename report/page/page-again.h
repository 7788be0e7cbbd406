/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session is read once more, for what the page has beside its first reading.
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_AGAIN_H
#define XENOPROF_REPORT_PAGE_PAGE_AGAIN_H

#include "report/model/gather.h"
#include "report/model/report.h"

#define PAGE_AGAIN_BYTES (64u << 20) /* of a session that is read again */

/* Reads the report's session as that query asks for it.  Returns false if it
 * cannot be read any more, which is no reason to have no page.
 * gathered_free() in any case. */
bool page_again(const struct report *report, const struct query *query,
                struct gathered_session *ret);

/* Returns the number that page has of a domain of another reading. */
uint32_t page_again_domain(const struct loaded *page,
                           const struct loaded *other, uint32_t domain);

#endif
