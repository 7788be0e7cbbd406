/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the reader is woken: by an event channel, which is cheap for Xen and
 * dear for dom0.
 */
#include "wake.h"

void wake_want(struct session *session)
{
    /* Cleared in wake().  Relaxed: a flag that is seen late only delays the
     * event by a tick. */
    __atomic_store_n(&session->wake.wanted, 1, __ATOMIC_RELAXED);
}

static void wake(struct session *session)
{
    /* Cleared before the event, with wake_want(): what is wanted from now on
     * wakes once more. */
    __atomic_store_n(&session->wake.wanted, 0, __ATOMIC_SEQ_CST);
    port_wake_reader();
}

/* Called by stop, after all ticks have ended: nobody else moves last. */
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
    /* Clocks of two pCPUs differ a little: now may be before last. */
    if ( last && now < last + WAKE_INTERVAL )
        return;
    /* Of several pCPUs that come here the one that moves last sends the
     * event. */
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

        /* Set by commit(); relaxed: a time that is seen late is seen by the
         * next upkeep. */
        if ( since && now >= since + WAKE_AGE )
            return true;
    }
    return false;
}

void wake_look(struct session *session, uint64_t now)
{
    if ( !any_old(session, now) )
        return;
    /* Before the event, see commit() in second-half.c: a record that finds its
     * time set needs no event of its own. */
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_pcpu(session, i) )
            __atomic_store_n(&session_pcpu(session, i)->second.unread_since, 0,
                             __ATOMIC_SEQ_CST);
    wake_want(session);
}
