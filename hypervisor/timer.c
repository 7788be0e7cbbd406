/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When each pCPU's timer runs out: its phase, its jitter, and who may arm it.
 */
#include "random.h"
#include "timer.h"

#define SECOND 1000000000ul

void timer_set_frequency(struct session *session, uint32_t frequency)
{
    session->frequency = frequency;
    /* Read by session_period(). */
    __atomic_store_n(&session->period, SECOND / frequency, __ATOMIC_RELAXED);
}

/* Sets the grid to the next point of the timer's own phase after now. */
static void align(const struct session *session, struct ticker *ticker,
                  uint64_t now)
{
    uint64_t period = session_period(session);
    uint64_t first = session->phase_start +
                     period * ticker->rank / session->ranks;

    ticker->period = period;
    ticker->grid = now < first ? first
                               : first + ((now - first) / period + 1) * period;
}

/* Jitter on a grid: the timer is in step with nothing, and the mean period is
 * exact. */
static void arm_ticker(struct pcpu *pcpu)
{
    struct ticker *ticker = &pcpu->ticker;
    uint64_t jitter = random_below(&ticker->random, ticker->period >> 2);

    port_timer_arm(pcpu->index, ticker->grid + jitter);
}

void timer_unpark(struct session *session, struct pcpu *pcpu, uint64_t now,
                  bool at_once)
{
    uint32_t parked = 0;

    /* The usual case, without taking the timer's line from its pCPU. */
    if ( timer_is_armed(pcpu) )
        return;
    /* Several pCPUs may find the timer parked: one of them gets it.  Reads what
     * its last tick left, see timer_park(). */
    if ( !__atomic_compare_exchange_n(&pcpu->ticker.ticking, &parked, 1, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) )
        return;
    /* Counted after it was taken, and in timer_park() no longer counted before
     * it is given up: the count is at most what ticks. */
    __atomic_fetch_add(&session->ticking, 1, __ATOMIC_SEQ_CST);
    align(session, &pcpu->ticker, now);
    if ( !at_once )
    {
        arm_ticker(pcpu);
        return;
    }
    pcpu->ticker.grid -= pcpu->ticker.period;
    port_timer_arm(pcpu->index, now);
}

bool timer_park(struct session *session, struct pcpu *pcpu, uint32_t stay)
{
    uint32_t ticking = timer_count(session);

    /* Several ticks may park at once, and timer_unpark() adds: the count never
     * goes below stay. */
    do
    {
        if ( ticking <= stay )
            return false;
    } while ( !__atomic_compare_exchange_n(&session->ticking, &ticking,
                                           ticking - 1, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_RELAXED) );
    /* Release, with timer_unpark(): the next owner goes on with this. */
    __atomic_store_n(&pcpu->ticker.ticking, 0, __ATOMIC_RELEASE);
    return true;
}

uint64_t timer_periods_late(const struct pcpu *pcpu, uint64_t now)
{
    const struct ticker *ticker = &pcpu->ticker;

    if ( now < ticker->grid + ticker->period )
        return 0;
    return (now - ticker->grid) / ticker->period;
}

void timer_arm_next(const struct session *session, struct pcpu *pcpu,
                    uint64_t now, uint64_t late)
{
    struct ticker *ticker = &pcpu->ticker;

    ticker->grid += late * ticker->period;
    ticker->period = session_period(session);
    ticker->grid += ticker->period;
    /* A new period that is shorter than the jitter of the old one. */
    if ( ticker->grid < now )
        align(session, ticker, now);
    arm_ticker(pcpu);
}

static void cancel_each(const struct session *session)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_pcpu(session, i) )
            port_timer_cancel(i);
}

void timer_cancel_all(struct session *session)
{
    cancel_each(session);
    /* A tick that was still under way may have armed a timer that had been
     * cancelled before.  After the first round no tick is under way. */
    cancel_each(session);
}
