/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core.h"
#include "cost.h"
#include "kick.h"
#include "ticker.h"
#include "upkeep.h"

#define SECOND 1000000000ul

void ticker_set_frequency(struct session *session, uint32_t frequency)
{
    session->frequency = frequency;
    __atomic_store_n(&session->period, SECOND / frequency, __ATOMIC_RELAXED);
}

static uint32_t next_random(struct ticker *ticker)
{
    uint32_t x = ticker->random;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return ticker->random = x;
}

/* The next point of its own phase after now. */
static void align(const struct session *session, struct ticker *ticker,
                  uint64_t now)
{
    uint64_t period = __atomic_load_n(&session->period, __ATOMIC_RELAXED);
    uint64_t first = session->epoch + period * ticker->rank / session->ranks;

    ticker->period = period;
    ticker->grid = now < first ? first
                               : first + ((now - first) / period + 1) * period;
}

/* Jitter about a grid: no lockstep with anything, and the mean is exact. */
static void arm(struct pcpu *pcpu)
{
    struct ticker *ticker = &pcpu->ticker;
    uint64_t jitter = (next_random(ticker) * (ticker->period >> 2)) >> 32;

    port_timer_arm(pcpu->index, ticker->grid + jitter);
}

static void unpark(struct session *session, struct pcpu *pcpu, uint64_t now)
{
    uint32_t parked = 0;

    if ( !__atomic_compare_exchange_n(&pcpu->ticker.ticking, &parked, 1, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) )
        return;
    __atomic_fetch_add(&session->ticking, 1, __ATOMIC_SEQ_CST);
    align(session, &pcpu->ticker, now);
    arm(pcpu);
}

/* Unless fewer than stay timers would go on. */
static bool park(struct session *session, struct pcpu *pcpu, uint32_t stay)
{
    uint32_t ticking = __atomic_load_n(&session->ticking, __ATOMIC_RELAXED);

    do
    {
        if ( ticking <= stay )
            return false;
    } while ( !__atomic_compare_exchange_n(&session->ticking, &ticking,
                                           ticking - 1, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_RELAXED) );
    /* Release: the next one who arms this timer goes on from here. */
    __atomic_store_n(&pcpu->ticker.ticking, 0, __ATOMIC_RELEASE);
    return true;
}

/* How many whole periods this tick comes late. */
static uint64_t periods_late(const struct ticker *ticker, uint64_t now)
{
    if ( now < ticker->grid + ticker->period )
        return 0;
    return (now - ticker->grid) / ticker->period;
}

static void arm_next(const struct session *session, struct pcpu *pcpu,
                     uint64_t now, uint64_t late)
{
    struct ticker *ticker = &pcpu->ticker;

    if ( ticker->period != __atomic_load_n(&session->period, __ATOMIC_RELAXED) )
        align(session, ticker, now);
    else
        ticker->grid += (late + 1) * ticker->period;
    arm(pcpu);
}

/* Of the pCPUs after me, in order. */
struct around {
    struct pcpu *busy[2]; /* the next ones that are not idle */
    uint32_t count;       /* of them */
    uint32_t distance;    /* to the first; to myself if there is none */
    struct pcpu *other;   /* the next one that is online, idle or not */
};

static struct pcpu *takes_part(const struct session *session, uint32_t index)
{
    struct pcpu *pcpu = session_pcpu(session, index);

    return pcpu && session->chosen[index] && port_pcpu_online(index) ? pcpu
                                                                     : NULL;
}

static void look_around(const struct session *session, const struct pcpu *me,
                        uint32_t wanted, struct around *around)
{
    uint32_t index = me->index;

    *around = (struct around){.distance = session->pcpus};
    for ( uint32_t step = 1; step < session->pcpus && around->count < wanted;
          step++ )
    {
        struct pcpu *pcpu;

        index = index + 1 < session->pcpus ? index + 1 : 0;
        pcpu = takes_part(session, index);
        if ( !pcpu )
            continue;
        if ( !around->other )
            around->other = pcpu;
        if ( port_pcpu_idle(index) )
            continue;
        if ( !around->count )
            around->distance = step;
        around->busy[around->count++] = pcpu;
    }
}

/* Those idle ones before the next busy one whose turn it is. */
static void kick_idle_ones(const struct session *session, struct pcpu *me,
                           uint32_t distance, uint64_t now)
{
    for ( uint32_t step = 1 + me->ticker.turn % KICK_IDLE_TURNS;
          step < distance; step += KICK_IDLE_TURNS )
    {
        uint32_t index = (me->index + step) % session->pcpus;
        struct pcpu *pcpu = takes_part(session, index);

        if ( pcpu && port_pcpu_idle(index) )
            kick(me, pcpu, now, true);
    }
}

/* Whom this tick samples, but for those that are idle. */
static struct pcpu *target_of(const struct session *session, struct pcpu *me,
                              bool idle, const struct around *around)
{
    if ( session->settings.sampler == XENOPROF_SAMPLER_TIMER )
        return idle ? NULL : me;
    if ( around->count )
        return around->busy[0];
    /* Nobody else is there to do it; interrupts-off code stays unseen. */
    return around->other || idle ? NULL : me;
}

static void sample(struct session *session, struct pcpu *me, bool idle,
                   const struct around *around, uint64_t now)
{
    struct pcpu *target = target_of(session, me, idle, around);

    if ( target )
        kick_missed(me, periods_late(&me->ticker, now));
    /* Xen has moved the timer here: it goes home when it is armed again. */
    if ( port_pcpu() != me->index )
    {
        kick_missed(me, target != NULL);
        return;
    }
    if ( session->settings.sampler == XENOPROF_SAMPLER_TIMER )
    {
        if ( target )
            kick_itself(session, me);
        return;
    }
    if ( target )
        kick(me, target, now, false);
    if ( !idle || !around->count )
        kick_idle_ones(session, me, around->distance, now);
    me->ticker.turn++;
}

/* True: me needs no timer for now. */
static bool parks(struct session *session, struct pcpu *me, bool idle,
                  const struct around *around)
{
    bool by_nmi = session->settings.sampler == XENOPROF_SAMPLER_NMI;

    if ( !port_pcpu_online(me->index) )
        return park(session, me, 1);
    return idle && park(session, me, by_nmi && around->count ? 2 : 1);
}

/* Offline, or alone at work with nobody to kick it. */
static bool needs_another(const struct session *session, const struct pcpu *me,
                          bool idle)
{
    if ( !port_pcpu_online(me->index) )
        return true;
    return !idle && session->settings.sampler == XENOPROF_SAMPLER_NMI;
}

static void rouse(struct session *session, const struct pcpu *me, bool idle,
                  const struct around *around, uint64_t now)
{
    for ( uint32_t i = 0; i < around->count; i++ )
        unpark(session, around->busy[i], now);
    if ( !around->count && around->other && needs_another(session, me, idle) &&
         __atomic_load_n(&session->ticking, __ATOMIC_RELAXED) < 2 )
        unpark(session, around->other, now);
}

static void tick(struct session *session, struct pcpu *me, uint64_t now)
{
    bool idle = port_pcpu_idle(me->index);
    uint64_t late = periods_late(&me->ticker, now);
    struct around around;

    look_around(session, me, idle ? 2 : 1, &around);
    rouse(session, me, idle, &around, now);
    if ( parks(session, me, idle, &around) )
        return;
    sample(session, me, idle, &around, now);
    arm_next(session, me, now, late);
}

void core_tick(unsigned int index)
{
    struct session *session = session_current();
    uint64_t start = port_ticks(), now = port_time();
    struct pcpu *me = session ? session_pcpu(session, index) : NULL;
    struct pcpu *here = session ? session_pcpu(session, port_pcpu()) : NULL;

    if ( !me || !session_running(session) )
        return;
    if ( session->settings.sampler == XENOPROF_SAMPLER_NMI )
    {
        /* A resume from S3 takes it away. */
        port_hook_commit();
        kick_look_at_slot(session, now);
    }
    upkeep(session, now);
    if ( session_running(session) )
        tick(session, me, now);
    if ( here )
        cost_add(here, start);
}

uint32_t ticker_count(const struct session *session)
{
    uint32_t count = 0;

    for ( uint32_t i = 0; i < session->pcpus; i++ )
        count += takes_part(session, i) != NULL;
    return count;
}

void ticker_start(struct session *session)
{
    uint64_t now = port_time();
    uint32_t rank = 0;

    session->epoch = now;
    session->ranks = ticker_count(session) ?: 1;
    session->ticking = 0;
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = session_pcpu(session, i);

        if ( !pcpu )
            continue;
        pcpu->ticker.ticking = 0;
        pcpu->ticker.rank = rank;
        rank += takes_part(session, i) != NULL;
    }
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( takes_part(session, i) )
            unpark(session, session_pcpu(session, i), now);
}

static void cancel_all(const struct session *session)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_pcpu(session, i) )
            port_timer_cancel(i);
}

void ticker_stop(struct session *session)
{
    cancel_all(session);
    /* A tick that was still under way may have armed one that was cancelled
     * before it; from now on there is none that arms any. */
    cancel_all(session);
}
