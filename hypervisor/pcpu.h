/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session keeps for each pCPU.  Each counter has one writer, so that
 * none needs a locked instruction; upkeep and commands add them up.
 */
#ifndef XENOPROF_HYPERVISOR_PCPU_H
#define XENOPROF_HYPERVISOR_PCPU_H

#include "ask.h"
#include "queue.h"
#include "ring.h"
#include "sample-record.h"
#include "hypervisor/pmu/pmu-here.h"

/* Written by the tick that was armed for this pCPU, wherever it runs. */
struct ticker {
    uint32_t
        ticking; /* 0: parked; whoever sets it owns the rest until the tick */
    uint32_t random;
    uint32_t rank;   /* among the session's members: gives the phase */
    uint64_t grid;   /* when the next tick is due, without jitter */
    uint64_t period; /* that grid was made for */
    uint64_t due;
    uint64_t missed;
};

/* Written by the first half on this pCPU. */
struct first_half {
    uint64_t made;
    uint64_t idle;     /* found the idle routine: missed */
    uint64_t cramped;  /* found too little room on the stack: missed */
    uint64_t crossed;  /* came while the tick took its own sample: missed */
    uint64_t room;     /* the least that it found, in bytes; 0: none yet */
    uint64_t spent;    /* port_ticks() */
    uint64_t followed; /* port_ticks() when an NMI was the watchdog's too; the
                          second half writes 0 */
    uint32_t ticks;    /* the tick takes its own sample meanwhile */
};

/* Written by softirqs on this pCPU: second half and ticks. */
struct second_half {
    uint64_t committed;
    uint64_t switched;
    uint64_t moved;
    uint64_t calibrated;          /* Xen's clock was, between the halves */
    uint64_t queue_full_reported; /* of pcpu.lost[XENOPROF_LOST_QUEUE] */
    uint64_t first_counted;       /* of the first half's spent: is in cost */
    uint64_t cost;                /* ns, of both halves and ticks */
    uint64_t ticks_spent;         /* port_ticks(), of ticks */
    uint8_t sealed;               /* set by stop: commit nothing more */
};

/* Of vCPUs that wait, by ticks on this pCPU: in none of the others' sums. */
struct waiting_counts {
    uint64_t made;   /* samples */
    uint64_t lost;   /* of made: the ring had no room for them */
    uint64_t missed; /* it got a pCPU meanwhile, or could not be read */
};

struct pcpu {
    struct queue queue;
    struct sample_record record; /* of the second half */
    struct windows windows;      /* of the second half */
    struct ring_space space;     /* that they are in, if in a ring */
    struct ring *ring;
    uint8_t apart[PORT_CACHE_LINE];
    /* Read and written by ticks, on other pCPUs too: */
    unsigned int index;
    struct ask ask;
    uint64_t next_look;  /* port_time() from which a tick may look at it, */
    uint32_t spacing;    /* and ns that it was put after the last look */
    uint32_t period;     /* ns that a sample of the last look stands for */
    uint32_t idle_looks; /* how often a tick found it idle */
    uint32_t granted;    /* a tick looked: its own next tick takes a sample */
    struct ticker ticker;
    uint8_t apart_too[PORT_CACHE_LINE];
    /* Written on this pCPU, and added up now and then: */
    struct first_half first;
    struct second_half second;
    struct waiting_counts waiting;
    /* Of those made.  Cause QUEUE has the first half as its writer, all others
     * the second. */
    uint64_t lost[XENOPROF_CAUSES];
    uint64_t lost_at_stop; /* written by stop: queued and never committed */
    uint64_t cost_checked; /* written by upkeep */
    struct pmu_here pmu;   /* of a session by events */
};

#endif
