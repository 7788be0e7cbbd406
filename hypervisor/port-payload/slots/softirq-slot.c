/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A softirq of Xen's as an event of the core.
 */
#include "hypervisor/core.h"
#include "hypervisor/port-payload/payload.h"

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
