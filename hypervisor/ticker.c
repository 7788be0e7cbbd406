/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tick: which pCPUs it looks at, and which of those it asks for a sample.
 * The rules are in ticker.h.
 */
#include "core.h"
#include "counter.h"
#include "first-half.h"
#include "presence.h"
#include "quieten.h"
#include "second-half.h"
#include "ticker.h"
#include "timer.h"
#include "upkeep.h"
#include "hypervisor/pmu/pmu.h"
#include "hypervisor/waits/wait-sample.h"

struct tick {
    struct session *session;
    struct pcpu *me;
    uint64_t now;
    uint64_t late; /* whole periods */
    bool by_nmi;
    bool home; /* it runs on its own pCPU: Xen has not moved the timer */
};

/* Ticks that were due and did not happen; mostly none. */
static void miss(const struct tick *tick, uint64_t ticks)
{
    if ( !ticks )
        return;
    counter_add(&tick->me->ticker.due, ticks);
    counter_add(&tick->me->ticker.missed, ticks);
}

/* A tick that is due: target is to have an NMI, or it counts as missed. */
static void kick(const struct tick *tick, struct pcpu *target, bool idle)
{
    struct ticker *ticker = &tick->me->ticker;

    counter_add(&ticker->due, 1);
    /* An NMI that nobody claims reaches dom0. */
    if ( !tick->home || port_nmi_slot() != PORT_SLOT_OURS )
    {
        counter_add(&ticker->missed, 1);
        return;
    }
    switch ( ask_send(&target->ask, tick->now, idle) )
    {
    case ASK_WAITING: counter_add(&ticker->missed, 1); return;
    case ASK_RESEND: counter_add(&ticker->missed, 1); break;
    case ASK_SEND: break;
    }
    port_nmi_note(target->index);
}

/* The next member from index on by steps of 1, or with pcpus - 1 by steps of
 * -1, wrapping around; or NULL if the walk comes back to this tick's own
 * pCPU. */
static struct pcpu *member_by(const struct tick *tick, uint32_t index,
                              uint32_t step)
{
    const struct session *session = tick->session;
    struct pcpu *pcpu = NULL;

    while ( !pcpu )
    {
        index += step;
        if ( index >= session->pcpus )
            index -= session->pcpus;
        if ( index == tick->me->index )
            return NULL;
        pcpu = session_member(session, index);
    }
    return pcpu;
}

static struct pcpu *next_after(const struct tick *tick, uint32_t index)
{
    return member_by(tick, index, 1);
}

static struct pcpu *member_before(const struct tick *tick, uint32_t index)
{
    return member_by(tick, index, tick->session->pcpus - 1);
}

/* The tick that won is_due() alone comes here.  A sample stands for the time
 * from the look before it, whatever the period has become meanwhile.  After a
 * change that may be more than a period; at other times ticks were missed. */
static void space_out(struct pcpu *pcpu, uint64_t step, uint64_t period)
{
    uint32_t spacing = pcpu->spacing;

    /* Read by first halves. */
    __atomic_store_n(&pcpu->period, spacing, __ATOMIC_RELAXED);
    if ( spacing != period )
        pcpu->spacing = step < spacing + period ? step : period;
}

/*
 * Each pCPU is looked at once a period, by whichever tick reaches it first once
 * it is due; so two ticks may walk the same stretch while a timer is armed or
 * parked.  At most one missed look is caught up.
 */
static bool is_due(const struct tick *tick, struct pcpu *pcpu)
{
    uint64_t due = __atomic_load_n(&pcpu->next_look, __ATOMIC_RELAXED);
    uint64_t period = session_period(tick->session);
    uint64_t next = due + period;

    if ( tick->now < due )
        return false;
    if ( next < tick->now )
        next = tick->now;
    /* Of several ticks one wins.  Relaxed: no other data goes with it. */
    if ( !__atomic_compare_exchange_n(&pcpu->next_look, &due, next, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED) )
        return false;
    space_out(pcpu, next - due, period);
    return true;
}

/* Only the tick that won is_due() comes here until the next look is due, so
 * this load and store need not be one step. */
static bool is_idle_turn(struct pcpu *pcpu)
{
    uint32_t looks = __atomic_load_n(&pcpu->idle_looks, __ATOMIC_RELAXED);

    __atomic_store_n(&pcpu->idle_looks, looks + 1, __ATOMIC_RELAXED);
    return looks % ASK_IDLE_TURNS == 0;
}

/* Its first half may have left a sample behind, see may_fall_asleep(). */
static void look_at_sleeper(const struct tick *tick, struct pcpu *pcpu)
{
    if ( queue_length(&pcpu->queue) )
        port_call_commit(pcpu->index);
    kick(tick, pcpu, true);
}

/* What a tick found on its way to the next pCPU that ticks. */
struct round {
    uint32_t looked;     /* pCPUs, with that one; 0: there is no other member */
    uint32_t served;     /* of those, since a timer was armed */
    struct pcpu *last;   /* that pCPU */
    struct pcpu *parked; /* the first that is busy, and does not tick */
};

/* A busy pCPU that does not tick: has it tick if this stretch is too long. */
static void look_at_parked(const struct tick *tick, struct pcpu *pcpu,
                           struct round *round)
{
    if ( !round->parked )
        round->parked = pcpu;
    if ( round->served < TICKER_SERVES )
        return;
    timer_unpark(tick->session, pcpu, tick->now, false);
    round->served = 0;
}

static void look_at(const struct tick *tick, struct pcpu *pcpu,
                    struct round *round)
{
    bool due = is_due(tick, pcpu);

    if ( due )
        ask_expire(&pcpu->ask, tick->now);
    if ( port_pcpu_idle(pcpu->index) )
    {
        if ( due && is_idle_turn(pcpu) )
            look_at_sleeper(tick, pcpu);
        return;
    }
    if ( !timer_is_armed(pcpu) )
        look_at_parked(tick, pcpu, round);
    if ( !due )
        return;
    miss(tick, tick->late);
    kick(tick, pcpu, false);
}

/* The sampler without NMIs: a pCPU that ticks looks at itself. */
static void look_for_parked(const struct tick *tick, struct pcpu *pcpu)
{
    bool due = !timer_is_armed(pcpu) && is_due(tick, pcpu);

    if ( port_pcpu_idle(pcpu->index) )
        return;
    /* Taken by look_at_itself() in the tick that is armed next, which the
     * exchange in timer_unpark() orders after this. */
    if ( due )
        __atomic_store_n(&pcpu->granted, 1, __ATOMIC_RELAXED);
    timer_unpark(tick->session, pcpu, tick->now, due);
}

/* Looks at the pCPUs up to and with the next one that ticks. */
static void look_around(const struct tick *tick, struct round *round)
{
    struct pcpu *pcpu = tick->me;

    while ( (pcpu = next_after(tick, pcpu->index)) )
    {
        bool ticks = timer_is_armed(pcpu);

        round->looked++;
        round->served++;
        round->last = pcpu;
        if ( tick->by_nmi )
            look_at(tick, pcpu, round);
        else
            look_for_parked(tick, pcpu);
        if ( ticks )
            return;
    }
}

/* Returns whether this pCPU, which is busy, need not tick: the tick before it
 * can serve the next pCPUs as well.  Not while one of the two is idle, which
 * should rather park. */
static bool is_spare(const struct tick *tick, const struct round *round)
{
    struct pcpu *pcpu = tick->me;
    uint32_t served = round->looked;

    if ( port_pcpu_idle(round->last->index) )
        return false;
    while ( ++served <= TICKER_SERVES )
    {
        pcpu = member_before(tick, pcpu->index);
        if ( !pcpu || timer_is_armed(pcpu) )
            return pcpu && !port_pcpu_idle(pcpu->index);
    }
    return false;
}

/* This tick takes the sample: of what its interrupt interrupted, since an NMI
 * that it sent to its own pCPU would find nothing but the tick. */
static void sample_itself(const struct tick *tick)
{
    if ( !tick->home )
    {
        miss(tick, 1);
        return;
    }
    counter_add(&tick->me->ticker.due, 1);
    first_half_ticked(tick->session, tick->me);
    second_half_commit(tick->me->index);
}

static void look_at_itself(const struct tick *tick, bool idle)
{
    /* Set by look_for_parked() on another pCPU. */
    uint32_t granted = __atomic_exchange_n(&tick->me->granted, 0,
                                           __ATOMIC_RELAXED);
    bool due = granted || is_due(tick, tick->me);

    ask_expire(&tick->me->ask, tick->now);
    if ( tick->session->pmu || idle || !due )
        return;
    miss(tick, tick->late);
    sample_itself(tick);
}

/* Arms the timer of a parked member if fewer than so many tick. */
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

/* The tick of an offline pCPU, wherever Xen runs it: another member has to
 * tick instead, and this one goes on until there is another. */
static void act_offline(const struct tick *tick)
{
    rouse(tick, tick->by_nmi ? 3 : 2);
    if ( !timer_park(tick->session, tick->me, 1) )
        timer_arm_next(tick->session, tick->me, tick->now, tick->late);
}

/* With NMIs, after a round: returns whether this pCPU may park.  If only two
 * tick, one of them idle, a busy one is to tick in its place. */
static bool may_park(const struct tick *tick, const struct round *round,
                     bool idle)
{
    if ( timer_count(tick->session) > 2 )
        return idle || is_spare(tick, round);
    if ( round->parked && (idle || port_pcpu_idle(round->last->index)) )
        timer_unpark(tick->session, round->parked, tick->now, false);
    return idle;
}

static void act(const struct tick *tick)
{
    uint32_t needed = tick->by_nmi ? 2 : 1;
    bool idle = port_pcpu_idle(tick->me->index), parks = idle;
    struct round round = {0};

    look_around(tick, &round);
    if ( !tick->by_nmi || !round.looked )
        look_at_itself(tick, idle);
    if ( tick->by_nmi )
        port_nmi_send();
    else if ( tick->session->pmu && tick->home )
        pmu_tick(tick->session, tick->me, tick->now);
    rouse(tick, needed);
    if ( tick->by_nmi && round.looked )
        parks = may_park(tick, &round, idle);
    if ( !parks || !timer_park(tick->session, tick->me, needed) )
        timer_arm_next(tick->session, tick->me, tick->now, tick->late);
}

/* The session was running when the tick came. */
static void act_and_keep(struct session *session, struct pcpu *me,
                         unsigned int here)
{
    struct tick tick = {.session = session, .me = me, .now = port_time()};
    unsigned int index = me->index;

    tick.by_nmi = session->settings.sampler == XENOPROF_SAMPLER_NMI;
    tick.home = here == index;
    /* A resume from S3 resets Xen's softirq handlers. */
    if ( tick.by_nmi || session->pmu )
        port_hook_commit();
    upkeep(session, tick.now);
    if ( session_running(session) )
    {
        tick.late = timer_periods_late(tick.me, tick.now);
        if ( port_pcpu_online(index) )
            act(&tick);
        else
            act_offline(&tick);
        if ( session->settings.waiting )
            wait_sample_look(session, tick.now);
    }
    else
        quieten_in_tick(session, me, tick.now);
}

static void run_tick(struct session *session, unsigned int index,
                     unsigned int here)
{
    struct pcpu *payer, *me = session_pcpu(session, index);
    uint64_t start = port_ticks();

    if ( !me )
        return;
    if ( session_running(session) )
        act_and_keep(session, me, here);
    /* A command that stops has cancelled this timer before it looks at what
     * quieten.c keeps. */
    else if ( session->halted )
        quieten_in_tick(session, me, port_time());
    payer = session_pcpu(session, here);
    if ( payer )
        counter_add(&payer->second.ticks_spent,
                    upkeep_add_cost(session, payer, start));
}

void core_tick(unsigned int index)
{
    unsigned int here = port_pcpu();
    struct session *session;

    /* Before it looks whether the session runs, see presence_elsewhere(). */
    if ( !presence_enter(PRESENCE_TICK, here) )
        return;
    session = session_current();
    if ( session )
        run_tick(session, index, here);
    presence_leave(PRESENCE_TICK, here);
}

void ticker_start(struct session *session)
{
    uint64_t now = port_time();
    uint32_t rank = 0;

    session->phase_start = now;
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
        pcpu->spacing = pcpu->period = session_period(session);
        pcpu->granted = 0;
        ask_expire(&pcpu->ask, now);
        rank += session_member(session, i) != NULL;
    }
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_member(session, i) )
            timer_unpark(session, session_pcpu(session, i), now, false);
}
