/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's time from the door, idle times from Xen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xen-clock.h"

struct xen_clock {
    xc_interface *xc;
    struct door_client door;
    unsigned int limit;
    xc_cpuinfo_t pcpus[];
};

int xen_clock_open(xc_interface *xc, const struct door_client *door,
                   unsigned int limit, struct xen_clock **ret)
{
    unsigned int pcpus = limit < NUMBER_SET_MAX ? limit : NUMBER_SET_MAX;
    struct xen_clock *clock;

    clock = calloc(1, sizeof(*clock) + pcpus * sizeof(clock->pcpus[0]));
    if ( !clock )
        return -ENOMEM;
    clock->xc = xc;
    clock->door = *door;
    clock->limit = pcpus;
    *ret = clock;
    return 0;
}

void xen_clock_close(struct xen_clock *clock)
{
    free(clock);
}

int xen_clock_read(struct xen_clock *clock, struct idle_times *ret)
{
    struct xenoprof_door_state state;
    int pcpus, code = door_client_state(&clock->door, &state);

    if ( code )
        return code;
    if ( xc_getcpuinfo(clock->xc, (int)clock->limit, clock->pcpus, &pcpus) )
        return -errno;
    ret->now = state.time;
    memset(&ret->known, 0, sizeof(ret->known));
    for ( unsigned int i = 0; i < (unsigned int)pcpus; i++ )
    {
        /* Xen says 0 of a pCPU that is offline, and of no other. */
        if ( !clock->pcpus[i].idletime )
            continue;
        number_set_add(&ret->known, i);
        ret->idle[i] = clock->pcpus[i].idletime;
    }
    return 0;
}
