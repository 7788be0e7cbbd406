/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a vCPU that waits to a ring.
 */
#include "hypervisor/counter.h"
#include "hypervisor/presence.h"
#include "hypervisor/random.h"
#include "hypervisor/wake.h"
#include "wait-sample.h"

/* Significant bits of a period: a session has few different ones. */
#define PERIOD_BITS 5u

void wait_sample_start(struct session *session, uint64_t now)
{
    session->waiting = (struct sample_round){
        .began = now,
        .random = random_seed(session->pcpus),
    };
    domains_forget_waits(&session->domains);
}

/* What was found, and what is read of it: too much for a caller's frame. */
struct take {
    struct session *session;
    struct pcpu *pcpu;
    struct domain *domain;
    struct port_waiter waiter; /* that is sampled */
    struct port_state at;
    uint64_t now;
    uint64_t period;  /* ns that the sample stands for */
    uint32_t waiting; /* vCPUs of the stretch */
};

/* Returns the profiled domain, or NULL: it is not, or its number is another's
 * now. */
static struct domain *domain_of(struct session *session,
                                const struct port_waiter *waiter)
{
    struct domain *domain = domains_find(&session->domains, waiter->domain);

    if ( !domain || domain_is_gone(domain) )
        return NULL;
    if ( !memcmp(domain->uuid, waiter->uuid, sizeof(domain->uuid)) )
        return domain;
    domain_mark_gone(&session->domains, domain);
    return NULL;
}

static uint64_t round_wait(uint64_t ns)
{
    unsigned int shift = 0;

    while ( ns >> (PERIOD_BITS + shift) )
        shift++;
    return (ns + ((1ull << shift) >> 1)) >> shift << shift;
}

/* What Xen accounts for this vCPU as waited, of which *told is in samples that
 * were written.  Before the first of them nothing is, and a vCPU that polls has
 * no such account: then a sample stands for all that wait in its stretch, for
 * as long as a round takes. */
static uint64_t stands_for(const struct take *take, const uint64_t *counted)
{
    uint64_t waited = take->waiter.waited;

    if ( !waited || !counted || !*counted )
        return take->session->waiting.length * take->waiting;
    return waited > *counted ? waited - *counted : 0;
}

static void put_period(struct take *take, struct queue_entry *entry)
{
    const uint64_t *counted = domain_waited(take->domain, take->waiter.vcpu);
    uint64_t period = round_wait(stands_for(take, counted));

    entry->weight = 1;
    for ( ; period > 0xffffffffu && entry->weight < 128; period /= 2 )
        entry->weight *= 2;
    entry->period = period > 0xffffffffu ? 0xffffffffu : period ?: 1;
    take->period = (uint64_t)entry->period * entry->weight;
}

/* The sample is in a ring.  What rounding left is the next one's. */
static void account(const struct take *take)
{
    uint64_t *counted = domain_waited(take->domain, take->waiter.vcpu);

    if ( counted && take->waiter.waited )
        *counted = *counted ? *counted + take->period : take->waiter.waited;
}

static void add_waiter_registers(const struct take *take,
                                 const struct xenoprof_registers *registers)
{
    struct xenoprof_registers *to;

    if ( !(take->session->settings.mask & XENOPROF_PART_REGISTERS) )
        return;
    to = sample_record_add(&take->pcpu->record, XENOPROF_PART_REGISTERS,
                           sizeof(*to));
    if ( to )
        *to = *registers;
}

/* Its kernel's stack; a process's is for an agent, see second-half.c.  Not in
 * the caller's frame, which is large, too. */
static __attribute__((noinline)) void add_waiter_windows(
    const struct take *take)
{
    const struct settings *settings = &take->session->settings;
    bool second = settings->mask & XENOPROF_PART_WINDOW2;
    uint32_t budget = settings->window < WAIT_SAMPLE_WINDOW
                          ? settings->window
                          : WAIT_SAMPLE_WINDOW;
    struct pcpu *pcpu = take->pcpu;
    struct port_reader reader;

    if ( !(settings->mask & XENOPROF_PART_WINDOW) || !budget ||
         take->at.mode != XENOPROF_MODE_KERNEL )
        return;
    windows_begin(&pcpu->windows, NULL, 0);
    if ( port_waiter_reader(&take->waiter, &take->at, &reader) )
        windows_read(&pcpu->windows, &reader, take->at.sp, budget,
                     second ? domain_links(take->domain) : 0);
    if ( pcpu->windows.parts )
        sample_record_add_windows(&pcpu->record, &pcpu->windows);
    else
        pcpu->record.sample->marks |= XENOPROF_MARK_NO_STACK;
}

/* Returns false if it did not wait all the while, or cannot be read: then the
 * record means nothing. */
static bool make_waiter_record(struct take *take)
{
    struct xenoprof_registers registers;
    struct queue_entry entry = {
        .marks = XENOPROF_MARK_WAITING,
        .domain = take->waiter.domain,
        .vcpu = take->waiter.vcpu,
    };

    if ( !port_waiter_state(&take->waiter, &take->at, &registers) )
        return false;
    entry.at = take->at;
    put_period(take, &entry);
    sample_record_begin(&take->pcpu->record, &entry, take->now,
                        take->pcpu->index);
    add_waiter_registers(take, &registers);
    add_waiter_windows(take);
    return port_waiter_waits(&take->waiter);
}

static void take_sample(struct take *take)
{
    struct waiting_counts *counts = &take->pcpu->waiting;
    struct ring_piece record[RING_PIECES];

    if ( !make_waiter_record(take) )
    {
        counter_add(&counts->missed, 1);
        return;
    }
    counter_add(&counts->made, 1);
    sample_record_pieces(&take->pcpu->record, record);
    switch ( ring_tell(take->pcpu->ring, record) )
    {
    case RING_WRITTEN: wake_note(take->session, take->now); break;
    case RING_WRITTEN_HALF: wake_want(take->session); break;
    default:
        counter_add(&counts->lost, 1);
        wake_want(take->session);
        return;
    }
    account(take);
}

static void begin_sample_round(struct sample_round *round, uint64_t now)
{
    round->length = now > round->began ? now - round->began : 1;
    round->began = now;
}

/* Whether the last of so many that wait is the one: so each of them is, as
 * likely as any other. */
static bool is_chosen(struct sample_round *round, uint32_t waiting)
{
    return !random_below(&round->random, waiting);
}

/* Counts those of a stretch that wait, and chooses one; last is the last vCPU
 * that was looked at.  Returns whether the round goes on behind it. */
static bool look_at_stretch(struct take *take, struct port_waiter *last)
{
    struct sample_round *round = &take->session->waiting;
    unsigned int looks = WAIT_SAMPLE_LOOKS;
    struct port_vcpus walk;

    port_vcpus_from(&walk, round->domain, round->vcpu);
    while ( port_waiter_next(&walk, &looks, last) )
    {
        struct domain *domain = domain_of(take->session, last);

        if ( !domain || !is_chosen(round, ++take->waiting) )
            continue;
        take->domain = domain;
        take->waiter = *last;
    }
    return !looks;
}

/* A walk is good for this softirq only, so what is kept is the number of the
 * next vCPU. */
static void look_for_waiter(struct take *take)
{
    struct sample_round *round = &take->session->waiting;
    struct port_waiter last;
    bool more;

    if ( !round->domain && !round->vcpu )
        begin_sample_round(round, take->now);
    more = look_at_stretch(take, &last);
    round->domain = more ? last.domain : 0;
    round->vcpu = more ? last.vcpu + 1u : 0;
    if ( take->waiting )
        take_sample(take);
}

void wait_sample_look(struct session *session, uint64_t now)
{
    unsigned int here = port_pcpu();
    struct take take = {.session = session, .now = now};
    uint32_t *busy = &session->waiting.busy;

    /* Xen may have moved this tick to a pCPU that takes no part. */
    take.pcpu = session_pcpu(session, here);
    if ( !take.pcpu )
        return;
    /* Acquire, with the release below: sees where the last owner came to. */
    if ( __atomic_exchange_n(busy, 1, __ATOMIC_ACQUIRE) )
        return;
    /* Its domain is freed only when every pCPU has left its second half. */
    if ( presence_enter(PRESENCE_SECOND, here) )
    {
        look_for_waiter(&take);
        presence_leave(PRESENCE_SECOND, here);
    }
    __atomic_store_n(busy, 0, __ATOMIC_RELEASE);
}
