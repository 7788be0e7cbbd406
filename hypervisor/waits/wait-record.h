/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WAIT records: once a second how long each vCPU of the host has run and waited
 * so far.
 *
 * A round over all vCPUs is cut into pieces, one for each upkeep, so that no
 * tick takes long, however many domains there are; and a vCPU has at most one
 * record in a round, whatever its guest does: none if it rests since before the
 * last round, but for one in 16.  Records go to the ring of the pCPU where
 * upkeep runs, and are dropped while samples need the room; then the next round
 * says all.  When a session stops, a last round says what each vCPU did up to
 * then.
 */
#ifndef XENOPROF_HYPERVISOR_WAITS_WAIT_RECORD_H
#define XENOPROF_HYPERVISOR_WAITS_WAIT_RECORD_H

#include "hypervisor/session.h"

#define WAIT_RECORD_PIECE 64u   /* vCPUs in one upkeep */
#define WAIT_RECORD_LAST  1024u /* in one command, at the end */

/* Has a round begin at the next upkeep. [command] */
void wait_record_start(struct session *session, uint64_t now);

/* Begins a round if it is time, and does a piece of it.  In upkeep only, which
 * one pCPU does at a time. [soft] */
void wait_record_look(struct session *session, uint64_t now);

/* Does the last round, or a piece of it, to any ring with room; nobody else
 * writes to rings any more.  Returns true when it is over, or false: call
 * again. [command] */
bool wait_record_finish(struct session *session, uint64_t now);

#endif
