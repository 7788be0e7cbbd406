/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that lags: rings fill up.
 *
 * At three quarters of a ring the frequency is halved, and again at each half
 * of what is left then.  So a ring takes as long for each of these halves, and
 * is not full before the frequency is at its lowest.  Where records are large
 * for their ring it may be: then the frequency is halved at each look.  Samples
 * say what time they stand for, so they mean the same; there are fewer.
 *
 * A reader is woken when a ring is half full.  One that lives, and always comes
 * before five eighths, is calm: at twice the frequency it would come before
 * three quarters, and this would not have to be halved again (pace.h).
 */
#ifndef XENOPROF_HYPERVISOR_LAG_H
#define XENOPROF_HYPERVISOR_LAG_H

#include "pace.h"

#define LAG_PATIENCE_MIN 1000000000ul /* ns, doubled before use */

struct lag {
    uint64_t since; /* port_time() of the last look */
    uint32_t worst; /* the most that was noted since; 0: nothing */
    struct pace pace;
};

/* Begins at now; what was lowered before stays so. */
void lag_start(struct lag *lag, uint64_t now);

/* A ring was written, and has so much unread; or all of its size: a record was
 * dropped.  Not to be called for less than five eighths. [soft] */
void lag_note(struct lag *lag, uint32_t unread, uint32_t size);

/* Looks at what was noted since the last look.  lives: the reader shows signs
 * of life.  The frequency is halved so often, and can be so often at most. */
void lag_look(struct lag *lag, uint64_t now, bool lives, uint32_t halvings,
              uint32_t most);

#endif
