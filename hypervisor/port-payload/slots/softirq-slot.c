/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A softirq of Xen's as an event of the core.
 */
#include "hypervisor/core.h"
#include "hypervisor/port-payload/payload.h"

#define POOLS_MAX 64u /* Xen gives each new pool the lowest free number */

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
    raise_softirq(XEN_SOFTIRQ_COMMIT);
}

void port_hook_commit(void)
{
    xen_softirq_handler *now = softirq_handlers[XEN_SOFTIRQ_COMMIT];

    if ( now == sched_slave_softirq )
        return;
    if ( !hooked )
        scheduler = now;
    hooked = true;
    /* Any other handler is somebody else's and may call ours: two that call
     * each other would never end. */
    if ( now == scheduler )
        open_softirq(XEN_SOFTIRQ_COMMIT, sched_slave_softirq);
}

void port_unhook_commit(void)
{
    hooked = false;
    if ( softirq_handlers[XEN_SOFTIRQ_COMMIT] == sched_slave_softirq )
        open_softirq(XEN_SOFTIRQ_COMMIT, scheduler);
}

/* SCHED_SLAVE is where pCPUs that are scheduled as one wait for each other.
 * Each pool has a granularity of its own since Xen commit dad79946e5
 * ("xen/sched: prepare per-cpupool scheduling granularity") (4.13). */
unsigned int port_pcpus_together(void)
{
    unsigned int most = 1;

    for ( unsigned int id = 0; id < POOLS_MAX; id++ )
    {
        struct xen_cpupool *pool = cpupool_get_by_id(id);
        unsigned int together = pool ? cpupool_get_granularity(pool) : 1;

        if ( pool )
            cpupool_put(pool);
        if ( together > most )
            most = together;
    }
    return most;
}
