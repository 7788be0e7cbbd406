/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the profiler's own programs took: xenoprofd and its processes, xenopctl,
 * xenopreport, and opagent, in dom0 and in guests.
 *
 * Of xenoprofd and its processes the session says what dom0's kernel counted;
 * of all of them samples say which share of a domain's time they had, where the
 * name of who ran is known.
 */
#ifndef XENOPROF_REPORT_CELLS_OWN_COST_H
#define XENOPROF_REPORT_CELLS_OWN_COST_H

#include "report/model/loaded.h"

/* Whether a thread of that name is the profiler's.  A guest may lie in names,
 * about itself alone. */
bool comm_is_own(const char *comm);

/* Finds out loaded_domain.own and .agent of each domain, once cells have their
 * time and who ran; of samples of time. */
void own_cost_measure(struct loaded *loaded);

/* Returns ns of a domain's time that were the profiler's, as far as that is
 * known: in dom0 the larger of what its kernel counted and samples say. */
uint64_t own_cost_of(const struct loaded *loaded, uint32_t domain);
/* The same of dom0, and of all others. */
uint64_t own_cost_in_dom0(const struct loaded *loaded);
uint64_t own_cost_in_guests(const struct loaded *loaded);

#endif
