/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upkeep: the lease, the frequency, the NMI slot, the sums; by whichever tick
 * comes first.
 */
#include "clock.h"
#include "counter.h"
#include "timer.h"
#include "upkeep.h"
#include "hypervisor/waits/wait-record.h"
#include "hypervisor/waits/wait-sample.h"
#include "wake.h"
#include "hypervisor/pmu/pmu-state.h"

#define SECOND        1000000000ul
#define INTERVAL      10000000ul /* ns */
#define SUMS_INTERVAL 100000000ul
#define SLOT_PATIENCE SECOND /* ns */
#define LOCK_STEP_US  50u
#define LOCK_STEPS    2000u

static bool try_lock(struct session *session)
{
    /* Acquire, with upkeep_unlock(): sees what the last owner did. */
    return !__atomic_exchange_n(&session->upkeep.busy, 1, __ATOMIC_ACQUIRE);
}

bool upkeep_lock(struct session *session)
{
    for ( unsigned int step = 0; step < LOCK_STEPS; step++ )
    {
        if ( try_lock(session) )
            return true;
        port_relax(LOCK_STEP_US);
    }
    return false;
}

void upkeep_unlock(struct session *session)
{
    /* Release, with try_lock(): all that the owner did is done. */
    __atomic_store_n(&session->upkeep.busy, 0, __ATOMIC_RELEASE);
}

uint64_t upkeep_add_cost(const struct session *session, struct pcpu *pcpu,
                         uint64_t start)
{
    struct second_half *second = &pcpu->second;
    uint64_t first = counter_read(&pcpu->first.spent);
    uint64_t own = port_ticks() - start;
    uint64_t spent = own + first - second->first_counted;

    second->first_counted = first;
    counter_add(&second->cost, clock_span(spent, session->scale));
    return own;
}

static void add_up(struct xenoprof_counters *sum, const struct pcpu *pcpu)
{
    uint64_t idle = counter_read(&pcpu->first.idle);

    sum->due += counter_read(&pcpu->ticker.due) + pmu_due(&pcpu->pmu);
    sum->missed += counter_read(&pcpu->ticker.missed) + idle +
                   counter_read(&pcpu->first.cramped) +
                   counter_read(&pcpu->first.crossed) + pmu_missed(&pcpu->pmu);
    sum->idle += idle;
    sum->made += counter_read(&pcpu->first.made);
    sum->committed += counter_read(&pcpu->second.committed);
#pragma GCC unroll 8
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        sum->lost[cause] += counter_read(&pcpu->lost[cause]);
    sum->lost[XENOPROF_LOST_QUEUE] += pcpu->lost_at_stop;
    sum->switched += counter_read(&pcpu->second.switched);
    sum->moved += counter_read(&pcpu->second.moved);
    sum->cost += counter_read(&pcpu->second.cost);
}

/* What of the cost is whose; the rest is second halves'. */
static void look_at_cost(struct xenoprof_status_page *status,
                         const struct pcpu *pcpu, uint64_t scale)
{
    status->cost_first += (uint64_t)clock_ns(counter_read(&pcpu->first.spent),
                                             scale);
    status->cost_tick += (uint64_t)clock_ns(
        counter_read(&pcpu->second.ticks_spent), scale);
}

/* What the stacks had for NMIs: the least room, and what it was too little
 * for. */
static void look_at_room(struct xenoprof_status_page *status,
                         const struct first_half *first)
{
    uint64_t room = counter_read(&first->room);

    status->cramped += counter_read(&first->cramped);
    if ( room && (!status->stack_room || room < status->stack_room) )
        status->stack_room = room;
}

static void look_at_events(struct xenoprof_status_page *status,
                           const struct pmu *pmu, const struct pmu_here *here)
{
    status->throttled += counter_read(&here->throttled);
    status->late += counter_read(&here->late);
    status->imprecise += counter_read(&here->imprecise);
    for ( uint32_t i = 0; i < pmu->events; i++ )
        status->counted[i] += counter_read(&here->counted[i]);
}

static void count_waiting(struct xenoprof_status_page *status,
                          const struct waiting_counts *waiting)
{
    status->waiting_made += counter_read(&waiting->made);
    status->waiting_lost += counter_read(&waiting->lost);
    status->waiting_missed += counter_read(&waiting->missed);
}

void upkeep_count(struct session *session)
{
    struct xenoprof_status_page *status = &session->directory.status;
    struct xenoprof_counters sum = {.missed = session->unanswered};
    uint64_t calibrated = 0;

    status->cramped = status->throttled = status->late = 0;
    status->imprecise = 0;
    status->cost_first = status->cost_tick = 0;
    if ( session->pmu )
        memset(status->counted, 0, sizeof(status->counted));
    status->waiting_made = status->waiting_lost = status->waiting_missed = 0;
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        const struct pcpu *pcpu = session_pcpu(session, i);

        if ( !pcpu )
            continue;
        add_up(&sum, pcpu);
        look_at_room(status, &pcpu->first);
        look_at_cost(status, pcpu, session->scale);
        if ( session->pmu )
            look_at_events(status, session->pmu, &pcpu->pmu);
        count_waiting(status, &pcpu->waiting);
        calibrated += counter_read(&pcpu->second.calibrated);
    }
    status->calibrated = calibrated;
    status->counters = sum;
    status->frequency = session->frequency;
    status->slowed = session->budget.pace.slowed;
    status->raised = session->budget.pace.raised;
    status->lagged = session->lag.pace.slowed;
    status->caught_up = session->lag.pace.raised;
}

/* How often the frequency is halved, for whichever reason wants it most. */
static uint32_t halvings(const struct session *session)
{
    uint32_t budget = pace_halvings(&session->budget.pace);
    uint32_t lag = pace_halvings(&session->lag.pace);

    return budget > lag ? budget : lag;
}

uint32_t upkeep_frequency(const struct session *session, uint32_t pcpus)
{
    uint32_t frequency = session->settings.frequency;
    uint32_t ceiling = xenoprof_host_rate(session->settings.mask) /
                       (pcpus ?: 1);
    uint32_t times = halvings(session);

    if ( frequency > ceiling )
        frequency = ceiling;
    return (times < 32 ? frequency >> times : 0) ?: 1;
}

/* enum xenoprof_lowered, a set: whose wish the frequency is. */
static uint32_t lowered(const struct session *session)
{
    uint32_t times = halvings(session), set = 0;

    if ( times && times == pace_halvings(&session->budget.pace) )
        set |= XENOPROF_LOWERED_BUDGET;
    if ( times && times == pace_halvings(&session->lag.pace) )
        set |= XENOPROF_LOWERED_READER;
    return set;
}

/* Sets the frequency, and notes when and why it changed. */
static void set_frequency(struct session *session, uint32_t pcpus, uint64_t now)
{
    struct xenoprof_status_page *status = &session->directory.status;
    uint32_t frequency = upkeep_frequency(session, pcpus);

    if ( status->paces && frequency == session->frequency )
        return;
    timer_set_frequency(session, frequency);
    status->pace[status->paces++ % XENOPROF_PACES] = (struct xenoprof_pace){
        .time = now, .frequency = frequency, .lowered = lowered(session)};
}

void upkeep_start(struct session *session, uint64_t now)
{
    struct upkeep *state = &session->upkeep;

    state->next = now + INTERVAL;
    state->next_sums = now + SUMS_INTERVAL;
    state->heartbeat = directory_heartbeat(&session->directory);
    state->alive = now;
    state->slot_gone = 0;
    budget_start(&session->budget, now);
    lag_start(&session->lag, now);
    set_frequency(session, session_members(session), now);
    wait_record_start(session, now);
    wait_sample_start(session, now);
    for ( uint32_t i = 0; i < session->pcpus; i++ )
        if ( session_pcpu(session, i) )
            session->pcpu[i]->cost_checked = session->pcpu[i]->second.cost;
}

/* Halts the session when the NMI slot has not been ours for a second. */
static void look_at_slot(struct session *session, uint64_t now)
{
    /* Ticks come here without the lock; relaxed: the word stands for itself. */
    uint64_t *gone = &session->upkeep.slot_gone;
    uint64_t since = __atomic_load_n(gone, __ATOMIC_RELAXED);

    if ( port_nmi_slot() == PORT_SLOT_OURS )
    {
        if ( since )
            __atomic_store_n(gone, 0, __ATOMIC_RELAXED);
        return;
    }
    /* Several may store at once: their times differ little. */
    if ( !since )
        __atomic_store_n(gone, now, __ATOMIC_RELAXED);
    else if ( now > since && now - since >= SLOT_PATIENCE )
        session_halt(session, XENOPROF_STOP_NMI_SLOT);
}

static void look_at_lease(struct session *session, uint64_t now)
{
    struct upkeep *state = &session->upkeep;
    uint64_t heartbeat = directory_heartbeat(&session->directory);

    if ( heartbeat != state->heartbeat )
    {
        state->heartbeat = heartbeat;
        state->alive = now;
        return;
    }
    if ( session->settings.lease && now > state->alive &&
         now - state->alive > session->settings.lease * SECOND )
        session_halt(session, XENOPROF_STOP_LEASE);
}

/* Returns the most ns that one pCPU spent on us since the last call. */
static uint64_t worst_cost(struct session *session)
{
    uint64_t worst = 0;

    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = session_pcpu(session, i);
        uint64_t cost, spent;

        if ( !pcpu )
            continue;
        cost = counter_read(&pcpu->second.cost);
        spent = cost - pcpu->cost_checked;
        pcpu->cost_checked = cost;
        if ( spent > worst )
            worst = spent;
    }
    return worst;
}

/* Lowers the frequency, or lets it come back. */
static void look_at_frequency(struct session *session, uint64_t now)
{
    uint32_t times = halvings(session);
    uint32_t most = times + pace_most(session->frequency);
    bool lives = now < session->upkeep.alive + SECOND;

    lag_look(&session->lag, now, lives, times, most);
    if ( budget_due(&session->budget, now) )
        budget_look(&session->budget, now, worst_cost(session),
                    session->settings.budget, times, most);
}

/* What looks at every pCPU. */
static void look_at_all(struct session *session, uint64_t now)
{
    uint32_t online;

    session->upkeep.next_sums = now + SUMS_INTERVAL;
    look_at_lease(session, now);
    /* With vpmu= dom0 may give guests the counters at any time; and Xen's own
     * profiler may have been about to take them as we did. */
    if ( session->pmu && port_pmu_owner() != PORT_PMU_FREE )
        session_halt(session, XENOPROF_STOP_PMU);
    look_at_frequency(session, now);
    online = session_members(session);
    session->directory.status.pcpus = online;
    set_frequency(session, online, now);
    upkeep_count(session);
}

/* A start is answered when the first sample shows, so sums do not wait before
 * that. */
static bool sums_are_due(const struct session *session, uint64_t now)
{
    return now >= session->upkeep.next_sums ||
           !session->directory.status.counters.made;
}

static void look_at_session(struct session *session, uint64_t now)
{
    bool changed = domains_close_gone(&session->domains, &session->directory);
    struct xenoprof_status_page *status = &session->directory.status;

    if ( changed )
        wake_want(session);
    wake_look(session, now);
    wait_record_look(session, now);
    if ( sums_are_due(session, now) )
    {
        look_at_all(session, now);
        changed = true;
    }
    if ( !session_running(session) )
    {
        status->state = XENOPROF_STATE_STOPPED;
        status->stop_reason = session->halted;
        status->stopped = now;
        upkeep_count(session);
        changed = true;
    }
    if ( changed )
        directory_publish(&session->directory);
    wake_if_wanted(session);
}

void upkeep(struct session *session, uint64_t now)
{
    struct upkeep *state = &session->upkeep;

    if ( settings_by_nmi(&session->settings) )
        look_at_slot(session, now);
    wake_if_wanted(session);
    /* Relaxed: next only saves ticks the attempt; the lock decides.  No tick
     * follows the one that halts the session. */
    if ( now < __atomic_load_n(&state->next, __ATOMIC_RELAXED) &&
         session_running(session) )
        return;
    if ( !try_lock(session) )
        return;
    __atomic_store_n(&state->next, now + INTERVAL, __ATOMIC_RELAXED);
    look_at_session(session, now);
    upkeep_unlock(session);
}
