/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the vCPUs of a domain run: call chains, one after the other at random,
 * some more often than others.  Which ones changes with time.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_PROGRAMS_H
#define XENOPROF_TESTS_TRUTH_SIM_PROGRAMS_H

#include "sim-scenario.h"

#define SIM_DEPTH 12u

struct sim_chain {
    uint8_t depth;
    uint8_t modes[SIM_DEPTH];      /* root first */
    uint16_t functions[SIM_DEPTH]; /* of this mode */
    double length;                 /* mean ns of one run */
    uint64_t time[SIM_RANGES];     /* the truth */
    uint32_t places[SIM_DEPTH];    /* leaf first: their numbers in ... */
    uint32_t file;                 /* ... the file before this one; 0: none */
};

struct sim_program {
    struct sim_chain *chains;
    uint32_t count;
    bool idles;      /* chains[0] has no frames: it does nothing */
    uint64_t salt;   /* what its mixes are drawn by */
    uint64_t begin;  /* of the first phase */
    uint64_t length; /* of a phase; 0: there is one */
    uint64_t phase;  /* the one that sums are of, and 1 */
    double *sums;    /* of weights, up to each chain */
};

/* A piece of a run: one chain. */
struct sim_piece {
    uint32_t chain;
    uint64_t left; /* ns */
};

/* Draws the chains of a domain, or if it idles those of Xen's work in an idle
 * vCPU. */
void sim_program_make(struct sim_program *program,
                      const struct sim_scenario *scenario,
                      struct sim_draw *draw, bool idles);
void sim_program_free(struct sim_program *program);
/* Draws what runs after a chain, from now on. */
struct sim_piece sim_program_draw(struct sim_program *program,
                                  struct sim_draw *draw, uint32_t before,
                                  uint64_t now);

/* Returns the mode of a chain's leaf, which is there. */
static inline uint8_t sim_leaf_mode(const struct sim_chain *chain)
{
    return chain->modes[chain->depth - 1];
}

#define SIM_NAME 48u
/* The name of a chain's frame, 0 is the root. */
void sim_frame_name(const struct sim_chain *chain, unsigned int frame,
                    char ret[SIM_NAME]);

#endif
