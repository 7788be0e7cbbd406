/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backoff.h"

/* 2^20 times the first is beyond any bound. */
#define DOUBLED_MAX 20u

static void wait_for(struct backoff *backoff, uint64_t now, uint64_t time,
                     uint64_t asked, uint64_t random)
{
    const uint64_t half = time / 2;
    uint64_t wait = half + random % (time - half + 1);

    if ( asked > BACKOFF_ASKED_MAX )
        asked = BACKOFF_ASKED_MAX;
    backoff->next = now + (asked > wait ? asked : wait);
}

void backoff_fail(struct backoff *backoff, uint64_t now, uint64_t asked,
                  uint64_t random)
{
    const unsigned int doubled = backoff->failures < DOUBLED_MAX
                                     ? backoff->failures
                                     : DOUBLED_MAX;
    uint64_t time = backoff->first;

    for ( unsigned int i = 0; i < doubled && time < backoff->most; i++ )
        time *= 2;
    backoff->failures++;
    wait_for(backoff, now, time < backoff->most ? time : backoff->most, asked,
             random);
}

void backoff_rest(struct backoff *backoff, uint64_t now, uint64_t random)
{
    backoff->failures++;
    wait_for(backoff, now, backoff->most, 0, random);
}

void backoff_clear(struct backoff *backoff)
{
    backoff->failures = 0;
    backoff->next = 0;
}
