/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long to wait before looking again at memory, when nobody says that it has
 * changed: a millisecond after something moved, and twice as long each time
 * that nothing did.  A side that talks waits little; one that does not costs
 * eight looks a second.
 */
#ifndef XENOPROF_AGENT_CHANNEL_PATIENCE_H
#define XENOPROF_AGENT_CHANNEL_PATIENCE_H

#include <stdint.h>

#define PATIENCE_MAX 128 /* ms */

/* All 0: nothing has moved yet, and the first look is soon. */
struct patience {
    uint64_t moved;
    int ms;
};

/* moved: how much did up to now.  Returns the milliseconds. */
static inline int patience_ms(struct patience *patience, uint64_t moved)
{
    if ( patience->moved != moved || !patience->ms )
        patience->ms = 1;
    else if ( patience->ms < PATIENCE_MAX )
        patience->ms *= 2;
    patience->moved = moved;
    return patience->ms;
}

#endif
