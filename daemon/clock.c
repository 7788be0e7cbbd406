/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"

uint64_t clock_read(clockid_t id)
{
    struct timespec now;

    if ( clock_gettime(id, &now) )
        return UINT64_MAX;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
