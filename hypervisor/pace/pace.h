/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a frequency is lowered for one reason: the budget (budget.h) or a reader
 * that lags (lag.h).
 *
 * It is halved as often as the reason asks for, at once.  After a while of calm
 * it is doubled, and again after the next.  That while grows each time that the
 * frequency has to go down again, so that it does not follow a load that comes
 * and goes; a while of calm at full frequency makes it short again.
 *
 * Of two reasons the one that has halved more often holds.  The other's calm
 * does not count meanwhile, since it is not seen at its own frequency.
 */
#ifndef XENOPROF_HYPERVISOR_PACE_H
#define XENOPROF_HYPERVISOR_PACE_H

#include "hypervisor/port.h"

#define PACE_PATIENCE_MAX 1280000000000ul /* ns: some 20 minutes */
#define PACE_FORGETS      60000000000ul   /* ns at full frequency, at least */

struct pace {
    uint64_t calm;     /* ns for which there was no reason */
    uint64_t patience; /* ns for which there must be none, */
    uint64_t least;    /* and half of the least that this is when it counts */
    uint32_t slowed;   /* how often the frequency was halved, */
    uint32_t raised;   /* and how often it came back */
    bool falls;        /* it has not come back since it was halved last */
};

/* Begins; what was lowered before stays so. */
void pace_start(struct pace *pace, uint64_t least);

/* Returns how often the frequency is halved now. */
static inline uint32_t pace_halvings(const struct pace *pace)
{
    return pace->slowed - pace->raised;
}

/* There is a reason to have it halved so often, or more often. */
void pace_lower(struct pace *pace, uint32_t halvings);

/* So many ns went by, with calm or without. */
void pace_rest(struct pace *pace, uint64_t span, bool calm);

/* Returns how often a frequency can be halved: at least 1 Hz is left. */
static inline uint32_t pace_most(uint32_t frequency)
{
    return 31 - __builtin_clz(frequency | 1);
}

#endif
