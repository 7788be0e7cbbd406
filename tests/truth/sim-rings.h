/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ticks of a simulated host, and the rings that their samples go to: one of
 * each vCPU that is profiled, one of each pCPU for the rest.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_RINGS_H
#define XENOPROF_TESTS_TRUTH_SIM_RINGS_H

#include "sim-host.h"

#include <libxenoprof.h>

struct sim_sample {
    uint64_t time;
    uint64_t due;    /* when it is stored at the earliest */
    uint32_t domain; /* index, or SIM_NOBODY: Xen's work in an idle vCPU */
    uint32_t chain;
    uint32_t ring;
    uint32_t period;
    uint32_t marks;
    uint16_t vcpu, pcpu;
    uint8_t weight;
};

struct sim_samples {
    VECTOR(struct sim_sample);
};

struct sim_ring {
    uint32_t domain; /* index, or SIM_NOBODY: it is a pCPU's */
    uint16_t number; /* of the vCPU or pCPU */
    bool reported;   /* as it is, in the session */
    bool ended;
    uint64_t made, committed, lost[XENOPROF_LOST_SLOTS];
    uint64_t taken; /* out of the ring */
    uint64_t read;  /* stored */
    struct sim_samples samples;
};

struct sim_rings {
    struct sim_ring *rings; /* of vCPUs, then of pCPUs */
    uint32_t count;
    struct xenoprof_counters counters;
};

void sim_rings_make(struct sim_rings *rings, const struct sim_host *host);
void sim_rings_free(struct sim_rings *rings);

/* Looks at a pCPU, and has the next tick come. */
void sim_tick(struct sim_host *host, struct sim_rings *rings, uint32_t pcpu);

#endif
