/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

#include <xen/platform.h>
#include <xencall.h>

#include "opcontrol/quiet-log.h"
#include "xen-clock.h"

/* The buffers are memory that a hypercall may use. */
struct xen_clock {
    xencall_handle *call;
    unsigned int pcpus;
    struct xen_platform_op *op;
    uint8_t *map;
    uint64_t *idle;
};

int xen_clock_open(unsigned int limit, struct xen_clock **ret)
{
    struct xen_clock *clock = calloc(1, sizeof(*clock));
    int code = -ENOMEM;

    if ( !clock )
        return code;
    clock->pcpus = limit < NUMBER_SET_MAX ? limit : NUMBER_SET_MAX;
    clock->call = xencall_open(quiet_log(), 0);
    if ( !clock->call )
        code = -errno;
    else
    {
        clock->op = xencall_alloc_buffer(clock->call, sizeof(*clock->op));
        clock->map = xencall_alloc_buffer(clock->call, NUMBER_SET_MAX / 8);
        clock->idle = xencall_alloc_buffer(clock->call,
                                           clock->pcpus * sizeof(uint64_t));
    }
    if ( clock->op && clock->map && clock->idle )
    {
        *ret = clock;
        return 0;
    }
    xen_clock_close(clock);
    return code;
}

static void free_buffer(struct xen_clock *clock, void *buffer)
{
    if ( buffer )
        xencall_free_buffer(clock->call, buffer);
}

void xen_clock_close(struct xen_clock *clock)
{
    if ( !clock )
        return;
    if ( clock->call )
    {
        free_buffer(clock, clock->op);
        free_buffer(clock, clock->map);
        free_buffer(clock, clock->idle);
        xencall_close(clock->call);
    }
    free(clock);
}

int xen_clock_read(struct xen_clock *clock, struct idle_times *ret)
{
    struct xenpf_getidletime *query = &clock->op->u.getidletime;

    memset(clock->op, 0, sizeof(*clock->op));
    clock->op->cmd = XENPF_getidletime;
    clock->op->interface_version = XENPF_INTERFACE_VERSION;
    memset(clock->map, 0, NUMBER_SET_MAX / 8);
    for ( unsigned int i = 0; i < clock->pcpus; i++ )
        clock->map[i / 8] |= (uint8_t)(1u << (i % 8));
    set_xen_guest_handle_raw(query->cpumap_bitmap, clock->map);
    query->cpumap_nr_cpus = clock->pcpus;
    set_xen_guest_handle_raw(query->idletime, clock->idle);
    if ( xencall1(clock->call, __HYPERVISOR_platform_op,
                  (uint64_t)(uintptr_t)clock->op) < 0 )
        return -errno;
    ret->now = query->now;
    memset(&ret->known, 0, sizeof(ret->known));
    for ( unsigned int i = 0; i < clock->pcpus; i++ )
    {
        if ( !(clock->map[i / 8] >> (i % 8) & 1) )
            continue;
        number_set_add(&ret->known, i);
        ret->idle[i] = clock->idle[i];
    }
    return 0;
}
