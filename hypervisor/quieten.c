/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sampling ends.  doc/lifetimes.md says in which order, and why.
 */
#include "presence.h"
#include "quieten.h"
#include "second-half.h"
#include "timer.h"
#include "hypervisor/pmu/pmu.h"

#define WAIT_STEP_US 100u
#define WAIT_STEPS   (QUIETEN_PIECE / 1000 / WAIT_STEP_US)
#define COMMITS_FOR  200000000ul /* ns for samples to get to their rings */
#define PMI_PATIENCE 100000000ul /* ns */
#define CALL_AGAIN   10000000ul  /* ns */
#define TICK_AGAIN   10000000ul  /* ns */

/* Second halves that enter from now on see it in commit_all(): presence_wait()
 * waits for those that did not. */
static void set_sealed(struct session *session, bool sealed)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session->pcpu[i] )
            __atomic_store_n(&session->pcpu[i]->second.sealed, sealed,
                             __ATOMIC_SEQ_CST);
}

void quieten_reset(struct session *session)
{
    session->quieten = (struct quieten){0};
    set_sealed(session, false);
}

static bool by_nmi(const struct session *session)
{
    return settings_by_nmi(&session->settings);
}

static bool any_outstanding(const struct session *session)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session->pcpu[i] && port_pcpu_online(i) &&
             ask_outstanding(&session->pcpu[i]->ask) )
            return true;
    return false;
}

static void write_off(struct session *session, uint64_t now)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session->pcpu[i] && ask_write_off(&session->pcpu[i]->ask, now) )
            session->unanswered++;
}

/* Returns whether an online pCPU has samples queued; with call it is called to
 * commit them: it may have gone to sleep just before its NMI came. */
static bool any_queued(const struct session *session, bool call)
{
    bool any = false;

    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        if ( !session->pcpu[i] || !port_pcpu_online(i) ||
             !queue_length(&session->pcpu[i]->queue) )
            continue;
        any = true;
        if ( call )
            port_call_commit(i);
    }
    return any;
}

/* Stops the counters.  Returns false while an NMI of theirs may be under
 * way. */
static bool counters_are_still(struct session *session, uint64_t now)
{
    struct quieten *state = &session->quieten;

    if ( !state->counters_stopped )
    {
        pmu_stop(session);
        state->counters_stopped = now ?: 1;
    }
    return now - state->counters_stopped >= PMI_PATIENCE;
}

/* Ends what first halves need.  Returns false while NMIs may still come: one is
 * under way, or another pCPU is in a tick, which may have seen the session run
 * and send one yet. */
static bool give_slot_back(struct session *session, uint64_t now)
{
    struct quieten *state = &session->quieten;

    if ( state->slot_is_back )
        return true;
    if ( presence_elsewhere(PRESENCE_TICK) )
        return false;
    if ( session->pmu && !counters_are_still(session, now) )
        return false;
    if ( any_outstanding(session) && now - state->since < ASK_PATIENCE )
        return false;
    write_off(session, now);
    port_nmi_leave();
    state->slot_is_back = true;
    return true;
}

/* Returns true when queued samples are in their rings, or will not get there.
 */
static bool commits_are_over(struct session *session, uint64_t now)
{
    struct quieten *state = &session->quieten;
    bool call = by_nmi(session) && now - state->called >= CALL_AGAIN;

    if ( !any_queued(session, call) )
        return true;
    if ( call )
        state->called = now;
    return now - state->since >= ASK_PATIENCE + COMMITS_FOR;
}

/* Does what can be done now.  Returns true when only seal() is left. */
static bool step(struct session *session, uint64_t now)
{
    struct quieten *state = &session->quieten;

    if ( !state->since )
        state->since = now ?: 1;
    if ( by_nmi(session) && !give_slot_back(session, now) )
        return false;
    return commits_are_over(session, now);
}

/* Counts what is still queued as lost: an offline pCPU never commits, one that
 * is stuck not in time. */
static void seal(struct session *session)
{
    set_sealed(session, true);
    /* Queues and rings are ours once no second half is under way. */
    session->quieten.alone = presence_wait(PRESENCE_SECOND);
    if ( !session->quieten.alone )
        return;
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = session->pcpu[i];

        while ( pcpu && queue_oldest(&pcpu->queue) )
        {
            queue_pop(&pcpu->queue);
            pcpu->lost_at_stop++;
            ring_lose(pcpu->ring, XENOPROF_LOST_QUEUE, 1);
        }
    }
}

/* Looks once.  Returns true when only seal() is left. */
static bool step_and_commit(struct session *session)
{
    /* This pCPU does not run its softirqs while it waits here. */
    second_half_commit(port_pcpu());
    if ( !step(session, port_time()) )
        return false;
    /* First halves that were under way may have queued one more. */
    if ( by_nmi(session) )
        presence_wait(PRESENCE_FIRST);
    second_half_commit(port_pcpu());
    return step(session, port_time());
}

bool quieten(struct session *session)
{
    bool over;

    timer_cancel_all(session);
    over = step_and_commit(session);
    for ( unsigned int i = 0; !over && i < WAIT_STEPS; i++ )
    {
        port_relax(WAIT_STEP_US);
        over = step_and_commit(session);
    }
    if ( !over )
        return false;
    seal(session);
    if ( by_nmi(session) )
        port_unhook_commit();
    return true;
}

void quieten_at_once(struct session *session)
{
    if ( by_nmi(session) )
    {
        port_nmi_leave();
        /* An NMI may have come to a pCPU that stands still. */
        presence_wait(PRESENCE_FIRST);
    }
    seal(session);
    if ( by_nmi(session) )
        port_unhook_commit();
}

/* One tick does it: the first that finds the session halted. */
static bool is_mine(struct session *session, const struct pcpu *pcpu)
{
    uint32_t owner = 0, mine = pcpu->index + 1;

    return __atomic_compare_exchange_n(&session->quieten.owner, &owner, mine,
                                       false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           owner == mine;
}

void quieten_in_tick(struct session *session, struct pcpu *pcpu, uint64_t now)
{
    /* A first half may still be under way when the callback is given back, so
     * its sample is looked for one tick later. */
    bool was_back = session->quieten.slot_is_back;

    if ( !by_nmi(session) || !is_mine(session, pcpu) )
        return;
    if ( step(session, now) && was_back )
        port_unhook_commit();
    else
        port_timer_arm(pcpu->index, now + TICK_AGAIN);
}
