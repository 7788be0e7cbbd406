/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When to try again: after twice the time that it was before, up to a bound,
 * and at a moment of that time's second half that nobody foresees, so that a
 * fleet does not come back at once.  Times are ns of one clock.
 */
#ifndef XENOPROF_PUSH_BACKOFF_H
#define XENOPROF_PUSH_BACKOFF_H

#include <stdint.h>

/* The most that a receiver is obeyed who says how long to wait. */
#define BACKOFF_ASKED_MAX (15ull * 60 * 1000000000)

struct backoff {
    uint64_t first, most;  /* the time after the first failure, and at most */
    unsigned int failures; /* in a row */
    uint64_t next;         /* not before; 0: now */
};

/* Something failed at now; the receiver asked for so much time (0: it did
 * not).  random: any number. */
void backoff_fail(struct backoff *backoff, uint64_t now, uint64_t asked,
                  uint64_t random);
/* The longest time at once: it will not get better by itself. */
void backoff_rest(struct backoff *backoff, uint64_t now, uint64_t random);
void backoff_clear(struct backoff *backoff);

#endif
