/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's timers as events of the core.
 */
#include "payload.h"

#include "hypervisor/core.h"

struct pcpu_timer {
    struct xen_timer timer;
    unsigned int pcpu;
    bool ready; /* initialised and not killed */
    bool moved; /* Xen moved it when its pCPU went offline */
};

static struct pcpu_timer *timers[PORT_PCPUS_MAX];

static void expired(void *data)
{
    struct pcpu_timer *timer = data;

    timer->moved = port_pcpu() != timer->pcpu;
    core_tick(timer->pcpu);
}

void port_timer_arm(unsigned int pcpu, uint64_t time)
{
    struct pcpu_timer *timer = timers[pcpu];

    if ( !timer->ready )
    {
        init_timer(&timer->timer, expired, timer, pcpu);
        timer->ready = true;
    }
    if ( timer->moved && port_pcpu_online(pcpu) )
    {
        migrate_timer(&timer->timer, pcpu);
        timer->moved = false;
    }
    set_timer(&timer->timer, time);
}

void port_timer_cancel(unsigned int pcpu)
{
    struct pcpu_timer *timer = timers[pcpu];

    if ( !timer || !timer->ready )
        return;
    kill_timer(&timer->timer);
    timer->ready = false;
}

bool events_prepare(void)
{
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        if ( timers[i] )
            continue;
        timers[i] = port_alloc(sizeof(*timers[i]));
        if ( !timers[i] )
            return false;
        timers[i]->pcpu = i;
    }
    return true;
}

void events_forget(void)
{
    port_unhook_commit();
    for ( unsigned int i = 0; i < PORT_PCPUS_MAX; i++ )
    {
        port_timer_cancel(i);
        port_free(timers[i], sizeof(*timers[i]));
        timers[i] = NULL;
    }
}
