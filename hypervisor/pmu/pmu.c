/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler by events, on each pCPU.
 */
#include "pmu.h"
#include "pmu-follow.h"
#include "pmu-found.h"
#include "pmu-left.h"
#include "pmu-measure.h"
#include "pmu-trial.h"

#define TURN          10000000ul /* ns of a set */
#define SECOND        1000000000ul
#define TOO_FAST      50u  /* of a millisecond: 20 us */
#define TOO_FAST_TURN 8u   /* in a row */
#define NMIS_MOST     200u /* ms that NMIs may take from one tick to the next */
#define RATE_MAX      5000u /* samples a second of a pCPU */
#define SLOWER_MAX    16u
#define REST          8u /* of the least period: too little to be kept */
#define PERIOD_BITS   5u /* that are significant: few distinct counts */

static const struct pmu_set *set_of(const struct pmu *pmu,
                                    const struct pmu_here *here)
{
    return &pmu->set[here->set % PMU_SETS];
}

/* Periods ------------------------------------------------------------------ */

/* Rounded to few values: each is a thing of its own in a session. */
static uint32_t round_period(uint64_t period)
{
    unsigned int bits = 64 - __builtin_clzl(period | 1);
    unsigned int shift = bits > PERIOD_BITS ? bits - PERIOD_BITS : 0;

    return period >> shift << shift;
}

static uint32_t within(const struct pmu_event *event, uint64_t period)
{
    if ( period < event->least )
        period = event->least;
    return round_period(period < event->most ? period : event->most);
}

/* How often periods are doubled: for the budget, which has lowered the
 * session's frequency, and for a storm here. */
static unsigned int doubled(const struct session *session,
                            const struct pmu_here *here)
{
    uint32_t frequency = session->frequency ?: 1;
    unsigned int times = here->slower;

    while ( frequency < session->settings.frequency && times < 31 )
    {
        frequency *= 2;
        times++;
    }
    return times;
}

static uint32_t period_of(const struct session *session,
                          const struct pmu_here *here, uint32_t number)
{
    const struct pmu_event *event = &session->pmu->event[number];
    uint64_t period = (uint64_t)event->count << doubled(session, here);

    return period < event->most ? period : event->most;
}

/*
 * An event without a count: so many samples a second as the session's frequency
 * says, of the time that this pCPU works.  run is how many were counted in
 * those ns.
 */
static uint32_t adapted(const struct session *session, uint32_t number,
                        uint32_t before, uint64_t run, uint64_t ns)
{
    const struct pmu_event *event = &session->pmu->event[number];
    uint64_t second = ns >= 1000 ? run * 1000000 / (ns / 1000) : 0;
    uint64_t wanted = second / (session->frequency ?: 1);

    /* Slowly down: it may only have rested. */
    if ( wanted < before / 2 )
        wanted = before / 2;
    if ( wanted > before * 4ul )
        wanted = before * 4ul;
    return within(event, (before + wanted) / 2);
}

/* Programming: calls and ticks --------------------------------------------- */

/*
 * Before anything is changed: an NMI that comes from now on touches no counter.
 * What somebody else has changed, by a sleep of the host or of this pCPU or as
 * another driver, has nothing to say.  Returns whether there is any.
 */
static bool begin_change(const struct pmu *pmu, struct pmu_here *here)
{
    uint32_t intact;

    here->answered = 0;
    here->tagged = 0;
    __atomic_store_n(&here->changing, 1, __ATOMIC_SEQ_CST);
    intact = here->armed ? pmu_counters_intact(&pmu->family, set_of(pmu, here),
                                               here->counting)
                         : 0;
    if ( !(here->counting & ~intact) )
        return false;
    here->counting &= intact;
    return true;
}

/* Counts overflows that nobody took a sample of.  Each has made an NMI, which
 * was answered meanwhile, or comes yet, as that of a late tag may; and where no
 * register says which counter overflowed one NMI may have answered for two. */
static void count_unserved(const struct pmu *pmu, struct pmu_here *here,
                           uint32_t slots)
{
    uint32_t found = pmu_bits(slots);

    counter_add(&here->unserved, found);
    if ( found && here->answered >= found && pmu->family.status &&
         !set_of(pmu, here)->ibs )
        __atomic_store_n(&here->follows, 0, __ATOMIC_RELAXED);
    here->answered = 0;
    here->tagged = 0;
}

/* A unit of IBS with little left may have been about to tag as its count was
 * read: it counts anew. */
static void forget_rests(const struct pmu *pmu, const struct pmu_set *set,
                         struct pmu_here *here)
{
    for ( uint32_t slots = set->ibs; slots; slots &= slots - 1 )
    {
        uint32_t event = set->slot[__builtin_ctz(slots)].event;

        if ( here->left[event] < pmu->event[event].least / REST )
            here->left[event] = 0;
    }
}

static void disarm(const struct session *session, struct pmu_here *here)
{
    const struct pmu_set *set = set_of(session->pmu, here);

    if ( !here->armed )
        return;
    count_unserved(session->pmu, here,
                   pmu_counters_disarm(&session->pmu->family, set,
                                       session->millisecond, here));
    forget_rests(session->pmu, set, here);
    here->stopped = false;
}

/* Where its units are disabled.  A pCPU that came online or woke has the entry
 * masked: then it is looked at as at the start, for the firmware had its
 * turn. */
static bool may_open(const struct pmu *pmu)
{
    uint32_t entry = pmu->entry;

    return entry && (port_extra_ours(entry - 1) ||
                     pmu_ibs_check(&pmu->ibs, &entry) == PMU_IBS_NOT_REFUSED);
}

/* Lets NMIs of the set's units of IBS in; or they may not count. */
static void open_ibs(const struct pmu *pmu, const struct pmu_set *set,
                     struct pmu_here *here)
{
    if ( !set->ibs )
        return;
    here->without_ibs = !may_open(pmu);
    if ( here->without_ibs )
    {
        counter_add(&here->programmed, 1);
        return;
    }
    if ( !port_extra_ours(pmu->entry - 1) )
        pmu_found_note_extra(pmu, &here->found);
    port_extra_unmask(pmu->entry - 1);
}

/* Returns whether units of IBS have lost their interrupt, or may have it now.
 */
static bool has_turned(const struct pmu *pmu, const struct pmu_here *here)
{
    if ( !set_of(pmu, here)->ibs )
        return false;
    return here->without_ibs ? may_open(pmu) : !port_extra_ours(pmu->entry - 1);
}

static void put_back(const struct pmu *pmu, const struct pmu_here *here)
{
    pmu_found_put_back(pmu, &here->found, !here->without_ibs);
}

/* What overflowed while it was being changed, or was not seen: goes on. */
static void serve(const struct session *session, struct pmu_here *here)
{
    const struct pmu *pmu = session->pmu;
    const struct pmu_set *set = set_of(pmu, here);
    /* To enable a unit of IBS may have lost the tag that an NMI saw. */
    uint32_t lost = here->tagged & here->counting;
    uint32_t found = lost | pmu_counters_overflowed(&pmu->family, set, here);

    if ( !found )
        return;
    /* Another one may overflow meanwhile, for which no interrupt would come. */
    pmu_counters_pause(&pmu->family, set);
    found = lost | pmu_counters_overflowed(&pmu->family, set, here);
    pmu_follow_late(here, session->millisecond);
    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( found >> i & 1 )
        {
            here->stands[set->slot[i].event] = here->period[set->slot[i].event];
            pmu_counters_again(&pmu->family, &set->slot[i],
                               here->period[set->slot[i].event], false);
        }
    count_unserved(pmu, here, found);
    port_pmi_unmask();
    pmu_counters_go(&pmu->family, set);
}

/* An NMI that was answered left its counter as it was; one that comes after
 * the last look leaves it to the next tick. */
static void end_change(const struct session *session, struct pmu_here *here)
{
    for ( unsigned int i = 0; i < 2 && here->armed && here->answered; i++ )
        serve(session, here);
    __atomic_store_n(&here->changing, 0, __ATOMIC_SEQ_CST);
    here->tagged = 0;
}

static void arm_events(const struct session *session, struct pmu_here *here)
{
    const struct pmu_set *set = set_of(session->pmu, here);

    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        uint32_t event = set->slot[i].event;

        if ( !here->left[event] )
            here->stands[event] = here->period[event];
    }
    open_ibs(session->pmu, set, here);
    pmu_counters_arm(&session->pmu->family, set, here);
    serve(session, here);
}

static void begin_here(const struct session *session, struct pcpu *pcpu)
{
    struct pmu_here *here = &pcpu->pmu;

    for ( uint32_t i = 0; i < session->pmu->events; i++ )
    {
        const struct pmu_event *event = &session->pmu->event[i];

        here->period[i] = event->count ? period_of(session, here, i)
                                       : within(event, event->first);
        here->left[i] = 0;
    }
    here->begun = session->pmu->starts;
    here->armed = 0;
    here->without_ibs = 1;
    here->refuses = 0;
    here->set = 0;
    here->slower = 0;
    here->follows = 0;
    here->more = 0;
    here->fast = 0;
    here->stopped = false;
    here->counting = 0;
    here->rotated = here->looked = here->busy = here->counted_at = 0;
    here->spent = counter_read(&pcpu->first.spent);
    memset(here->enabled, 0, sizeof(here->enabled));
    memset(here->running, 0, sizeof(here->running));
    pmu_found_note(session->pmu, &here->found);
}

/* A pCPU that was offline at the start, and may have been so since the stop
 * before that.  Nothing is counted there if it is not as those that were
 * asked. */
static void begin_late(const struct session *session, struct pcpu *pcpu)
{
    struct pmu_refused refused = {0};
    struct pmu_here *here = &pcpu->pmu;

    if ( here->begun == session->pmu->starts )
        return;
    pmu_left_clear(&session->pmu->family);
    begin_here(session, pcpu);
    here->refuses = !pmu_trial(session->pmu, &refused);
    counter_add(&here->programmed, here->refuses);
}

/* Called on each pCPU. */
static void start_here(void *data)
{
    const struct session *session = data;
    struct pcpu *pcpu = session_pcpu(session, port_pcpu());

    if ( !pcpu || !session->chosen[pcpu->index] )
        return;
    begin_here(session, pcpu);
    begin_change(session->pmu, &pcpu->pmu);
    arm_events(session, &pcpu->pmu);
    end_change(session, &pcpu->pmu);
}

static void stop_here(void *data)
{
    const struct session *session = data;
    struct pcpu *pcpu = session_pcpu(session, port_pcpu());

    if ( !pcpu || !pcpu->pmu.armed )
        return;
    begin_change(session->pmu, &pcpu->pmu);
    disarm(session, &pcpu->pmu);
    end_change(session, &pcpu->pmu);
    put_back(session->pmu, &pcpu->pmu);
}

void pmu_start(struct session *session)
{
    session->pmu->starts++;
    port_pmu_take();
    port_on_pcpus(start_here, session);
}

/* What an offline pCPU has counted with is cleared when it is back. */
static void note_offline(const struct session *session, unsigned int index)
{
    const struct pcpu *pcpu = session_pcpu(session, index);

    if ( pcpu && pcpu->pmu.armed && !port_pcpu_online(index) )
        pmu_left_note(index, session->pmu, &pcpu->pmu);
}

void pmu_stop(struct session *session)
{
    port_on_pcpus(stop_here, session);
    for ( unsigned int i = 0; i < session->pcpus; i++ )
        note_offline(session, i);
    port_pmu_leave();
}

void pmu_unload(struct session *session)
{
    __atomic_store_n(&session->pmu->leaving, 1, __ATOMIC_SEQ_CST);
    stop_here(session);
    port_nmi_all();
    port_pmu_leave();
}

/* Ticks -------------------------------------------------------------------- */

/* A storm: more samples here than the host can bear; or it is over. */
static void look_at_rate(struct pcpu *pcpu, uint64_t now)
{
    struct pmu_here *here = &pcpu->pmu;
    uint64_t made = counter_read(&pcpu->first.made);
    uint64_t ns = now - here->looked;
    uint64_t most = ns * RATE_MAX / SECOND + 1;
    uint64_t samples = made - here->made;

    if ( here->looked && samples > most && here->slower < SLOWER_MAX )
        here->slower++;
    else if ( here->looked && samples < most / 4 && here->slower )
        here->slower--;
    here->made = made;
}

static void adapt(const struct session *session, struct pcpu *pcpu,
                  uint64_t now)
{
    struct pmu_here *here = &pcpu->pmu;
    const struct pmu_set *set = set_of(session->pmu, here);
    uint64_t ns = now - here->looked;
    uint32_t usable = here->armed ? pmu_usable(set, here) : 0;

    for ( unsigned int i = 0; i < set->slots; i++ )
    {
        uint32_t event = set->slot[i].event;
        uint64_t left = usable >> i & 1
                            ? pmu_counters_left(&session->pmu->family,
                                                &set->slot[i],
                                                here->stands[event])
                            : 0;
        uint64_t counted = counter_read(&here->counted[event]) +
                           here->stands[event] - left;

        if ( session->pmu->event[event].count )
            here->period[event] = period_of(session, here, event);
        else if ( here->looked )
            here->period[event] = adapted(session, event, here->period[event],
                                          counted > here->before[event]
                                              ? counted - here->before[event]
                                              : 0,
                                          ns);
        here->before[event] = counted;
    }
}

void pmu_tick(struct session *session, struct pcpu *pcpu, uint64_t now)
{
    const struct pmu *pmu = session->pmu;
    struct pmu_here *here = &pcpu->pmu;
    bool turns, changed;

    begin_late(session, pcpu);
    here->spent = counter_read(&pcpu->first.spent);
    if ( here->refuses )
    {
        pmu_measure(session, pcpu, now);
        return;
    }
    pmu_follow_end(here, session->millisecond);
    turns = pmu->sets > 1 && now - here->rotated >= TURN;
    look_at_rate(pcpu, now);
    adapt(session, pcpu, now);
    here->looked = now;
    changed = begin_change(pmu, here);
    if ( changed )
        counter_add(&here->programmed, 1);
    pmu_measure(session, pcpu, now);
    if ( turns || changed || !here->armed || here->stopped ||
         has_turned(pmu, here) )
    {
        disarm(session, here);
        if ( turns )
        {
            here->set = (here->set + 1) % pmu->sets;
            here->rotated = now;
        }
        arm_events(session, here);
    }
    else
        serve(session, here);
    end_change(session, here);
}

/* NMIs --------------------------------------------------------------------- */

/* Returns whether overflows come so fast that nothing else gets done. */
static bool is_storm(const struct session *session, struct pmu_here *here,
                     uint64_t now)
{
    bool fast = here->last &&
                (now - here->last) * TOO_FAST < session->millisecond;

    here->last = now;
    here->fast = fast ? here->fast + 1 : 0;
    return here->fast >= TOO_FAST_TURN;
}

/* Returns whether NMIs leave no time for a tick, which would make them rarer:
 * where a host below, or an emulator, takes longer from the end of one to the
 * beginning of the next than the period lasts, each begins with an overflow,
 * and nothing else runs. */
static bool starves(const struct session *session, const struct pcpu *pcpu)
{
    return counter_read(&pcpu->first.spent) - pcpu->pmu.spent >
           NMIS_MOST * session->millisecond;
}

/* Returns 0, 1, or 2 for more. */
static uint32_t several(uint32_t slots)
{
    return !slots ? 0 : slots & (slots - 1) ? 2 : 1;
}

/* The module is unloaded; apart, so that it costs others nothing. */
__attribute__((noinline)) static void leave_here(const struct session *session,
                                                 struct pmu_here *here)
{
    if ( !here->armed )
        return;
    disarm(session, here);
    put_back(session->pmu, here);
}

/* Whoever changes the counters finds the overflows too. */
__attribute__((noinline)) static void leave_to_changer(struct pmu_here *here,
                                                       struct pmu_nmi *nmi)
{
    here->answered += pmu_bits(nmi->slots);
    here->tagged |= nmi->slots & nmi->set->ibs;
    nmi->slots = 0;
}

void pmu_nmi_begin(const struct session *session, struct pcpu *pcpu,
                   uint64_t now, struct pmu_nmi *ret)
{
    const struct pmu *pmu = session->pmu;
    struct pmu_here *here = &pcpu->pmu;
    const struct pmu_set *set = set_of(pmu, here);

    *ret = (struct pmu_nmi){.now = now, .set = set};
    if ( pmu->leaving )
    {
        ret->asked = true;
        leave_here(session, here);
        return;
    }
    if ( !here->armed )
        return;
    /* Where counters cannot be stopped at once no interrupt masks the next
     * either, so nothing has to be undone at the end. */
    if ( !here->changing && pmu->family.control )
    {
        pmu_counters_pause(&pmu->family, set);
        ret->paused = true;
    }
    ret->slots = pmu_counters_overflowed(&pmu->family, set, here);
    ret->overflowed = several(ret->slots);
    if ( here->changing )
        leave_to_changer(here, ret);
    else
        ret->storm = ret->slots &&
                     (is_storm(session, here, now) || starves(session, pcpu));
}

/* Counts the slot's period anew, or stops it. */
static void again(const struct session *session, struct pmu_here *here,
                  const struct pmu_slot *slot, bool stop)
{
    uint32_t event = slot->event % PMU_EVENTS;

    here->stands[event] = here->period[event];
    here->left[event] = 0;
    if ( slot->ibs )
        pmu_ibs_again(slot, here->stands[event], stop);
    else
        pmu_counters_again(&session->pmu->family, slot, here->stands[event],
                           stop);
}

/* The slot was stopped; if its overflow was real nothing comes of it. */
static void throttle(struct pmu_here *here, unsigned int number, bool real)
{
    here->counting &= ~(1u << number);
    here->stopped = true;
    here->fast = 0;
    counter_add(&here->throttled, real);
}

bool pmu_nmi_next(const struct session *session, struct pcpu *pcpu,
                  struct pmu_nmi *nmi, struct pmu_overflow *ret)
{
    struct pmu_here *here = &pcpu->pmu;

    while ( nmi->slots )
    {
        unsigned int number = __builtin_ctz(nmi->slots);
        const struct pmu_slot *slot = &nmi->set->slot[number];
        bool real;

        nmi->slots &= nmi->slots - 1;
        ret->event = slot->event % PMU_EVENTS;
        ret->count = here->stands[ret->event];
        ret->ibs = slot->ibs;
        ret->address = slot->ibs ? pmu_ibs_address(slot) : 0;
        real = pmu_ibs_is_real(slot, ret->address);
        again(session, here, slot, nmi->storm);
        counter_add(real ? &here->overflows : &here->unserved, 1);
        counter_add(&here->counted[ret->event], real ? ret->count : 0);
        if ( nmi->storm )
            throttle(here, number, real);
        else if ( real )
            return true;
    }
    return false;
}

bool pmu_nmi_end(const struct session *session, struct pcpu *pcpu,
                 const struct pmu_nmi *nmi)
{
    const struct pmu *pmu = session->pmu;
    struct pmu_here *here = &pcpu->pmu;
    struct pmi_signs signs = {
        .overflowed = nmi->overflowed,
        .armed = nmi->set->slots + pmu->watchdog,
        .status = pmu->family.status != 0,
        .asked = nmi->asked,
        .may_follow = pmu_follow_may(here, session->millisecond, nmi->now),
    };
    struct pmi_verdict verdict;

    if ( nmi->paused )
    {
        if ( pmu->family.masks_itself )
            port_pmi_unmask();
        pmu_counters_go(&pmu->family, nmi->set);
    }
    signs.due = pmu->watchdog && port_watchdog_due();
    verdict = pmi_claim(&signs);
    if ( verdict.claim == PMI_SWALLOW && port_nmi_external() )
        return false;
    pmu_follow_note(here, session->millisecond, nmi->now, &signs,
                    verdict.follows);
    if ( verdict.claim == PMI_SWALLOW )
        counter_add(&here->late, 1);
    return verdict.claim == PMI_CLAIM || verdict.claim == PMI_SWALLOW;
}
