/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --live: what takes the time now, for a terminal.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_H
#define XENOPROF_REPORT_LIVE_LIVE_H

#include "report/options.h"

/* Until the user has seen enough. */
enum exit_status live_run(const struct options *options,
                          struct failure *failure);

#endif
