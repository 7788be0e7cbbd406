/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session by events keeps for each pCPU.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_HERE_H
#define XENOPROF_HYPERVISOR_PMU_HERE_H

#include <xenoprof/door.h>

#include "hypervisor/counter.h"

#define PMU_EVENTS XENOPROF_EVENTS_MAX
#define PMU_SETS   XENOPROF_EVENT_SETS /* which take turns, */
#define PMU_SLOTS  8u                  /* and counters of each */

/* What registers were before the session (pmu-found.h): of every counter that
 * is used, and of IBS's units. */
#define PMU_FOUND_MAX 18u

struct pmu_found {
    uint32_t count;
    uint32_t entry; /* of the local vector table: the counters' */
    uint32_t extra; /* and that of IBS */
    uint64_t control;
    struct pmu_register {
        uint32_t msr;
        uint64_t value;
    } list[PMU_FOUND_MAX];
};

/*
 * Calls and ticks program the counters, on their own pCPU, never two at a time
 * (pmu.h).  An NMI may come between any two instructions of theirs: while
 * `changing` it touches no counter, and notes what it answered.
 */
struct pmu_here {
    /* Written by calls and ticks: */
    uint8_t armed;       /* the counters of a set are ours */
    uint8_t set;         /* which one */
    uint8_t changing;    /* they are being programmed */
    uint8_t slower;      /* periods are doubled so often, for the storm here */
    uint8_t without_ibs; /* its interrupt is not ours, or not yet */
    uint8_t refuses;     /* a register did not take its first write */
    struct pmu_found found;
    uint32_t begun;      /* which of pmu->starts it has begun */
    uint64_t rotated;    /* port_time() of the last turn */
    uint64_t looked;     /* port_time() of the last tick, */
    uint64_t made;       /* and how many samples there were then, */
    uint64_t spent;      /* and what NMIs had taken, in port_ticks() */
    uint64_t unserved;   /* missed: overflows found when a counter was stopped,
                          and by NMIs, not while `changing`, that were none */
    uint64_t programmed; /* how often somebody else had changed a counter, or
                            a set was armed without its units of IBS */
    uint32_t period[PMU_EVENTS]; /* from the next overflow on */
    uint32_t left[PMU_EVENTS];   /* of the one under way; 0: all */
    uint64_t before[PMU_EVENTS]; /* counted[], at the last tick */
    uint64_t busy;       /* ns that this pCPU had worked, at the last tick */
    uint64_t counted_at; /* port_time() of the last COUNTED records, */
    uint64_t enabled[PMU_EVENTS]; /* and what they have not said yet */
    uint64_t running[PMU_EVENTS];
    /* Written by both: */
    uint32_t stands[PMU_EVENTS]; /* for how many the next sample stands */
    /* Written by NMIs, and by calls and ticks while `changing`: */
    uint32_t counting; /* slots, but for those that somebody has changed, or
                          that came too fast */
    uint8_t stopped;   /* some came too fast: they wait for the next tick */
    uint32_t answered; /* NMIs, while `changing`, */
    uint32_t tagged;   /* and slots of IBS that had a tag in one of them */
    uint64_t follows;  /* an NMI without a cause may follow; a tick after this
                          port_ticks() ends that.  0: none */
    uint32_t more;     /* and how many more than one may, of units of IBS */
    /* Written by NMIs: */
    uint64_t last;                /* port_ticks() of the last overflow */
    uint32_t fast;                /* overflows in a row that came too fast */
    uint64_t counted[PMU_EVENTS]; /* events, whole periods */
    uint64_t overflows;
    uint64_t throttled; /* of those: a counter was stopped, without a sample */
    uint64_t late;      /* NMIs without a cause that were swallowed */
    uint64_t imprecise; /* samples by IBS without an exact address */
};

static inline uint32_t pmu_bits(uint32_t bits)
{
    uint32_t count = 0;

    for ( ; bits; bits &= bits - 1 )
        count++;
    return count;
}

/* Overflows that should have made a sample. */
static inline uint64_t pmu_due(const struct pmu_here *here)
{
    return counter_read(&here->overflows) + counter_read(&here->unserved);
}

/* Those of them that did not, and were not counted as idle or cramped. */
static inline uint64_t pmu_missed(const struct pmu_here *here)
{
    return counter_read(&here->throttled) + counter_read(&here->unserved);
}

#endif
