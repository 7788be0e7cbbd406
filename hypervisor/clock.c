/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Past points of port_ticks() as times, by asking the port about points that
 * lie as far ahead.
 */
#include "clock.h"

#define MILLISECOND 1000000ul /* ns */

/* Minutes on any processor: no sample waits that long for its second half. */
#define TICKS_MAX (1ul << 40)

void clock_read(struct clock_now *ret, uint64_t start, uint64_t scale)
{
    ret->ticks = port_ticks();
    ret->time = port_time_ahead(ret->ticks);
    ret->start = start;
    ret->scale = scale;
}

/* Returns the time that many ticks before now: as long ago as it is to the
 * point that lies as far ahead.  Of a millisecond the rate that was measured at
 * the start is as good. */
static uint64_t time_before(const struct clock_now *now, uint64_t ticks)
{
    uint64_t ahead = now->ticks + ticks;
    clock_wide by_rate = clock_ns(ticks, now->scale);
    uint64_t ns = by_rate;

    if ( ahead < now->ticks )
        return now->time;
    if ( !now->scale || by_rate > MILLISECOND )
        ns = port_time_ahead(ahead) - now->time;
    return ns < now->time ? now->time - ns : 0;
}

static uint64_t time_at(const struct clock_now *now, uint64_t ticks)
{
    uint64_t before = now->ticks - ticks;

    if ( before < TICKS_MAX )
        return time_before(now, before);
    /* An NMI that came after now was read. */
    if ( ticks - now->ticks < TICKS_MAX && ticks <= port_ticks() )
        return port_time_ahead(ticks);
    return now->time;
}

uint64_t clock_time_at(const struct clock_now *now, uint64_t ticks)
{
    uint64_t time = time_at(now, ticks);

    /* A session starts on one pCPU, and the clock of another may be a little
     * behind. */
    return time < now->start ? now->start : time;
}

uint64_t clock_millisecond(void)
{
    uint64_t ticks = port_ticks(), span = 1ul << 24;
    uint64_t ns = port_time_ahead(ticks + span) - port_time_ahead(ticks);

    return ns ? span * MILLISECOND / ns : span;
}

uint64_t clock_scale(uint64_t millisecond)
{
    /* Up, so that no whole ns is missing. */
    return millisecond
               ? ((MILLISECOND << CLOCK_SCALE_BITS) - 1) / millisecond + 1
               : 0;
}
