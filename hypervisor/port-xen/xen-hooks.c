/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks of our own, where a payload has to take what Xen has for others: an NMI
 * comes to us by a call in do_nmi(), and the second half has a softirq, which
 * runs before those of the scheduler and where they may run.
 */
#include "hooks.h"

#include "hypervisor/core.h"
#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"

static bool wanted; /* NMIs */

_Bool xenoprof_nmi(const void *registers)
{
    struct port_frame *frame = (void *)registers; /* const to Xen alone */
    bool ours;

    /* Relaxed: an NMI that comes as it changes may go either way. */
    if ( !__atomic_load_n(&wanted, __ATOMIC_RELAXED) )
        return false;
    ours = core_nmi_taken(frame);
    idle_stay_awake(frame);
    return ours;
}

/* Whoever has Xen's callback, as while a livepatch is applied, has it beside
 * us. */
enum port_slot port_nmi_slot(void)
{
    return __atomic_load_n(&wanted, __ATOMIC_RELAXED) ? PORT_SLOT_OURS
                                                      : PORT_SLOT_FREE;
}

bool port_nmi_take(void)
{
    __atomic_store_n(&wanted, true, __ATOMIC_SEQ_CST);
    return true;
}

bool port_nmi_leave(void)
{
    return __atomic_exchange_n(&wanted, false, __ATOMIC_SEQ_CST);
}

/* Only a payload is unloaded. */
void port_nmi_all(void)
{
}

static void nothing(void)
{
}

static void commit(void)
{
    core_before_schedule();
}

void port_request_commit(void)
{
    raise_softirq(XEN_SOFTIRQ_COMMIT);
}

void port_hook_commit(void)
{
    open_softirq(XEN_SOFTIRQ_COMMIT, commit);
}

/* One that was raised before still comes. */
void port_unhook_commit(void)
{
    open_softirq(XEN_SOFTIRQ_COMMIT, nothing);
}

/* No other pCPU waits for this softirq, however many are scheduled as one. */
unsigned int port_pcpus_together(void)
{
    return 1;
}
