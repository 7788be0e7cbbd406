/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to happen on a simulated host, in the order of time. */
#ifndef XENOPROF_TESTS_TRUTH_SIM_EVENTS_H
#define XENOPROF_TESTS_TRUTH_SIM_EVENTS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

enum sim_kind {
    SIM_WAKE,  /* a vCPU has work */
    SIM_END,   /* a pCPU's run is over */
    SIM_BIRTH, /* of a domain */
    SIM_DEATH,
    SIM_TICK,  /* a pCPU is looked at */
    SIM_ROUND, /* Xen says what each vCPU did */
    SIM_READ,  /* dom0 reads the rings */
    SIM_KINDS
};

struct sim_event {
    uint64_t time;
    uint32_t number; /* in the order of their making */
    uint16_t kind;   /* enum sim_kind */
    uint16_t stamp;  /* SIM_END: which run of the pCPU */
    uint32_t what;   /* index of the vCPU, pCPU or domain */
};

struct sim_events {
    VECTOR(struct sim_event);
    uint32_t made;
};

/* Exits if there is no memory. */
void sim_add(struct sim_events *events, uint64_t time, enum sim_kind kind,
             uint32_t what, uint16_t stamp);
/* Returns the earliest, and of those of one time the one that was added first.
 * There is one. */
struct sim_event sim_take(struct sim_events *events);

/* Memory that is all zeroes; exits if there is none. */
void *sim_memory(uint64_t count, uint64_t size);

#endif
