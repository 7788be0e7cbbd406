/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timers of a session's pCPUs: each with its own phase, armed or parked.
 */
#ifndef XENOPROF_HYPERVISOR_TIMER_H
#define XENOPROF_HYPERVISOR_TIMER_H

#include "session.h"

/* Sets the frequency in Hz, and the period; timers follow as they run out. */
void timer_set_frequency(struct session *session, uint32_t frequency);

/* A hint, and so is the next: timer_unpark() and timer_park() decide, by
 * exchanges.  Relaxed for that reason. */
static inline bool timer_is_armed(const struct pcpu *pcpu)
{
    return __atomic_load_n(&pcpu->ticker.ticking, __ATOMIC_RELAXED);
}

/* Returns how many timers are armed. */
static inline uint32_t timer_count(const struct session *session)
{
    return __atomic_load_n(&session->ticking, __ATOMIC_RELAXED);
}

/* Arms a parked timer for the next point of its own phase, or with at_once for
 * now.  Leaves an armed timer alone. [soft] */
void timer_unpark(struct session *session, struct pcpu *pcpu, uint64_t now,
                  bool at_once);
/* In the timer's own tick: parks it, unless fewer than stay would be armed.
 * Returns true if it is parked; others may arm it at once. [soft] */
bool timer_park(struct session *session, struct pcpu *pcpu, uint32_t stay);
/* In the timer's own tick, which came late whole periods late: arms it once
 * more. [soft] */
void timer_arm_next(const struct session *session, struct pcpu *pcpu,
                    uint64_t now, uint64_t late);
/* Returns how many whole periods a tick at now comes late. [soft] */
uint64_t timer_periods_late(const struct pcpu *pcpu, uint64_t now);

/* Cancels all timers; the session must not be running.  When this returns no
 * tick is under way and no timer is armed. [command] */
void timer_cancel_all(struct session *session);

#endif
