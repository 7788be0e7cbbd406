/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counter.h"
#include "first-half.h"
#include "kick.h"
#include "second-half.h"

void kick_missed(struct pcpu *me, uint64_t ticks)
{
    counter_add(&me->ticker.due, ticks);
    counter_add(&me->ticker.missed, ticks);
}

void kick(struct pcpu *me, struct pcpu *target, uint64_t now, bool idle)
{
    counter_add(&me->ticker.due, 1);
    /* Looked at as late as can be: an NMI that nobody claims reaches dom0. */
    if ( port_nmi_slot() != PORT_SLOT_OURS )
    {
        counter_add(&me->ticker.missed, 1);
        return;
    }
    switch ( ask_send(&target->ask, now, idle) )
    {
    case ASK_WAITING: counter_add(&me->ticker.missed, 1); return;
    case ASK_RESEND: counter_add(&me->ticker.missed, 1); break;
    case ASK_SEND: break;
    }
    port_nmi_send(target->index);
}

void kick_itself(struct session *session, struct pcpu *me)
{
    counter_add(&me->ticker.due, 1);
    first_half_ticked(session, me);
    second_half_commit(me->index);
}

void kick_look_at_slot(struct session *session, uint64_t now)
{
    uint64_t *gone = &session->upkeep.slot_gone;
    uint64_t since = __atomic_load_n(gone, __ATOMIC_RELAXED);

    if ( port_nmi_slot() == PORT_SLOT_OURS )
    {
        if ( since )
            __atomic_store_n(gone, 0, __ATOMIC_RELAXED);
        return;
    }
    if ( !since )
        __atomic_store_n(gone, now, __ATOMIC_RELAXED);
    else if ( now > since && now - since >= KICK_SLOT_PATIENCE )
        session_halt(session, XENOPROF_STOP_NMI_SLOT);
}
