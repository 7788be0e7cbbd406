/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The budget: what sampling may cost a pCPU, and the frequency that this
 * leaves.
 *
 * Each second in which a pCPU spends more than the budget on us halves the
 * frequency.  After a while in which all spend less than half of the budget it
 * doubles again, up to what was asked for.  That while is longer after each
 * slow-down, so that a load that comes and goes does not have the frequency
 * follow it; a while without one at full frequency makes it short again.
 */
#ifndef XENOPROF_HYPERVISOR_BUDGET_H
#define XENOPROF_HYPERVISOR_BUDGET_H

#include "port.h"

#define BUDGET_INTERVAL     1000000000ul             /* ns */
#define BUDGET_PATIENCE_MIN (5 * BUDGET_INTERVAL)    /* doubled before use */
#define BUDGET_PATIENCE_MAX (1280 * BUDGET_INTERVAL) /* 20 minutes */

struct budget {
    uint64_t since;    /* port_time() of the last look */
    uint64_t calm;     /* ns for which the cost has been low */
    uint64_t patience; /* ns for which it must be low */
    uint32_t slowed;   /* how often the frequency was halved, */
    uint32_t raised;   /* and how often it came back */
};

/* Begins at now; what was lowered before stays so. */
void budget_start(struct budget *budget, uint64_t now);

/* Returns whether it is time to look at the cost. */
bool budget_due(const struct budget *budget, uint64_t now);

/* Looks at the most ns that one pCPU spent since the last look, of which
 * permille are allowed; lower: the frequency is not at its lowest. */
void budget_look(struct budget *budget, uint64_t now, uint64_t worst,
                 uint32_t permille, bool lower);

/* Returns what the budget leaves of a frequency, at least 1. */
uint32_t budget_frequency(const struct budget *budget, uint32_t frequency);

#endif
