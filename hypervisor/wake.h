/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waking the reader: when a ring is half full or a record has waited long
 * enough, but not more often than the reader can use.
 */
#ifndef XENOPROF_HYPERVISOR_WAKE_H
#define XENOPROF_HYPERVISOR_WAKE_H

#include "session.h"

#define WAKE_INTERVAL 2000000ul   /* ns between two events */
#define WAKE_AGE      100000000ul /* ns that a record may wait */

/* The second half's records, the oldest from this time, are in their rings: it
 * is seen to that they do not wait too long. [soft] */
void wake_note(struct session *session, uint64_t time);
/* Asks for the reader to be woken. [soft] */
void wake_want(struct session *session);
/* Wakes the reader, but not if it was just woken. [soft] */
void wake_in_time(struct session *session);
/* The same if that was asked for. [soft] */
static inline void wake_if_wanted(struct session *session)
{
    if ( __atomic_load_n(&session->wake.wanted, __ATOMIC_RELAXED) )
        wake_in_time(session);
}
/* Wakes the reader now. [soft] */
void wake_now(struct session *session);
/* Asks for it if any record has waited long enough. [soft] */
void wake_look(struct session *session, uint64_t now);

#endif
