/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a sample was taken, and how long work took, from values of port_ticks()
 * that lie in the past.
 *
 * Xen is only ever asked about points that lie ahead: before Xen commit
 * 7b3e1b4e84 ("x86/time: deal with negative deltas in get_s_time_fixed()")
 * (4.22, backported to 4.19.5, 4.20.3 and 4.21.1) it answers with a time that
 * is off by centuries for a point before this pCPU's last calibration, of which
 * there is one a second.  doc/clock.md says how often that would happen.
 */
#ifndef XENOPROF_HYPERVISOR_CLOCK_H
#define XENOPROF_HYPERVISOR_CLOCK_H

#include "port.h"

#define CLOCK_SCALE_BITS 32u
#define CLOCK_SPAN_MAX   1000000000ul /* ns */

/* This pCPU's time, read once for all samples that are committed together. */
struct clock_now {
    uint64_t ticks; /* port_ticks() */
    uint64_t time;  /* port_time(), at those ticks */
    uint64_t start; /* of the session: no sample is older */
    uint64_t scale; /* of its ticks, see clock_scale() */
};

/* Fills in the time now; start is when the session started. [soft] */
void clock_read(struct clock_now *ret, uint64_t start, uint64_t scale);

/*
 * Returns the time at ticks, taken on this pCPU before or after now was read:
 * never before the session's start, never after this call.  Ticks that cannot
 * be, since the counter was set meanwhile, are taken for now. [soft]
 */
uint64_t clock_time_at(const struct clock_now *now, uint64_t ticks);

/* Returns the port_ticks() of a millisecond. [soft] */
uint64_t clock_millisecond(void);

/* Returns the ns of 2^32 such ticks; 0 if the millisecond is not known. */
uint64_t clock_scale(uint64_t millisecond);

__extension__ typedef unsigned __int128 clock_wide;

/* Returns a span of port_ticks() in ns, without a division, which takes long.
 * [nmi] */
static inline clock_wide clock_ns(uint64_t ticks, uint64_t scale)
{
    return (clock_wide)ticks * scale >> CLOCK_SCALE_BITS;
}

/* The same; 0 if it is over a second, which no work of ours is: the counter was
 * set meanwhile. [nmi] */
static inline uint64_t clock_span(uint64_t ticks, uint64_t scale)
{
    clock_wide ns = clock_ns(ticks, scale);

    return ns <= CLOCK_SPAN_MAX ? (uint64_t)ns : 0;
}

#endif
