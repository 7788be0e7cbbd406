/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core.h"
#include "cost.h"
#include "kick.h"
#include "ticker.h"
#include "timer.h"
#include "upkeep.h"

struct tick {
    struct session *session;
    struct pcpu *me;
    uint64_t now;
    uint64_t late; /* whole periods */
    bool by_nmi;
    bool home; /* it runs on its own pCPU: Xen has not moved the timer */
};

/* The next one that takes part, from index on; NULL: there is none but me. */
static struct pcpu *next_after(const struct tick *tick, uint32_t index)
{
    const struct session *session = tick->session;

    for ( uint32_t step = 0; step < session->pcpus; step++ )
    {
        struct pcpu *pcpu;

        index = index + 1 < session->pcpus ? index + 1 : 0;
        if ( index == tick->me->index )
            return NULL;
        pcpu = session_member(session, index);
        if ( pcpu )
            return pcpu;
    }
    return NULL;
}

/* A tick that cannot do its work has missed it. */
static void kick_one(const struct tick *tick, struct pcpu *target, bool idle)
{
    if ( tick->home )
        kick(tick->me, target, tick->now, idle);
    else
        kick_missed(tick->me, 1);
}

/*
 * Each is looked at once a period, whoever comes by: the first who comes by
 * when it is due again.  So it does not matter that a stretch is walked by two
 * while a timer is armed or parked.  One look may be made up for, not more.
 */
static bool is_due(const struct tick *tick, struct pcpu *pcpu)
{
    uint64_t due = __atomic_load_n(&pcpu->next_look, __ATOMIC_RELAXED);
    uint64_t next = due + tick->me->ticker.period;

    if ( tick->now < due )
        return false;
    if ( next < tick->now )
        next = tick->now;
    return __atomic_compare_exchange_n(&pcpu->next_look, &due, next, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Whoever looks is alone with it until the next look is due. */
static bool idle_turn(struct pcpu *pcpu)
{
    uint32_t looks = __atomic_load_n(&pcpu->idle_looks, __ATOMIC_RELAXED);

    __atomic_store_n(&pcpu->idle_looks, looks + 1, __ATOMIC_RELAXED);
    return looks % KICK_IDLE_TURNS == 0;
}

static void look_at(const struct tick *tick, struct pcpu *pcpu)
{
    bool due = is_due(tick, pcpu);

    if ( port_pcpu_idle(pcpu->index) )
    {
        if ( due && idle_turn(pcpu) )
            kick_one(tick, pcpu, true);
        return;
    }
    timer_unpark(tick->session, pcpu, tick->now, false);
    if ( !due )
        return;
    kick_missed(tick->me, tick->late);
    kick_one(tick, pcpu, false);
}

/* The sampler without NMIs: those that tick look at themselves. */
static void look_for_parked(const struct tick *tick, struct pcpu *pcpu)
{
    bool due = !timer_is_armed(pcpu) && is_due(tick, pcpu);

    if ( port_pcpu_idle(pcpu->index) )
        return;
    if ( due )
        __atomic_store_n(&pcpu->granted, 1, __ATOMIC_RELAXED);
    timer_unpark(tick->session, pcpu, tick->now, due);
}

/* Those up to the next one that ticks; false: there is nobody. */
static bool look_around(const struct tick *tick)
{
    struct pcpu *pcpu = next_after(tick, tick->me->index);
    bool any = pcpu != NULL, ticks = false;

    while ( pcpu && !ticks )
    {
        ticks = timer_is_armed(pcpu);
        if ( tick->by_nmi )
            look_at(tick, pcpu);
        else
            look_for_parked(tick, pcpu);
        pcpu = next_after(tick, pcpu->index);
    }
    return any;
}

static void look_at_itself(const struct tick *tick, bool idle)
{
    uint32_t granted = __atomic_exchange_n(&tick->me->granted, 0,
                                           __ATOMIC_RELAXED);
    bool due = granted || is_due(tick, tick->me);

    if ( idle || !due )
        return;
    kick_missed(tick->me, tick->late);
    if ( !tick->home )
        kick_missed(tick->me, 1);
    else if ( tick->by_nmi )
        kick(tick->me, tick->me, tick->now, false);
    else
        kick_itself(tick->session, tick->me);
}

/* Somebody who is parked, if fewer than so many tick. */
static void rouse(const struct tick *tick, uint32_t wanted)
{
    struct pcpu *pcpu;

    if ( timer_count(tick->session) >= wanted )
        return;
    pcpu = next_after(tick, tick->me->index);
    while ( pcpu && timer_is_armed(pcpu) )
        pcpu = next_after(tick, pcpu->index);
    if ( pcpu )
        timer_unpark(tick->session, pcpu, tick->now, false);
}

/* Wherever it ran: somebody else has to, and this one until all are gone. */
static void act_offline(const struct tick *tick)
{
    rouse(tick, tick->by_nmi ? 3 : 2);
    if ( !timer_park(tick->session, tick->me, 1) )
        timer_arm_next(tick->session, tick->me, tick->now, tick->late);
}

static void act(const struct tick *tick)
{
    uint32_t needed = tick->by_nmi ? 2 : 1;
    bool idle = port_pcpu_idle(tick->me->index);
    bool others = look_around(tick);

    /* Alone, interrupts-off code stays unseen. */
    if ( !tick->by_nmi || !others )
        look_at_itself(tick, idle);
    rouse(tick, needed);
    if ( !idle || !timer_park(tick->session, tick->me, needed) )
        timer_arm_next(tick->session, tick->me, tick->now, tick->late);
}

static void begin(struct tick *tick)
{
    if ( tick->by_nmi )
    {
        /* A resume from S3 takes it away. */
        port_hook_commit();
        kick_look_at_slot(tick->session, tick->now);
    }
    upkeep(tick->session, tick->now);
    if ( !session_running(tick->session) )
        return;
    tick->late = timer_periods_late(tick->me, tick->now);
    if ( port_pcpu_online(tick->me->index) )
        act(tick);
    else
        act_offline(tick);
}

void core_tick(unsigned int index)
{
    uint64_t start = port_ticks();
    struct session *session = session_current();
    struct pcpu *here;
    struct tick tick = {.session = session, .now = port_time()};

    if ( !session || !session_running(session) )
        return;
    tick.me = session_pcpu(session, index);
    if ( !tick.me )
        return;
    tick.by_nmi = session->settings.sampler == XENOPROF_SAMPLER_NMI;
    tick.home = port_pcpu() == index;
    begin(&tick);
    here = session_pcpu(session, port_pcpu());
    if ( here )
        cost_add(here, start);
}

void ticker_start(struct session *session)
{
    uint64_t now = port_time();
    uint32_t rank = 0;

    session->epoch = now;
    session->ranks = session_members(session) ?: 1;
    session->ticking = 0;
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = session_pcpu(session, i);

        if ( !pcpu )
            continue;
        pcpu->ticker.ticking = 0;
        pcpu->ticker.rank = rank;
        pcpu->idle_looks = i;
        pcpu->next_look = now;
        pcpu->granted = 0;
        rank += session_member(session, i) != NULL;
    }
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_member(session, i) )
            timer_unpark(session, session_pcpu(session, i), now, false);
}
