/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first half of a sample, from the NMI to the queue.
 */
#include "core.h"
#include "counter.h"
#include "first-half.h"
#include "presence.h"
#include "hypervisor/pmu/pmu.h"
#include "hypervisor/xen-stack/xen-chain.h"

/* The interrupt by which a pCPU asks another, or itself, to look at its
 * softirqs; the same number in all releases. */
#define PV_EVENT_CHECK 0xfcu

/* On its way from an NMI to a PV guest Xen asks itself to serve the softirq
 * that the NMI raised: ours. */
static bool is_served_for_us(const struct queue_entry *entry,
                             const struct queue_entry *before)
{
    return entry->entry.kind == XENOPROF_ENTRY_PV &&
           entry->entry.code == PV_EVENT_CHECK && before &&
           before->domain == entry->domain && before->vcpu == entry->vcpu &&
           (before->at.mode != XENOPROF_MODE_XEN ||
            before->entry.flags & XENOPROF_ENTRY_PROFILER);
}

/* The control block may be another guest's, that this one runs; or is not
 * known. */
#define NO_ENTRY (XENOPROF_MARK_NESTED | XENOPROF_MARK_UNKNOWN)

/* Why the guest is in Xen, which only the first half can say: by the second
 * half it may have left, and entered for something else. */
static void take_entry(const struct session *session, const struct pcpu *pcpu,
                       const struct port_frame *frame,
                       struct queue_entry *entry)
{
    if ( !(session->settings.mask & XENOPROF_PART_ENTRY) || entry->idle ||
         entry->at.mode != XENOPROF_MODE_XEN || entry->marks & NO_ENTRY )
        return;
    if ( !port_guest_entry(frame, entry->has_guest, &entry->entry) )
        entry->entry.kind = XENOPROF_ENTRY_NONE;
    else if ( is_served_for_us(entry, queue_newest(&pcpu->queue)) )
        entry->entry.flags |= XENOPROF_ENTRY_PROFILER;
}

/*
 * Counts the sample and fills in the queue's next entry.  Returns the entry,
 * or NULL if there is no sample: the idle routine was interrupted, which is
 * nobody's work, or the queue is full.  now is in port_ticks().
 */
static struct queue_entry *begin(const struct session *session,
                                 struct pcpu *pcpu, const struct port_state *at,
                                 const struct port_frame *frame, uint64_t now)
{
    struct port_vcpu vcpu = {0};
    struct queue_entry *entry;

    if ( at->mode == XENOPROF_MODE_IDLE )
    {
        counter_add(&pcpu->first.idle, 1);
        return NULL;
    }
    counter_add(&pcpu->first.made, 1);
    entry = queue_slot(&pcpu->queue);
    if ( !entry )
    {
        counter_add(&pcpu->lost[XENOPROF_LOST_QUEUE], 1);
        return NULL;
    }
    port_current(&vcpu);
    entry->ticks = now;
    entry->at = *at;
    entry->domain = vcpu.domain;
    entry->vcpu = vcpu.vcpu;
    entry->idle = vcpu.idle;
    entry->period = __atomic_load_n(&pcpu->period, __ATOMIC_RELAXED);
    entry->frames = 0;
    entry->weight = 1;
    entry->marks = vcpu.idle ? 0 : port_current_marks();
    entry->has_guest = !vcpu.idle && at->mode == XENOPROF_MODE_XEN &&
                       port_guest_state(frame, &entry->guest);
    entry->entry = (struct xenoprof_entry){.kind = XENOPROF_ENTRY_NONE};
    take_entry(session, pcpu, frame, entry);
    return entry;
}

#define FLAGS_INTERRUPTS 0x200u

/*
 * Whether the softirq must not be raised here: the idle vCPU, with interrupts
 * off, may have looked at its softirqs for the last time before it sleeps.  It
 * would sleep with the softirq raised, which Xen takes for "will be served
 * soon".  The sample waits until a tick looks at this pCPU (ticker.c).
 */
static bool may_fall_asleep(const struct port_state *at)
{
    struct port_vcpu vcpu = {0};

    if ( at->flags & FLAGS_INTERRUPTS )
        return false;
    port_current(&vcpu);
    return vcpu.idle;
}

/* Where it was exactly, if IBS says so, or 0. */
static uint64_t precise(struct pcpu *pcpu, const struct port_state *at,
                        const struct pmu_overflow *overflow)
{
    if ( !overflow->ibs )
        return 0;
    if ( pmu_ibs_fits(at, overflow->address) )
        return overflow->address;
    counter_add(&pcpu->pmu.imprecise, 1);
    return 0;
}

/* A sample of what the NMI interrupted.  asked_idle: the idle vCPU is sampled
 * at every eighth look, so such a sample counts for eight.  overflow: what was
 * counted, or NULL.  Inlined, so that neither costs the other anything. */
__attribute__((always_inline)) static inline void take_sample(
    const struct session *session, struct pcpu *pcpu,
    const struct port_frame *frame, uint64_t now, bool asked_idle,
    const struct pmu_overflow *overflow)
{
    struct port_state at = {0};
    struct queue_entry *entry;

    port_interrupted(frame, &at);
    entry = begin(session, pcpu, &at, frame, now);
    if ( entry )
    {
        if ( at.mode == XENOPROF_MODE_XEN &&
             session->settings.mask & XENOPROF_PART_XEN_STACK )
            xen_chain_take(frame, entry);
        if ( asked_idle && entry->idle )
            entry->weight = ASK_IDLE_TURNS;
        if ( overflow )
        {
            entry->event = overflow->event;
            entry->count = overflow->count;
            entry->precise = precise(pcpu, &at, overflow);
        }
        queue_push(&pcpu->queue);
    }
    /* Also when the queue is full, so that the second half empties it. */
    if ( at.mode != XENOPROF_MODE_IDLE && !may_fall_asleep(&at) )
        port_request_commit();
}

/* Returns whether the stack has room for a sample; if not, the tick is
 * missed. */
__attribute__((always_inline)) static inline bool has_room(
    struct first_half *first, uint64_t room)
{
    uint64_t least = counter_read(&first->room);

    if ( !least || room < least )
        counter_set(&first->room, room ?: 1);
    if ( room >= FIRST_HALF_ROOM )
        return true;
    counter_add(&first->cramped, 1);
    return false;
}

/* Returns whether no tick of this pCPU fills in the queue's next entry, or
 * counts; if one does, the NMI's tick is missed. */
static bool is_alone(struct first_half *first)
{
    if ( !__atomic_load_n(&first->ticks, __ATOMIC_RELAXED) )
        return true;
    counter_add(&first->crossed, 1);
    return false;
}

enum nmi_claim first_half_claim(struct nmi_signs nmi)
{
    /* The watchdog counts its ticks, so it must see each exactly once. */
    if ( nmi.watchdog && nmi.due )
        return nmi.asked ? NMI_PASS_BOTH : NMI_PASS;
    if ( nmi.asked )
        return NMI_CLAIM;
    /* Two NMIs whose causes were both found at the first one. */
    if ( nmi.watchdog && nmi.followed )
        return NMI_SWALLOW;
    return NMI_PASS;
}

/* ms, where no softirq ends the wait (second-half.c) */
#define FOLLOW_GIVE_UP 1000u

/* Was this NMI ours?  Without a watchdog: if and only if we asked for it. */
static bool claim(const struct session *session, struct pcpu *pcpu, bool asked)
{
    struct first_half *first = &pcpu->first;
    struct nmi_signs nmi = {.asked = asked, .watchdog = true};
    uint64_t now;

    if ( !session->settings.watchdog )
        return asked;
    now = port_ticks();
    nmi.due = port_watchdog_due();
    nmi.followed = first->followed && now - first->followed <
                                          FOLLOW_GIVE_UP * session->millisecond;
    switch ( first_half_claim(nmi) )
    {
    case NMI_CLAIM: return true;
    case NMI_SWALLOW:
        if ( port_nmi_external() )
            return false;
        first->followed = 0;
        return true;
    case NMI_PASS_BOTH: first->followed = now; return false;
    case NMI_PASS: break;
    }
    return false;
}

/* An NMI in no session by NMIs, perhaps in one by events.  Returns whether it
 * was ours alone. */
__attribute__((noinline)) static bool take_overflows(
    const struct session *session, unsigned int here,
    const struct port_frame *frame)
{
    struct pcpu *pcpu = session && session->pmu ? session_pcpu(session, here)
                                                : NULL;
    uint64_t start = port_ticks();
    struct pmu_overflow overflow;
    struct pmu_nmi nmi;
    bool ours;

    if ( !pcpu )
        return false;
    pmu_nmi_begin(session, pcpu, start, &nmi);
    while ( nmi.slots && pmu_nmi_next(session, pcpu, &nmi, &overflow) )
        if ( has_room(&pcpu->first, port_stack_room()) )
            take_sample(session, pcpu, frame, start, false, &overflow);
    ours = pmu_nmi_end(session, pcpu, &nmi);
    counter_add(&pcpu->first.spent, port_ticks() - start);
    return ours;
}

bool core_nmi_taken(const struct port_frame *frame)
{
    unsigned int here = port_pcpu();
    const struct session *session;
    struct pcpu *pcpu = NULL;
    bool ours = false;

    if ( !presence_enter(PRESENCE_FIRST, here) )
        return false;
    session = session_current();
    if ( session && session->settings.sampler == XENOPROF_SAMPLER_NMI )
        pcpu = session_pcpu(session, here);
    if ( pcpu )
    {
        uint64_t start = port_ticks();
        enum ask_answer answer = ask_answer(&pcpu->ask);

        if ( (answer == ASK_BUSY || answer == ASK_IDLE) &&
             is_alone(&pcpu->first) &&
             has_room(&pcpu->first, port_stack_room()) )
            take_sample(session, pcpu, frame, start, answer == ASK_IDLE, NULL);
        ours = claim(session, pcpu, answer != ASK_NONE);
        counter_add(&pcpu->first.spent, port_ticks() - start);
    }
    else
        ours = take_overflows(session, here, frame);
    presence_leave(PRESENCE_FIRST, here);
    return ours;
}

static void take_own_sample(const struct session *session, struct pcpu *pcpu)
{
    struct port_state at = {0};
    struct queue_entry *entry;

    port_ticked(&at);
    entry = begin(session, pcpu, &at, NULL, port_ticks());
    if ( !entry )
        return;
    if ( at.mode == XENOPROF_MODE_XEN )
        entry->marks |= XENOPROF_MARK_NO_IP;
    queue_push(&pcpu->queue);
}

void first_half_ticked(struct session *session, struct pcpu *pcpu)
{
    uint32_t *ticks = &pcpu->first.ticks;

    /* Read by NMIs of this pCPU only, so it is enough that the compiler keeps
     * the order. */
    __atomic_store_n(ticks, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    take_own_sample(session, pcpu);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(ticks, 0, __ATOMIC_RELAXED);
}
