/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the profiler itself took of all pCPU time, in words: the module in Xen,
 * in dom0 the daemon with its processes, and what else is in own-cost.h.
 */
#ifndef XENOPROF_REPORT_TEXT_COST_TEXT_H
#define XENOPROF_REPORT_TEXT_COST_TEXT_H

#include "report/cells/own-cost.h"

/* Returns all pCPU time, which is time_all where a report is of time. */
uint64_t cost_whole(const struct loaded *loaded, uint64_t time_all);

/* Returns "3.12% of pCPU time: ..." in a malloc'ed text, "" if the session does
 * not say it. */
char *cost_text(const struct loaded *loaded, uint64_t time_all);

/* Returns the domain's name with the profiler's part of its time, if that is
 * known, malloc'ed; frees name. */
char *cost_mark(const struct loaded *loaded, uint32_t domain, uint64_t time_all,
                char *name);

#endif
