/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who samples whom.  core_tick() is in the same file.
 *
 * Each pCPU of the set has a timer with its own phase.  A tick walks over the
 * pCPUs that come after its own, up to and with the next one that ticks: so
 * each is looked at once a period, at a time that has nothing to do with what
 * it does, and never by itself.  One that is busy is kicked, and its timer is
 * armed if it was parked; one that is idle is kicked at every eighth look (a
 * sample of weight 8, if the idle vCPU is at work).
 *
 * A pCPU that is idle at its own tick parks; the tick before it walks on over
 * its stretch from then on.  The last two never park, since each must be
 * looked at by another.  So short bursts of work count for what they are on
 * any number of pCPUs.
 *
 * With one pCPU it kicks itself.  The sampler without NMIs arms the timer of
 * the busy one that it finds at once, and each tick samples its own pCPU;
 * there the last one never parks.
 *
 * A pCPU that goes offline is parked wherever Xen has moved its timer to;
 * arming brings a timer back to its own pCPU.
 */
#ifndef XENOPROF_HYPERVISOR_TICKER_H
#define XENOPROF_HYPERVISOR_TICKER_H

#include "session.h"

/* Arm the timers of all pCPUs of the set that are online; counts them in
 * session->ranks. [command] */
void ticker_start(struct session *session);

#endif
