/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --browse, with the views that it shows.
 */
#ifndef XENOPROF_REPORT_EXPLORE_H
#define XENOPROF_REPORT_EXPLORE_H

#include "report/model/gather.h"
#include "report/model/report.h"

/* Of a session that has more than twice as many bytes the rest is read while
 * these are shown. */
#define EXPLORE_FIRST_BYTES (256u << 10)

/* report is of the session; words are those of the command line.  Returns as
 * browse_run(). */
enum exit_status explore(const struct report *report,
                         struct gathered_session *session,
                         const char *const *words, struct failure *failure);

#endif
