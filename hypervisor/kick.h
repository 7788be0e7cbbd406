/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tick that is due, and what becomes of it.
 */
#ifndef XENOPROF_HYPERVISOR_KICK_H
#define XENOPROF_HYPERVISOR_KICK_H

#include "session.h"

/* An idle pCPU is kicked at each eighth tick only. */
#define KICK_IDLE_TURNS 8u

/* The slot must be ours; not so for this long, and sampling stops. */
#define KICK_SLOT_PATIENCE 1000000000ul /* ns */

/* me's tick sends target an NMI, if it may. [soft] */
void kick(struct pcpu *me, struct pcpu *target, uint64_t now, bool idle);
/* The sampler without NMIs: me's tick takes the sample. [soft] */
void kick_itself(struct session *session, struct pcpu *me);
/* me's ticks that were due and did not happen. [soft] */
void kick_missed(struct pcpu *me, uint64_t ticks);

/* Is the slot ours?  Halts the session when it has not been for long. [soft] */
void kick_look_at_slot(struct session *session, uint64_t now);

#endif
