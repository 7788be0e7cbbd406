/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WAIT records: once a second how long each vCPU of the host has run and waited
 * so far.
 *
 * A round over all vCPUs is cut into pieces, one for each upkeep, so that no
 * tick takes long, however many domains there are; and a vCPU has one record in
 * a round, whatever its guest does.  Records go to the ring of the pCPU where
 * upkeep runs, and are dropped while samples need the room.
 */
#ifndef XENOPROF_HYPERVISOR_WAIT_RECORD_H
#define XENOPROF_HYPERVISOR_WAIT_RECORD_H

#include "session.h"

#define WAIT_RECORD_PIECE 64u /* vCPUs in one upkeep */

/* Has a round begin at the next upkeep. [command] */
void wait_record_start(struct session *session, uint64_t now);

/* Begins a round if it is time, and does a piece of it.  In upkeep only, which
 * one pCPU does at a time. [soft] */
void wait_record_look(struct session *session, uint64_t now);

#endif
