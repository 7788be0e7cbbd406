/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers: one seed gives the same ones each time. */
#ifndef XENOPROF_TESTS_TRUTH_SIM_DRAW_H
#define XENOPROF_TESTS_TRUTH_SIM_DRAW_H

#include <stdbool.h>
#include <stdint.h>

struct sim_draw {
    uint64_t state;
};

/* Returns a number from 0 up to below, which is not 0. */
uint64_t sim_below(struct sim_draw *draw, uint64_t below);
/* Returns a number from low to high, both included. */
uint64_t sim_between(struct sim_draw *draw, uint64_t low, uint64_t high);
/* The same; each doubling from low to high is as likely as any other. */
uint64_t sim_scaled(struct sim_draw *draw, uint64_t low, uint64_t high);
/* Returns a number of that mean: how long it takes until something happens that
 * may happen at any time. */
uint64_t sim_until(struct sim_draw *draw, double mean);
/* Returns true in so many of 1000 cases. */
bool sim_chance(struct sim_draw *draw, unsigned int of_1000);
/* Returns a number from 0 to less than 1. */
double sim_unit(struct sim_draw *draw);

#endif
