/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the test kernel, and for a process in dom0 (bench/gap-load.c). */
#include "gaps.h"

#define MUCH 16 /* times a round of the loop */

static inline uint64_t tsc(void)
{
    uint32_t low, high;

    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* The shortest of some. */
static uint64_t usual_round(void)
{
    uint64_t least = ~0ull, last = tsc();

    for ( unsigned int i = 0; i < 100; i++ )
    {
        uint64_t now = tsc();

        if ( now - last < least )
            least = now - last;
        last = now;
    }
    return least;
}

unsigned int gaps_find(uint64_t ticks, uint64_t *ret, unsigned int room)
{
    uint64_t usual = usual_round(), start = tsc(), last = start;
    unsigned int found = 0;

    while ( last - start < ticks && found < room )
    {
        uint64_t now = tsc();

        if ( now - last > MUCH * usual )
            ret[found++] = now - last - usual;
        last = now;
    }
    return found;
}
