/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an NMI may still come whose cause was found already.
 *
 * It waits behind the one that found its cause, so it comes before this pCPU
 * does anything else.  But the clock does not say so: firmware (an SMI), or a
 * host below, takes the pCPU for as long as it likes at any instruction of a
 * handler, before its first and after its last.  So an NMI does not go by the
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

#define PMU_FOLLOW_LATE    100u  /* ms that a late one takes */
#define PMU_FOLLOW_GIVE_UP 1000u /* after that, where no ticks are */

/* Returns whether an NMI that came at now, in port_ticks(), may be the one.
 * [nmi] */
static inline bool pmu_follow_may(const struct pmu_here *here,
                                  uint64_t millisecond, uint64_t now)
{
    uint64_t since = now + PMU_FOLLOW_LATE * millisecond - here->follows;

    return here->follows &&
           since <= (PMU_FOLLOW_LATE + PMU_FOLLOW_GIVE_UP) * millisecond;
}

/* Notes what an NMI that came at now means for the next; it had these signs.
 * [nmi] */
void pmu_follow_note(struct pmu_here *here, uint64_t millisecond, uint64_t now,
                     const struct pmi_signs *signs, enum pmi_follows follows);

/* A tick begins: what had its time does not come any more. [soft] */
void pmu_follow_end(struct pmu_here *here, uint64_t millisecond);

#endif
