/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells get their time in whole ns: what their samples have of their owners'
 * time (loaded.slots, report/time/slots.h), so that the cells of a domain, and
 * of a vCPU if these are told apart, add up to Xen's account of it.
 *
 * Time of an owner that no sample says anything of is a cell of its domain
 * without a place.  Work that is nobody's by Xen's account goes to `other`.
 * What is left of the time between the first and the last look at the pCPUs is
 * idle.  Where Xen's account is not in the session, a sample has the time that
 * it stands for, and nothing is known of idle time.
 */
#ifndef XENOPROF_REPORT_MODEL_ACCOUNT_H
#define XENOPROF_REPORT_MODEL_ACCOUNT_H

#include "loaded.h"
#include "report/cells/join-cells.h"

/* Returns the index of the domain with this number and uuid. */
uint32_t account_domain(const struct loaded *loaded,
                        const struct owner_key *of);

/* Fill in the time of each cell from what its samples were given; of: what
 * cells do not tell apart.  Of samples that are not of time it is what they
 * stand for, and nothing is idle. */
void account_time(struct loaded *loaded, const struct join_rule *of);

#endif
