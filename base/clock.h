/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks of the kernel that we run on, in ns.  On a PV dom0 each reading
 * may be a system call.
 */
#ifndef XENOPROF_BASE_CLOCK_H
#define XENOPROF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of this clock, or UINT64_MAX if there is no such clock, as
 * that of a process which has ended. */
static inline uint64_t clock_read(clockid_t id)
{
    struct timespec now;

    if ( clock_gettime(id, &now) )
        return UINT64_MAX;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t monotonic_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Since 1970. */
static inline uint64_t utc_now(void)
{
    return clock_read(CLOCK_REALTIME);
}

#endif
