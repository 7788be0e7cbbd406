/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dom0's clocks, in ns.  On a PV dom0 each look may be a system call.
 */
#ifndef XENOPROF_DAEMON_CLOCK_H
#define XENOPROF_DAEMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* UINT64_MAX: this clock is gone, or never was. */
uint64_t clock_read(clockid_t id);

static inline uint64_t monotonic_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t utc_now(void)
{
    return clock_read(CLOCK_REALTIME);
}

#endif
