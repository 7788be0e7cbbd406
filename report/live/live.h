/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --live: where time goes now, on a terminal.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_H
#define XENOPROF_REPORT_LIVE_LIVE_H

#include "report/model/query.h"
#include "report/text/layout.h"

/* Runs until the user quits. */
enum exit_status live_run(const struct query *query,
                          const struct layout *layout, const char *session,
                          struct failure *failure);

#endif
