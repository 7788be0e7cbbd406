/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --live: what takes the time now, for a terminal.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_H
#define XENOPROF_REPORT_LIVE_LIVE_H

#include "report/model/query.h"
#include "report/text/layout.h"

/* Until the user has seen enough. */
enum exit_status live_run(const struct query *query,
                          const struct layout *layout, const char *session,
                          struct failure *failure);

#endif
