/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pCPU samples which: timers, and core_tick() (core.h), which they call.
 *
 * Each pCPU of the set has a timer, which fires once a period at a phase of its
 * own.  A tick looks at a stretch: the pCPUs after its own, up to and with the
 * next pCPU that ticks.  So every pCPU is looked at once a period, by another
 * one, at a time that does not depend on what it does.  A busy pCPU is kicked:
 * it gets the NMI that takes the sample.  An idle pCPU is kicked at every
 * eighth look (a sample of weight 8, if the idle vCPU is at work).
 *
 * A tick costs its pCPU a timer's interrupt, so few pCPUs tick: a stretch has
 * up to TICKER_SERVES pCPUs, and the others park, which is to have their timers
 * off.  A pCPU parks at its own tick if it is idle, or if the stretch before it
 * and its own have TICKER_SERVES pCPUs at most together.  Where a stretch has
 * more, the first busy pCPU beyond TICKER_SERVES gets its timer armed.  At
 * least two tick, since each must be looked at by another; an idle one of them
 * hands over to a busy one.  So short bursts of work have their true weight on
 * any number of pCPUs.
 *
 * Without NMIs (--sampler=timer) each tick samples its own pCPU, a tick that
 * finds a parked pCPU busy arms its timer at once, and at least one ticks.  The
 * tick of a session's only pCPU samples it in the same way.
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
