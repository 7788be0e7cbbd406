/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an NMI may still come whose cause was found already.
 *
 * It waits behind the one that found its cause, so it comes before this pCPU
 * does anything else.  But the clock does not say so: firmware (an SMI), or a
 * host below, takes the pCPU for as long as it likes at any instruction of a
 * handler, before its first and behind its last.  So an NMI does not go by the
 * time that has passed.  A tick does: what was to come has come by then.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_FOLLOW_H
#define XENOPROF_HYPERVISOR_PMU_FOLLOW_H

#include "pmu-claim.h"
#include "pmu-here.h"

/* One may follow, in this pCPU's own time or over an interrupt controller that
 * takes its time. [nmi] */
void pmu_follow_soon(struct pmu_here *here, uint64_t millisecond);
void pmu_follow_late(struct pmu_here *here, uint64_t millisecond);

/* Returns whether an NMI that came at now, in port_ticks(), may be the one.
 * [nmi] */
bool pmu_follow_may(const struct pmu_here *here, uint64_t millisecond,
                    uint64_t now);
/* Notes what an NMI means for the next; it came with these signs. [nmi] */
void pmu_follow_note(struct pmu_here *here, uint64_t millisecond,
                     const struct pmi_signs *signs, enum pmi_follows follows);

/* A tick begins: what had its time does not come any more. [soft] */
void pmu_follow_end(struct pmu_here *here, uint64_t millisecond);

#endif
