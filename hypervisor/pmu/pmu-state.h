/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session by events counts, with which counters.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_STATE_H
#define XENOPROF_HYPERVISOR_PMU_STATE_H

#include "pmu-counters.h"

struct pmu_event {
    uint64_t select; /* as asked for */
    uint32_t count;  /* from one sample to the next; 0: the module adapts it */
    uint32_t first;  /* where the module adapts it: to begin with, */
    uint32_t least;  /* that it may become, */
    uint32_t most;   /* and the other way */
    uint8_t fixed;   /* fixed counter + 1; 0: any */
    uint8_t ibs;     /* enum xenoprof_ibs */
    uint8_t set;
    bool given;
};

/* Periods from least on.  Who insists may ask for shorter ones; but what the
 * module begins with is far from a storm. */
static inline void pmu_set_least(struct pmu_event *event, uint32_t least,
                                 bool insists)
{
    event->least = insists ? XENOPROF_EVENT_LEAST_INSISTED : least;
    event->first = least * 8;
}

/* Of a session by events. */
struct pmu {
    struct pmu_family family;
    struct pmu_ibs ibs;
    uint32_t entry; /* by which the NMIs of IBS come, + 1; 0: none are asked */
    struct pmu_event event[PMU_EVENTS];
    uint32_t events; /* numbers below this may be given */
    uint32_t sets;
    struct pmu_set set[PMU_SETS];
    uint32_t taken;       /* counters that others use, a set; */
    uint32_t taken_fixed; /* and fixed ones */
    uint32_t starts;      /* how many there were */
    uint32_t leaving; /* the module is unloaded: each NMI stops its pCPU's */
    bool watchdog;    /* Xen's has counter 0 */
};

#endif
