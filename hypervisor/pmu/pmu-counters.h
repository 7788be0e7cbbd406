/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of one set, on the pCPU that this runs on: programming and
 * reading, in the order that holds for all families.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_COUNTERS_H
#define XENOPROF_HYPERVISOR_PMU_COUNTERS_H

#include "pmu-family.h"
#include "pmu-ibs.h"

/* Has those count that may, each what is left of its period; they may have
 * counted something else before.  Only while `changing`. [call] */
void pmu_counters_arm(const struct pmu_family *family,
                      const struct pmu_set *set, struct pmu_here *here);

/* Stops them and clears them; what is left of each period is noted.  That an
 * NMI may follow is noted before an overflow can no longer be seen.  Returns
 * the slots that had overflowed.  Only while `changing`. [call] */
uint32_t pmu_counters_disarm(const struct pmu_family *family,
                             const struct pmu_set *set, uint64_t millisecond,
                             struct pmu_here *here);

/* What a slot's registers were before it was armed. */
struct pmu_before {
    uint64_t select;
    uint64_t control; /* its bit there, or 0 */
};

/* Stops and clears the counter of a slot, and has its registers be as they
 * were, unless somebody else has it; of no set that counts here. [call] */
void pmu_counters_clear(const struct pmu_family *family,
                        const struct pmu_slot *slot,
                        const struct pmu_before *before);

/* Returns how many of its period a slot has still to count, 0 if that is not
 * known. [call] */
uint32_t pmu_counters_left(const struct pmu_family *family,
                           const struct pmu_slot *slot, uint32_t period);

/* Returns those of the slots that are as they were armed. [call] */
uint32_t pmu_counters_intact(const struct pmu_family *family,
                             const struct pmu_set *set, uint32_t slots);

/* Stop and go for all counters of the set, where the family can: what is done
 * in between is not counted. [nmi] */
void pmu_counters_pause(const struct pmu_family *family,
                        const struct pmu_set *set);
void pmu_counters_go(const struct pmu_family *family,
                     const struct pmu_set *set);

/* Returns the slots that have overflowed since they were armed. [nmi] */
uint32_t pmu_counters_overflowed(const struct pmu_family *family,
                                 const struct pmu_set *set,
                                 const struct pmu_here *here);

/* Has a slot that overflowed count from its period again, or with stop count
 * no more. [nmi] */
void pmu_counters_again(const struct pmu_family *family,
                        const struct pmu_slot *slot, uint32_t period,
                        bool stop);

#endif
