/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pCPU samples which.  core_tick() is in the same file.
 *
 * Each pCPU of the set has a timer with its own phase.  A tick walks over the
 * pCPUs after its own, up to and with the next pCPU that ticks.  So every pCPU
 * is looked at once a period, by another one, at a time that does not depend on
 * what it does.  A busy pCPU is kicked; an idle pCPU is kicked at every eighth
 * look (a sample of weight 8, if the idle vCPU is at work).
 *
 * A tick costs its pCPU a timer's interrupt, so it serves up to TICKER_SERVES
 * pCPUs.  A pCPU parks at its own tick if it is idle, or if the tick before it
 * can take over its stretch and serve no more than that.  Where a stretch has
 * become longer, the first busy pCPU behind so many gets its timer armed.  Two
 * never park, since each must be looked at by another; an idle one hands over
 * to a busy one first.  So short bursts of work have their true weight on any
 * number of pCPUs.
 *
 * With the sampler without NMIs each tick samples its own pCPU, a tick that
 * finds a parked pCPU busy arms its timer at once, and only the last one never
 * parks.  The tick of a session's only pCPU samples it in the same way.
 *
 * A pCPU that goes offline is parked wherever Xen has moved its timer; arming
 * brings a timer back to its own pCPU.
 */
#ifndef XENOPROF_HYPERVISOR_TICKER_H
#define XENOPROF_HYPERVISOR_TICKER_H

#include "session.h"

#define TICKER_SERVES 8u

/* Arms the timers of all members, and counts them in session->ranks.
 * [command] */
void ticker_start(struct session *session);

#endif
