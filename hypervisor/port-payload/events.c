/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's softirqs and timers as events of the core.
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
static xen_softirq_handler *scheduler; /* kept for a softirq that comes late */
static bool hooked;

/*
 * Softirq SCHED_SLAVE runs before SCHEDULE and never with locks held.  Xen
 * commit f534bc6821 ("xen/sched: add code to sync scheduling of all vcpus of a
 * sched unit") (4.13).  The last call must be a jump: a frame of ours below
 * Xen's handler would end every unwind through it.
 */
static void sched_slave_softirq(void)
{
    core_before_schedule();
    scheduler();
}

void port_request_commit(void)
{
    raise_softirq(XEN_SOFTIRQ_SCHED_SLAVE);
}

void port_hook_commit(void)
{
    xen_softirq_handler *now = softirq_handlers[XEN_SOFTIRQ_SCHED_SLAVE];

    if ( now == sched_slave_softirq )
        return;
    if ( !hooked )
        scheduler = now;
    hooked = true;
    /* Any other handler is somebody else's and may call ours: two that call
     * each other would never end. */
    if ( now == scheduler )
        open_softirq(XEN_SOFTIRQ_SCHED_SLAVE, sched_slave_softirq);
}

void port_unhook_commit(void)
{
    hooked = false;
    if ( softirq_handlers[XEN_SOFTIRQ_SCHED_SLAVE] == sched_slave_softirq )
        open_softirq(XEN_SOFTIRQ_SCHED_SLAVE, scheduler);
}

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
