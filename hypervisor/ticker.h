/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers, and who kicks whom.  core_tick() is in the same file.
 *
 * Each pCPU of the set has a timer with its own phase.  A busy pCPU's tick
 * kicks the next busy pCPU of the set, so that with two of them each is
 * kicked once a period by another one, also while it has interrupts off.
 * It also kicks those idle ones that lie before the next busy one, each at
 * every eighth of its ticks (a sample of weight 8, if there is work).
 *
 * A pCPU that is idle at its tick parks: no timer, no wake-up.  It goes on
 * only where it is needed:
 *
 *   busy pCPUs    idle ones that go on ticking
 *   none          one, which sees when that changes
 *   one           one, which kicks it: nobody kicks itself (sampler nmi)
 *   two or more   none
 *
 * A tick that finds the next busy one parked arms its timer.  A pCPU that
 * goes offline is parked wherever Xen has moved its timer to; arming brings
 * a timer back to its own pCPU.
 */
#ifndef XENOPROF_HYPERVISOR_TICKER_H
#define XENOPROF_HYPERVISOR_TICKER_H

#include "session.h"

/* Arm the timers of all pCPUs of the set that are online; counts them in
 * session->ranks. [command] */
void ticker_start(struct session *session);
/* None ticks any more when this returns, and none is armed; the session must
 * not be running. [command] */
void ticker_stop(struct session *session);

/* Hz -> session->frequency and period; the ticks follow. */
void ticker_set_frequency(struct session *session, uint32_t frequency);

/* pCPUs that are online and in the set. [soft] */
uint32_t ticker_count(const struct session *session);

#endif
