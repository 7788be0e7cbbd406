/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the frequency goes down, and when it comes back.
 */
#include "budget.h"

void budget_start(struct budget *budget, uint64_t now)
{
    budget->since = now;
    budget->calm = 0;
    if ( !budget->patience )
        budget->patience = BUDGET_PATIENCE_MIN;
}

bool budget_due(const struct budget *budget, uint64_t now)
{
    return now > budget->since && now - budget->since >= BUDGET_INTERVAL;
}

static void slow_down(struct budget *budget)
{
    budget->slowed++;
    budget->calm = 0;
    if ( budget->patience < BUDGET_PATIENCE_MAX )
        budget->patience *= 2;
}

/* The cost has been low for long enough. */
static void speed_up(struct budget *budget)
{
    budget->calm = 0;
    if ( budget->raised < budget->slowed )
        budget->raised++;
    else
        budget->patience = BUDGET_PATIENCE_MIN;
}

void budget_look(struct budget *budget, uint64_t now, uint64_t worst,
                 uint32_t permille, bool lower)
{
    uint64_t span = now - budget->since;
    uint64_t allowed = span / 1000 * permille;

    budget->since = now;
    if ( !permille )
        return;
    if ( worst > allowed && lower )
        slow_down(budget);
    /* Twice the frequency costs twice as much. */
    budget->calm = worst < allowed / 2 ? budget->calm + span : 0;
    if ( budget->calm >= budget->patience )
        speed_up(budget);
}

uint32_t budget_frequency(const struct budget *budget, uint32_t frequency)
{
    uint32_t halvings = budget->slowed - budget->raised;

    return (halvings < 32 ? frequency >> halvings : 0) ?: 1;
}
