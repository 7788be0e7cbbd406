/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page of --live says first: the verdict, and why Xen ran, as
 * xenopreport's first screen says it of the same seconds.
 *
 * live-follow.h counts leaves alone, since a session that goes on has ever new
 * stacks.  These are read anew, of the last seconds only, and forgotten; and no
 * sooner than the time that it took is LIVE_VERDICT_PERCENT of all.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_VERDICT_H
#define XENOPROF_REPORT_LIVE_LIVE_VERDICT_H

#include "base/failure.h"
#include "report/model/query.h"
#include "report/text/layout.h"

#define LIVE_VERDICT_PERCENT 2u  /* of one CPU, for verdicts */
#define LIVE_VERDICT_MOST    60u /* seconds that one is of */
#define LIVE_VERDICT_LINES   8u  /* of a page */

struct live_verdict {
    char *path;           /* of the session that it is of */
    char *text;           /* lines, each with its end; NULL: none was made */
    unsigned int seconds; /* that were asked for */
    uint64_t next;        /* monotonic_now() when another one is due */
};

/* Makes the verdict of the session's last seconds (0: of as many as there may
 * be), if one is due at this time or other seconds are asked for.  That nothing
 * can be said is a line, too. */
void live_verdict_make(struct live_verdict *verdict, const struct query *query,
                       const struct layout *layout, const char *path,
                       unsigned int seconds, uint64_t now);
/* Returns how many lines of the text a page has. */
size_t live_verdict_lines(const struct live_verdict *verdict);
void live_verdict_free(struct live_verdict *verdict);

#endif
