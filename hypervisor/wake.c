/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wake.h"

void wake_want(struct session *session)
{
    __atomic_store_n(&session->wake.wanted, 1, __ATOMIC_RELAXED);
}

void wake_now(struct session *session, uint64_t now)
{
    __atomic_store_n(&session->wake.last, now, __ATOMIC_RELAXED);
    __atomic_store_n(&session->wake.wanted, 0, __ATOMIC_SEQ_CST);
    port_wake_reader();
}

void wake_if_wanted(struct session *session, uint64_t now)
{
    uint64_t last = __atomic_load_n(&session->wake.last, __ATOMIC_RELAXED);

    if ( !__atomic_load_n(&session->wake.wanted, __ATOMIC_RELAXED) )
        return;
    /* Clocks of two pCPUs may differ a little: not before last either. */
    if ( last && now < last + WAKE_INTERVAL )
        return;
    if ( __atomic_compare_exchange_n(&session->wake.last, &last, now, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        wake_now(session, now);
}

void wake_look(struct session *session, struct pcpu *pcpu, uint64_t now)
{
    uint64_t *since = &pcpu->second.unread_since;
    uint64_t seen = __atomic_load_n(since, __ATOMIC_RELAXED);

    if ( !seen || now < seen + WAKE_AGE )
        return;
    /* Before the event: a record that finds it set was there before that. */
    __atomic_store_n(since, 0, __ATOMIC_SEQ_CST);
    wake_want(session);
}
