/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a seed makes of a host and of a recording. */
#ifndef XENOPROF_TESTS_TRUTH_SIM_SCENARIO_H
#define XENOPROF_TESTS_TRUTH_SIM_SCENARIO_H

#include "sim-draw.h"

#define SIM_SECOND 1000000000ull
#define SIM_RANGES 4u
#define SIM_STALLS 8u

/* How samples get lost. */
enum sim_loss {
    SIM_LOSS_NONE,    /* dom0 reads soon, and rings have room */
    SIM_LOSS_FULL,    /* rings are full before each reading */
    SIM_LOSS_BURSTS,  /* now and then dom0 does not read for a while */
    SIM_LOSS_STARVED, /* once or twice it does not for long; from 10 s on Xen
                         does not sample */
    SIM_LOSSES
};

struct sim_range {
    uint64_t from, to; /* Xen's time */
};

struct sim_scenario {
    uint64_t begin, end;  /* of the session, Xen's time */
    uint64_t first_block; /* from there on Xen's account is known */
    struct sim_range ranges[SIM_RANGES]; /* of which the truth is said; [0] is
                                            from first_block to end */
    enum sim_loss loss;
    struct sim_range stalls[SIM_STALLS]; /* nobody reads the rings */
    unsigned int stall_count;
    uint64_t read_every;
    uint32_t ring_room;  /* samples */
    uint64_t waits_room; /* ns of a stall for which there is room for what Xen
                            says of vCPUs */

    uint32_t hz;
    uint32_t slow_hz; /* later; 0: it stays */
    uint64_t slow_at;
    unsigned int missed; /* ticks of 1000 */

    unsigned int pcpus, domains, vcpus_max;
    uint64_t burst, piece, phase; /* mean ns that a vCPU runs until it blocks,
                                     runs one call chain, and has one mix of
                                     these; phase 0: always */
    uint64_t slice;
    unsigned int idle_work; /* of 1000 of an idle pCPU's time */

    bool capped, paused, hotplug, births, numbers_again, others, devices;
    bool late, closed, utc_steps;
    uint64_t file_bytes; /* 0: one file */
};

/* Draws all of it. */
void sim_scenario_draw(struct sim_scenario *scenario, struct sim_draw *draw,
                       uint64_t seed);
/* Returns true in a stall, and where that began and ends. */
bool sim_stalled(const struct sim_scenario *scenario, uint64_t time,
                 struct sim_range *ret);
/* Returns whether Xen samples: it does not where it was not read for long. */
bool sim_samples_at(const struct sim_scenario *scenario, uint64_t time);
/* Returns ns from one tick to the next. */
uint64_t sim_period_at(const struct sim_scenario *scenario, uint64_t time);
const char *sim_loss_name(enum sim_loss loss);

#endif
