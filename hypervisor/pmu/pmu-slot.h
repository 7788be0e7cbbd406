/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counts an event, and what counts at the same time.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_SLOT_H
#define XENOPROF_HYPERVISOR_PMU_SLOT_H

#include "pmu-here.h"

/* A counter or a unit of IBS, and the event that it counts. */
struct pmu_slot {
    uint32_t select; /* its register, which may be shared: */
    uint32_t counter;
    uint64_t others;  /* bits of that register that are not this slot's */
    uint64_t enabled; /* its own, when it counts */
    uint64_t bit;     /* in the registers for all counters, or a unit's tag */
    uint32_t event;
    uint32_t ibs; /* enum xenoprof_ibs */
};

struct pmu_set {
    uint32_t slots;
    uint64_t bits; /* of all its counters */
    uint32_t ibs;  /* slots that are units of IBS, a set */
    struct pmu_slot slot[PMU_SLOTS];
};

/* Slots of the set that may count on this pCPU. */
static inline uint32_t pmu_usable(const struct pmu_set *set,
                                  const struct pmu_here *here)
{
    return ((1u << set->slots) - 1) & ~(here->without_ibs ? set->ibs : 0);
}

#endif
