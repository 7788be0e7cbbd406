/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "budget.h"

void budget_start(struct budget *budget, uint64_t now)
{
    budget->since = now;
    pace_start(&budget->pace, BUDGET_PATIENCE_MIN);
}

bool budget_due(const struct budget *budget, uint64_t now)
{
    return now > budget->since && now - budget->since >= BUDGET_INTERVAL;
}

void budget_look(struct budget *budget, uint64_t now, uint64_t worst,
                 uint32_t permille, uint32_t halvings, uint32_t most)
{
    uint64_t span = now - budget->since;
    uint64_t allowed = span / 1000 * permille;
    bool holds = pace_halvings(&budget->pace) == halvings;

    budget->since = now;
    if ( !permille )
        return;
    if ( worst > allowed && halvings < most )
        pace_lower(&budget->pace, halvings + 1);
    /* Twice the frequency costs twice as much. */
    pace_rest(&budget->pace, span, holds && worst < allowed / 2);
}
