/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page of --live as text.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_PAGE_H
#define XENOPROF_REPORT_LIVE_LIVE_PAGE_H

#include "live-follow.h"
#include "live-state.h"
#include "live-verdict.h"
#include "report/text/layout.h"

struct live_page {
    struct live_follow *follow;
    struct live_state *state;
    const struct live_verdict *verdict;
    const struct query *query;
    const struct layout *layout; /* with the screen's width */
    size_t height;               /* lines */
};

/* Returns the page, malloc'ed. */
char *live_page(const struct live_page *page);

#endif
