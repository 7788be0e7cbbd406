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

void wake_in_time(struct session *session)
{
    uint64_t now = port_time();
    uint64_t last = __atomic_load_n(&session->wake.last, __ATOMIC_RELAXED);

    /* Clocks of two pCPUs differ a little: now may be before last. */
    if ( last && now < last + WAKE_INTERVAL )
        return;
    /* Of several pCPUs that come here the one that moves last sends the
     * event. */
    if ( __atomic_compare_exchange_n(&session->wake.last, &last, now, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        wake(session);
}

/*
 * Producer indices are stored, then oldest is loaded; wake_look() clears
 * oldest, then the reader is woken and loads the indices.  With a full barrier
 * on both sides one of them sees the other: these records' time becomes the
 * oldest, or the event that is on its way finds the records.
 */
void wake_note(struct session *session, uint64_t time)
{
    uint64_t none = 0;

    /* This side's full barrier, with that in wake_look().  x86 would let the
     * load below overtake the stores of the indices. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if ( !__atomic_load_n(&session->wake.oldest, __ATOMIC_RELAXED) )
        __atomic_compare_exchange_n(&session->wake.oldest, &none, time, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void wake_look(struct session *session, uint64_t now)
{
    uint64_t oldest = __atomic_load_n(&session->wake.oldest, __ATOMIC_RELAXED);

    if ( !oldest || now < oldest + WAKE_AGE )
        return;
    __atomic_store_n(&session->wake.oldest, 0, __ATOMIC_RELAXED);
    /* This side's full barrier, with that in wake_note(). */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    wake_want(session);
}
