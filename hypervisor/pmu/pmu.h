/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler by events: the processor's counters overflow, and each overflow
 * is an NMI that takes a sample.
 *
 * Every pCPU programs its own counters: in a call from start and stop, when no
 * tick is under way, and in its own ticks.  Those rotate sets, let a counter
 * go on that had to be stopped, adapt periods, and find that somebody has
 * changed what was programmed (a resume from S3, a pCPU that was offline).
 * Ticks send no NMIs.
 *
 * due = the overflows; missed = those that found the idle routine or too little
 * stack, that stopped a counter since they came too fast, that were still there
 * when a counter was stopped, or that were no real tag of IBS.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_H
#define XENOPROF_HYPERVISOR_PMU_H

#include "hypervisor/session.h"
#include "pmu-state.h"

/* Overflows of one NMI. */
struct pmu_nmi {
    const struct pmu_set *set; /* that counts */
    uint64_t now;              /* port_ticks() */
    uint32_t slots;      /* that overflowed, and were not handed out yet */
    bool storm;          /* they come too fast: the counters stop */
    uint32_t overflowed; /* how many there were: 2 for more */
    bool asked;          /* an NMI of ours */
    bool paused;         /* the counters wait for the end */
};

struct pmu_overflow {
    uint64_t count; /* what the sample stands for */
    uint32_t event;
    uint32_t ibs;     /* enum xenoprof_ibs: it was tagged, */
    uint64_t address; /* there; 0: that is not valid */
};

/* An NMI came: begins, hands the overflows out one by one that are to be
 * sampled, and ends.  Returns at the end whether it was ours alone. [nmi] */
void pmu_nmi_begin(const struct session *session, struct pcpu *pcpu,
                   uint64_t now, struct pmu_nmi *ret);
bool pmu_nmi_next(const struct session *session, struct pcpu *pcpu,
                  struct pmu_nmi *nmi, struct pmu_overflow *ret);
bool pmu_nmi_end(const struct session *session, struct pcpu *pcpu,
                 const struct pmu_nmi *nmi);

/* The tick of a pCPU, on that pCPU, while the session runs. [soft] */
void pmu_tick(struct session *session, struct pcpu *pcpu, uint64_t now);

/* Has the counters of all members count: the NMI callback is ours. [command] */
void pmu_start(struct session *session);
/* Stops and clears the counters of every pCPU that is online; no tick is under
 * way but the caller's. [soft] */
void pmu_stop(struct session *session);
/* The same while every pCPU stands still. [command] */
void pmu_unload(struct session *session);

#endif
