/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's single slot for a callback that sees each NMI first.
 */
#include "hypervisor/core.h"
#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"

#define LAST_PATIENCE 10000000ul /* ns */

static int taken(struct port_frame *frame, int pcpu)
{
    bool ours = core_nmi_taken(frame);

    (void)pcpu;
    idle_stay_awake(frame);
    return ours ? XEN_NMI_WANTED : XEN_NMI_NOT_MINE;
}

enum port_slot port_nmi_slot(void)
{
    /* Relaxed: others may change the slot right after in any case. */
    xen_nmi_callback *now = __atomic_load_n(&nmi_callback, __ATOMIC_RELAXED);

    if ( !now )
        return PORT_SLOT_FREE;
    return now == taken ? PORT_SLOT_OURS : PORT_SLOT_OTHERS;
}

/* Livepatch, microcode and others change the slot too, so only a value that is
 * expected is replaced. */
static bool slot_change(xen_nmi_callback *from, xen_nmi_callback *to)
{
    return __atomic_compare_exchange_n(&nmi_callback, &from, to, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The slot may be ours already: if it was left while a livepatch had masked it,
 * Xen put our callback back afterwards. */
bool port_nmi_take(void)
{
    return slot_change(NULL, taken) || port_nmi_slot() == PORT_SLOT_OURS;
}

bool port_nmi_leave(void)
{
    return slot_change(taken, NULL);
}

void nmi_unload(void)
{
    port_nmi_leave();
    if ( saved_nmi_callback == taken )
        saved_nmi_callback = NULL;
    nmi_forget();
}

/* What stands in the slot while everybody stands still is Xen's own, which
 * swallows NMIs; it comes back.  A counter of those that have answered. */
static uint32_t answered;

static int taken_at_last(struct port_frame *frame, int pcpu)
{
    (void)pcpu;
    core_nmi_taken(frame);
    idle_stay_awake(frame);
    __atomic_fetch_add(&answered, 1, __ATOMIC_SEQ_CST);
    return XEN_NMI_WANTED;
}

void port_nmi_all(void)
{
    uint64_t until = port_time() + LAST_PATIENCE;
    xen_nmi_callback *before;
    unsigned int others;

    __atomic_store_n(&answered, 0, __ATOMIC_SEQ_CST);
    before = __atomic_exchange_n(&nmi_callback, taken_at_last,
                                 __ATOMIC_SEQ_CST);
    others = nmi_send_to_others();
    while ( __atomic_load_n(&answered, __ATOMIC_SEQ_CST) < others &&
            port_time() < until )
        __builtin_ia32_pause();
    slot_change(taken_at_last, before);
}
