/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The budget: what sampling may cost a pCPU.
 *
 * Each second in which a pCPU spends more than the budget on us halves the
 * frequency (pace.h).  One in which all spend less than half of it is calm.
 */
#ifndef XENOPROF_HYPERVISOR_BUDGET_H
#define XENOPROF_HYPERVISOR_BUDGET_H

#include "pace.h"

#define BUDGET_INTERVAL     1000000000ul          /* ns */
#define BUDGET_PATIENCE_MIN (5 * BUDGET_INTERVAL) /* doubled before use */

struct budget {
    uint64_t since; /* port_time() of the last look */
    struct pace pace;
};

/* Begins at now; what was lowered before stays so. */
void budget_start(struct budget *budget, uint64_t now);

/* Returns whether it is time to look at the cost. */
bool budget_due(const struct budget *budget, uint64_t now);

/* Looks at the most ns that one pCPU spent since the last look, of which
 * permille are allowed.  The frequency is halved so often, and can be so often
 * at most. */
void budget_look(struct budget *budget, uint64_t now, uint64_t worst,
                 uint32_t permille, uint32_t halvings, uint32_t most);

#endif
