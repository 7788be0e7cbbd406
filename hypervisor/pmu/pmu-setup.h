/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session by events is refused for, and the events that it counts.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_SETUP_H
#define XENOPROF_HYPERVISOR_PMU_SETUP_H

#include "hypervisor/session.h"
#include "hypervisor/words.h"
#include "pmu-family.h"

/* What decides whether there can be such a session. */
struct pmu_signs {
    enum pmu_presence presence;
    enum port_pmu owner;
    enum port_slot slot;
    bool together; /* Xen schedules several pCPUs as one */
    bool blind;    /* an NMI that ends a guest's run looks like one in Xen */
    bool fatal;    /* an NMI that nobody claims stops the host */
};

/* Why there cannot, the first that holds. */
enum pmu_refusal {
    PMU_NOT_REFUSED,
    PMU_REFUSED_ABSENT,
    PMU_REFUSED_OLD,
    PMU_REFUSED_UNKNOWN,
    PMU_REFUSED_GUESTS,
    PMU_REFUSED_PROFILER,
    PMU_REFUSED_TOGETHER,
    PMU_REFUSED_BLIND,
    PMU_REFUSED_FATAL,
    PMU_REFUSED_SLOT,
};

/* Decides; a pure function. */
enum pmu_refusal pmu_setup_refusal(const struct pmu_signs *signs);

/* Fills in the presence and asks.  Returns 0, or what refuse() returned.
 * [command] */
int pmu_setup_check(struct pmu_signs *signs);

/* A session by events was made: looks for counters that others use.
 * [command] */
void pmu_setup_begin(struct session *session);

/* Adds an event.  Returns 0, or what refuse() returned. [command] */
int pmu_setup_event(struct session *session, const struct words *words);

/* Before the counters start: looks at all pCPUs of the session.  Returns 0, or
 * what refuse() returned. [command] */
int pmu_setup_start(struct session *session);

#endif
