/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that units of IBS count.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_IBS_SETUP_H
#define XENOPROF_HYPERVISOR_PMU_IBS_SETUP_H

#include "hypervisor/session.h"
#include "hypervisor/words.h"
#include "pmu-state.h"

/* Reads what the words say of a unit; CPUID alone says what it can.  Returns 0,
 * or what refuse() returned. [command] */
int pmu_ibs_event(const struct pmu *pmu, const struct words *words,
                  struct pmu_event *ret);

/* Makes the slot, if the set has not that unit yet.  Returns 0, or what
 * refuse() returned. [command] */
int pmu_ibs_take(const struct pmu_set *set, const struct pmu_event *event,
                 struct pmu_slot *ret);

/* Before units start: looks at those of all pCPUs of the session, and at the
 * interrupt that they make; nothing without an event of theirs.  Returns 0, or
 * what refuse() returned. [command] */
int pmu_ibs_start(struct session *session);

#endif
