/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lag.h"

void lag_start(struct lag *lag, uint64_t now)
{
    lag->since = now;
    lag->worst = 0;
    pace_start(&lag->pace, LAG_PATIENCE_MIN);
}

/* What is noted: halvings + 1, or that a record was dropped. */
#define FULL (~0u)

/* Returns that for a ring: no halving with a quarter free, one with less, two
 * with less than an eighth. */
static uint32_t note_of(uint32_t unread, uint32_t size)
{
    uint32_t times = size / (size - unread + 1);

    if ( unread >= size )
        return FULL;
    return times < 4 ? 1 : 31 - __builtin_clz(times);
}

void lag_note(struct lag *lag, uint32_t unread, uint32_t size)
{
    uint32_t note = note_of(unread, size);
    uint32_t worst = __atomic_load_n(&lag->worst, __ATOMIC_RELAXED);

    /* The word stands for itself, and each try that fails finds a larger one,
     * or that lag_look() has taken it: four suffice, and a ring that stays full
     * is noted again. */
    for ( int tries = 0; tries < 4 && worst < note; tries++ )
        if ( __atomic_compare_exchange_n(&lag->worst, &worst, note, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED) )
            return;
}

void lag_look(struct lag *lag, uint64_t now, bool lives, uint32_t halvings,
              uint32_t most)
{
    uint64_t span = now > lag->since ? now - lag->since : 0;
    bool holds = pace_halvings(&lag->pace) == halvings;
    uint32_t worst = __atomic_load_n(&lag->worst, __ATOMIC_RELAXED);

    lag->since = now;
    if ( worst )
        worst = __atomic_exchange_n(&lag->worst, 0, __ATOMIC_RELAXED);
    if ( worst )
    {
        uint32_t wanted = worst == FULL ? halvings + 1 : worst - 1;

        pace_lower(&lag->pace, wanted < most ? wanted : most);
    }
    pace_rest(&lag->pace, span, holds && lives && !worst);
}
