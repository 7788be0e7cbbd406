/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timers of a session's pCPUs: each with its own phase, armed or parked.
 */
#ifndef XENOPROF_HYPERVISOR_TIMER_H
#define XENOPROF_HYPERVISOR_TIMER_H

#include "session.h"

/* Hz -> session->frequency and period; the timers follow as they run out. */
void timer_set_frequency(struct session *session, uint32_t frequency);

bool timer_is_armed(const struct pcpu *pcpu);
/* How many are. */
uint32_t timer_count(const struct session *session);

/* Arm a parked one, for the next point of its own phase, or for now as well;
 * one that is armed is left alone. [soft] */
void timer_unpark(struct session *session, struct pcpu *pcpu, uint64_t now,
                  bool at_once);
/* From its own tick: not again, unless fewer than stay would be armed.  True:
 * it is parked, and may be armed by others at once. [soft] */
bool timer_park(struct session *session, struct pcpu *pcpu, uint32_t stay);
/* From its own tick, late whole periods late: once more. [soft] */
void timer_arm_next(const struct session *session, struct pcpu *pcpu,
                    uint64_t now, uint64_t late);
/* How many whole periods a tick at now comes late. [soft] */
uint64_t timer_periods_late(const struct pcpu *pcpu, uint64_t now);

/* All of them; the session must not be running.  None ticks any more and none
 * is armed when this returns. [command] */
void timer_cancel_all(struct session *session);

#endif
