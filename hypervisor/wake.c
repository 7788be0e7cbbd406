/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wake.h"

void wake_want(struct session *session)
{
    __atomic_store_n(&session->wake.wanted, 1, __ATOMIC_RELAXED);
}

static void wake(struct session *session)
{
    __atomic_store_n(&session->wake.wanted, 0, __ATOMIC_SEQ_CST);
    port_wake_reader();
}

void wake_now(struct session *session)
{
    __atomic_store_n(&session->wake.last, port_time(), __ATOMIC_RELAXED);
    wake(session);
}

void wake_if_wanted(struct session *session)
{
    uint64_t now, last = __atomic_load_n(&session->wake.last, __ATOMIC_RELAXED);

    if ( !__atomic_load_n(&session->wake.wanted, __ATOMIC_RELAXED) )
        return;
    now = port_time();
    /* Clocks of two pCPUs may differ a little: not before last either. */
    if ( last && now < last + WAKE_INTERVAL )
        return;
    if ( __atomic_compare_exchange_n(&session->wake.last, &last, now, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        wake(session);
}

static bool any_old(const struct session *session, uint64_t now)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        const struct pcpu *pcpu = session_pcpu(session, i);
        uint64_t since = pcpu ? __atomic_load_n(&pcpu->second.unread_since,
                                                __ATOMIC_RELAXED)
                              : 0;

        if ( since && now >= since + WAKE_AGE )
            return true;
    }
    return false;
}

void wake_look(struct session *session, uint64_t now)
{
    if ( !any_old(session, now) )
        return;
    /* Before the event: a record that finds it set was there before that. */
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_pcpu(session, i) )
            __atomic_store_n(&session_pcpu(session, i)->second.unread_since, 0,
                             __ATOMIC_SEQ_CST);
    wake_want(session);
}
