/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ticks look at now and then: the reader's lease, the budget, rings that
 * fill up, the age of records, domains that are gone, who waits, the sums in
 * the status page.
 */
#ifndef XENOPROF_HYPERVISOR_UPKEEP_H
#define XENOPROF_HYPERVISOR_UPKEEP_H

#include "session.h"

/* To be called at every tick: looks at the NMI slot, every 10 ms or so at what
 * cannot wait, and every 100 ms at all pCPUs, each on one pCPU.  May halt the
 * session. [soft] */
void upkeep(struct session *session, uint64_t now);

/* Counts what this pCPU spent on us since start (port_ticks()), and what its
 * first halves spent.  Returns the former, in port_ticks(). [soft] */
uint64_t upkeep_add_cost(const struct session *session, struct pcpu *pcpu,
                         uint64_t start);

/* Starts the lease, the budget and the frequency at now. [command] */
void upkeep_start(struct session *session, uint64_t now);

/* Keeps ticks out of upkeep while a command changes what it looks at.  Returns
 * false if a tick stays in it for 100 ms. [command] */
bool upkeep_lock(struct session *session);
void upkeep_unlock(struct session *session);

/* Adds up the counters in the status page's copy; exact when the session is
 * quiet.  To be called locked. */
void upkeep_count(struct session *session);

/* Returns the frequency in Hz that the budget, the reader, and the host's
 * ceiling with so many pCPUs leave of what was asked for. */
uint32_t upkeep_frequency(const struct session *session, uint32_t pcpus);

#endif
