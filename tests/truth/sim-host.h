/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated host: who is there, who runs where, and how long each really did.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_HOST_H
#define XENOPROF_TESTS_TRUTH_SIM_HOST_H

#include "sim-events.h"
#include "sim-programs.h"
#include "sim-scenario.h"

#define SIM_NOBODY UINT32_MAX

enum sim_state {
    SIM_RUNNING,
    SIM_RUNNABLE,
    SIM_BLOCKED,
    SIM_DEVICE,
    SIM_CAPPED,
    SIM_PAUSED,
    SIM_STATES
};

/* Runs a program's chains, one after the other. */
struct sim_stream {
    struct sim_program *program;
    struct sim_piece piece;
    uint64_t at; /* up to where its times are known */
};

struct sim_domain {
    uint16_t number;
    bool foreign; /* not profiled */
    bool gone;
    uint8_t uuid[16];
    char name[32];
    uint64_t born, dies;
    uint64_t named; /* from here on its samples are not held back */
    uint32_t first, vcpus;
    struct sim_program program;
};

#define SIM_HALTS 2u

struct sim_vcpu {
    uint32_t domain;
    uint16_t number;
    bool gone;
    enum sim_state state;
    uint32_t pcpu; /* while it runs */
    uint64_t since;
    uint64_t times[SIM_STATES]; /* up to since */
    uint64_t want;              /* ns until it blocks */
    double blocks;              /* mean ns for which it does */
    struct sim_range halts[SIM_HALTS];
    uint64_t cap, used; /* ns of each 100 ms; cap 0: none */
    uint64_t used_in;   /* which 100 ms */
    struct sim_stream stream;
    uint64_t time[SIM_RANGES]; /* the truth */
};

struct sim_pcpu {
    uint32_t vcpu; /* SIM_NOBODY: the idle vCPU */
    uint16_t run;  /* stamp of its end */
    uint64_t since;
    uint64_t idle;            /* sum, up to since */
    struct sim_stream stream; /* of the idle vCPU */
    uint64_t grid;            /* of its ticks */
    uint32_t looks;           /* while it was idle */
};

struct sim_numbers {
    VECTOR(uint32_t);
};

struct sim_host {
    const struct sim_scenario *scenario;
    struct sim_draw draw;
    uint64_t now;
    struct sim_events events;
    struct sim_pcpu *pcpus;
    struct sim_domain *domains;
    struct sim_vcpu *vcpus;
    uint32_t domain_count, vcpu_count;
    struct sim_program idle;    /* what Xen does in idle vCPUs */
    struct sim_numbers waiting; /* vCPUs that are runnable, from first on */
    size_t first;
    struct sim_numbers resting; /* pCPUs that are idle */
};

/* Makes who is there, and what happens first. */
void sim_host_make(struct sim_host *host, const struct sim_scenario *scenario,
                   const struct sim_draw *draw);
void sim_host_free(struct sim_host *host);

/* Has the stream run up to a time. */
void sim_stream_run(struct sim_host *host, struct sim_stream *stream,
                    uint64_t to);
/* Adds to the sums of the ranges that a span is in. */
void sim_count(const struct sim_host *host, uint64_t sums[SIM_RANGES],
               uint64_t from, uint64_t to);
/* Returns how long a vCPU was in a state, up to now. */
uint64_t sim_time_in(const struct sim_host *host, const struct sim_vcpu *vcpu,
                     enum sim_state state);

#endif
