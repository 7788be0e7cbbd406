/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pCPU's registers were before a session, and are again after it: event
 * select registers, units of IBS, which counters count at all, and where
 * interrupts go.  Counters themselves are zero after it, for what they have
 * counted is nobody's business.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_FOUND_H
#define XENOPROF_HYPERVISOR_PMU_FOUND_H

#include "pmu-state.h"

/* Notes them on this pCPU, before any of them is changed. [call] */
void pmu_found_note(const struct pmu *pmu, struct pmu_found *found);
/* Notes where the interrupt of IBS goes, before it is made ours. [call] */
void pmu_found_note_extra(const struct pmu *pmu, struct pmu_found *found);

/* Has them be as they were; all of ours are stopped and cleared.  with_ibs: its
 * interrupt is ours. [nmi] */
void pmu_found_put_back(const struct pmu *pmu, const struct pmu_found *found,
                        bool with_ibs);

/* Returns what the event select register of this slot was.  It had its counter
 * off. */
uint64_t pmu_found_select(const struct pmu_found *found,
                          const struct pmu_slot *slot);

#endif
