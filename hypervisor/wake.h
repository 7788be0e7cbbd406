/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waking the reader: when a ring is half full, or a record has waited long
 * enough; and never more often than it can be of use.
 */
#ifndef XENOPROF_HYPERVISOR_WAKE_H
#define XENOPROF_HYPERVISOR_WAKE_H

#include "session.h"

#define WAKE_INTERVAL 2000000ul   /* ns between two */
#define WAKE_AGE      100000000ul /* ns that a record may wait */

/* The reader should be woken. [soft] */
void wake_want(struct session *session);
/* Do it, if it is wanted and was not done just now. [soft] */
void wake_if_wanted(struct session *session);
/* Do it now. [soft] */
void wake_now(struct session *session);
/* Has any record waited long enough?  Then it is wanted. [soft] */
void wake_look(struct session *session, uint64_t now);

#endif
