/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second half of a sample, from the queue to a ring.
 */
#include "clock.h"
#include "core.h"
#include "counter.h"
#include "presence.h"
#include "second-half.h"
#include "upkeep.h"
#include "wake.h"
#include "hypervisor/fetch/fetch.h"
#include "hypervisor/xen-stack/xen-chain.h"

#define NO_GUEST_HALF                                                          \
    (XENOPROF_MARK_NESTED | XENOPROF_MARK_DYING | XENOPROF_MARK_EVENT |        \
     XENOPROF_MARK_UNKNOWN)
#define GUEST_PARTS                                                            \
    (XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS | XENOPROF_PART_TASK |      \
     XENOPROF_PART_WINDOW)

/* How many samples of one stay carry its windows.  A ring has room for more,
 * but not for every sample of a long stay. */
#define WINDOW_COPIES 4u

#define INSTRUCTION_MAX 15u /* bytes */

/* A stay of the current vCPU in Xen: what holds for all samples that this
 * pCPU commits before the guest goes on. */
struct stay {
    struct clock_now now;
    uint64_t calibrated; /* port_ticks() */
    struct port_vcpu vcpu;
    struct domain *domain; /* NULL: not profiled */
    uint32_t marks;
    bool complete; /* guest holds the guest's state */
    struct port_state guest;
    bool looked;     /* the guest's stack was read, into the pCPU's windows */
    uint32_t copies; /* samples in a ring that carry the windows */
    bool fetched;    /* the list of its domain was run, into task: */
    bool has_task;   /* it may be added to samples */
    struct xenoprof_task task;
    uint64_t oldest; /* time of the first sample in a ring; 0: none */
};

static struct domain *profiled(const struct session *session, uint16_t id)
{
    struct domain *domain = domains_find(&session->domains, id);

    return domain && !domain_is_gone(domain) ? domain : NULL;
}

static void begin_stay(struct session *session, struct stay *stay)
{
    clock_read(&stay->now, session->directory.status.started, session->scale);
    stay->calibrated = port_calibrated();
    stay->domain = NULL;
    stay->marks = 0;
    stay->complete = false;
    stay->looked = false;
    stay->fetched = false;
    stay->copies = 0;
    stay->oldest = 0;
    port_current(&stay->vcpu);
    if ( stay->vcpu.idle )
        return;
    stay->domain = profiled(session, stay->vcpu.domain);
    if ( stay->domain && memcmp(stay->domain->uuid, port_current_uuid(), 16) )
    {
        domain_mark_gone(&session->domains, stay->domain);
        stay->domain = NULL;
    }
    if ( !stay->domain )
        return;
    stay->marks = port_current_marks();
    if ( session->settings.mask & GUEST_PARTS )
        stay->complete = port_guest_state(NULL, &stay->guest);
}

/* For a PV guest Xen emulates at most one instruction, or restarts a hypercall;
 * a larger change of ip means that the guest ran on, and its stack no longer
 * belongs to the old ip. */
static bool is_near(uint64_t then, uint64_t now)
{
    return now - then + INSTRUCTION_MAX <= 2 * INSTRUCTION_MAX;
}

/* Between the halves Xen may have changed the guest's state on its behalf, or
 * the guest may have run. */
static bool moved(const struct port_state *then, const struct port_state *now)
{
    return then->sp != now->sp || then->cs != now->cs ||
           (now->hvm ? then->ip != now->ip : !is_near(then->ip, now->ip));
}

/* What of a guest's stacks a sample may carry. */
struct stack_order {
    uint32_t budget;    /* bytes of that which the guest is on */
    window_links links; /* of its kernel's */
    uint32_t user;      /* bytes of the process's below a kernel's, */
    uint32_t user_link; /* and where its stack pointer lies */
};

static struct stack_order order_of_kernel(const struct settings *settings,
                                          const struct domain *domain)
{
    struct stack_order order = {.budget = settings->window};

    if ( settings->mask & XENOPROF_PART_WINDOW2 )
        order.links = domain_links(domain);
    if ( settings->mask & XENOPROF_PART_USER_WINDOW &&
         domain->kind == DOMAIN_ACTIVE )
    {
        order.user = settings->user_window;
        order.user_link = domain_user_link(domain);
    }
    return order;
}

static struct stack_order stack_order_of(const struct session *session,
                                         const struct stay *stay)
{
    const struct settings *settings = &session->settings;
    struct stack_order order = {.budget = 0};

    if ( !(settings->mask & XENOPROF_PART_WINDOW) )
        return order;
    if ( stay->guest.mode == XENOPROF_MODE_KERNEL )
        return order_of_kernel(settings, stay->domain);
    /* dom0 says whose processes' stacks it can make something of. */
    if ( stay->domain->kind == DOMAIN_ACTIVE )
        order.budget = settings->user_window;
    return order;
}

/* Returns the mark for a stack that no sample of such guests can have. */
static uint32_t without_facts(const struct port_state *guest)
{
    uint32_t lack = guest->hvm ? XENOPROF_LACK_HVM_STACKS
                               : XENOPROF_LACK_PV_STACKS;

    return port_lacks() & lack ? XENOPROF_MARK_NO_FACTS : 0;
}

/* Not in a frame of those that go on when this is over: a reader is large. */
static __attribute__((noinline)) void read_windows(
    struct windows *windows, const struct port_state *at,
    const struct stack_order *order)
{
    struct port_reader reader;
    uint64_t sp;

    if ( !port_reader_open(at, PORT_RIGHTS_CURRENT, &reader) )
        return;
    if ( at->mode != XENOPROF_MODE_KERNEL )
    {
        windows_read_process(windows, &reader, at->sp, order->budget);
        return;
    }
    windows_read(windows, &reader, at->sp, order->budget, order->links);
    sp = order->user ? windows_process(windows, &reader, order->user_link) : 0;
    if ( sp && port_reader_open(at, PORT_RIGHTS_USER, &reader) )
        windows_add_process(windows, &reader, sp, order->user);
}

/* Whether the stack is read straight into the ring, which is then reserved: for
 * the last sample that is queued, as its stay mostly has no other.  Those of a
 * stay that are queued together have the same bytes, from the buffer. */
static bool reads_into_ring(struct pcpu *pcpu, struct ring *ring,
                            const struct stack_order *order)
{
    uint32_t most = pcpu->record.length +
                    windows_room(order->budget + order->user);

    return queue_length(&pcpu->queue) == 1 &&
           ring_reserve(ring, most, &pcpu->space);
}

/* The guest stands still until the stay ends: its stack is read once for all
 * samples of the stay that are queued. */
static void look_at_stack(struct pcpu *pcpu, struct ring *ring,
                          const struct stack_order *order, struct stay *stay)
{
    bool direct = reads_into_ring(pcpu, ring, order);

    windows_begin(&pcpu->windows, direct ? ring : NULL,
                  pcpu->space.at + pcpu->record.length);
    read_windows(&pcpu->windows, &stay->guest, order);
    stay->looked = !direct || !pcpu->windows.parts;
}

static void add_guest_windows(const struct session *session, struct pcpu *pcpu,
                              struct ring *ring, struct stay *stay)
{
    const struct stack_order order = stack_order_of(session, stay);

    if ( !order.budget )
        return;
    if ( stay->copies >= WINDOW_COPIES )
    {
        pcpu->record.sample->marks |= XENOPROF_MARK_SAME_STACK;
        return;
    }
    if ( !stay->looked )
        look_at_stack(pcpu, ring, &order, stay);
    if ( pcpu->windows.parts )
        sample_record_add_windows(&pcpu->record, &pcpu->windows);
    else
        pcpu->record.sample->marks |= XENOPROF_MARK_NO_STACK |
                                      without_facts(&stay->guest);
}

static void add_guest(struct sample_record *record, const struct port_state *at)
{
    struct xenoprof_guest *guest = sample_record_add(
        record, XENOPROF_PART_GUEST, sizeof(*guest));

    if ( guest )
        *guest = (struct xenoprof_guest){
            .ip = at->ip,
            .sp = at->sp,
            .flags = at->flags,
            .cs = at->cs,
            .ss = at->ss,
            .mode = at->mode,
        };
}

static void add_entry(struct sample_record *record,
                      const struct queue_entry *from)
{
    struct xenoprof_entry *entry;

    if ( from->entry.kind == XENOPROF_ENTRY_NONE ||
         record->sample->marks &
             (XENOPROF_MARK_FOREIGN | XENOPROF_MARK_SWITCHED) )
        return;
    entry = sample_record_add(record, XENOPROF_PART_ENTRY, sizeof(*entry));
    if ( entry )
        *entry = from->entry;
}

/* Where a domain was that is not profiled. */
static bool is_hidden(const struct xenoprof_sample *sample)
{
    return sample->marks & XENOPROF_MARK_FOREIGN &&
           sample->mode != XENOPROF_MODE_XEN;
}

static void add_precise(struct sample_record *record, uint64_t ip)
{
    struct xenoprof_precise *precise = sample_record_add(
        record, XENOPROF_PART_PRECISE, sizeof(*precise));

    if ( precise )
        precise->ip = ip;
}

__attribute__((noinline)) static void add_event(struct sample_record *record,
                                                const struct queue_entry *from)
{
    struct xenoprof_event *event = sample_record_add(
        record, XENOPROF_PART_EVENT, sizeof(*event));

    if ( event )
        *event = (struct xenoprof_event){.count = from->count,
                                         .event = from->event};
    if ( from->precise && !is_hidden(record->sample) )
        add_precise(record, from->precise);
}

/*
 * The list asks what the guest's kernel works on, which takes no register of
 * the guest, so samples of all kinds have it.  A PV guest moves because Xen
 * changes its state; in the few samples where it has run, it did so up to its
 * next entry into Xen at most.  An HVM guest that moved has run, for as long as
 * it liked.
 */
static void add_task(const struct session *session, struct pcpu *pcpu,
                     struct stay *stay, bool still)
{
    struct fetch_list *list = domain_fetch(stay->domain);
    struct xenoprof_task *task;

    if ( !list || !(session->settings.mask & XENOPROF_PART_TASK) ||
         stay->marks & NO_GUEST_HALF || !stay->complete ||
         (stay->guest.hvm && !still) )
        return;
    if ( !stay->fetched )
        stay->has_task = fetch_run(list, stay->vcpu.vcpu, &stay->guest,
                                   &stay->task);
    stay->fetched = true;
    if ( !stay->has_task )
        return;
    task = sample_record_add(&pcpu->record, XENOPROF_PART_TASK, sizeof(*task));
    if ( task )
        *task = stay->task;
}

/* The current guest's; guest is what port_guest_state() just returned. */
static void add_guest_registers(struct sample_record *record,
                                const struct port_state *guest)
{
    struct xenoprof_registers *registers = sample_record_add(
        record, XENOPROF_PART_REGISTERS, sizeof(*registers));

    if ( registers )
        port_guest_registers(guest, registers);
}

/* Adds the guest's state and registers.  Returns true if the guest is still
 * where the first half found it, so that its stack may be added too. */
static bool add_guest_half(const struct session *session, struct pcpu *pcpu,
                           const struct queue_entry *entry, struct stay *stay)
{
    struct sample_record *record = &pcpu->record;
    bool in_xen = entry->at.mode == XENOPROF_MODE_XEN;
    const struct port_state *then = in_xen ? &entry->guest : &entry->at;
    uint32_t mask = session->settings.mask;

    if ( !(mask & GUEST_PARTS) || record->sample->marks & NO_GUEST_HALF )
        return false;
    if ( !stay->complete || (in_xen && !entry->has_guest) )
    {
        record->sample->marks |= XENOPROF_MARK_UNKNOWN;
        return false;
    }
    if ( moved(then, &stay->guest) )
    {
        record->sample->marks |= XENOPROF_MARK_MOVED;
        counter_add(&pcpu->second.moved, 1);
        return false;
    }
    if ( in_xen && mask & XENOPROF_PART_GUEST )
        add_guest(record, then);
    if ( mask & XENOPROF_PART_REGISTERS )
        add_guest_registers(record, &stay->guest);
    return true;
}

/* Removes all that belongs to the guest: its domain is not profiled. */
static void make_foreign(struct xenoprof_sample *sample)
{
    sample->marks &= XENOPROF_MARK_SWITCHED | XENOPROF_MARK_NO_IP |
                     XENOPROF_MARK_TRUNCATED;
    sample->marks |= XENOPROF_MARK_FOREIGN;
    if ( sample->mode == XENOPROF_MODE_XEN )
        return;
    sample->ip = 0;
    sample->sp = 0;
    sample->flags = 0;
}

static bool same_vcpu(const struct queue_entry *entry,
                      const struct port_vcpu *vcpu)
{
    return entry->domain == vcpu->domain && entry->vcpu == vcpu->vcpu &&
           entry->idle == vcpu->idle;
}

/* The vCPU has left this pCPU.  It may run elsewhere and write its own ring, so
 * the sample goes to the pCPU's. */
static void note_switched(const struct session *session, struct pcpu *pcpu,
                          const struct queue_entry *entry)
{
    pcpu->record.sample->marks |= XENOPROF_MARK_SWITCHED;
    counter_add(&pcpu->second.switched, 1);
    if ( !entry->idle && !profiled(session, entry->domain) )
        make_foreign(pcpu->record.sample);
}

static struct ring *own_ring(const struct pcpu *pcpu,
                             const struct queue_entry *entry,
                             const struct domain *domain)
{
    return domain_ring(domain, entry->vcpu) ?: pcpu->ring;
}

/* Fills in the pCPU's record.  Returns the ring that the record belongs to. */
static struct ring *make_guest_record(const struct session *session,
                                      struct pcpu *pcpu,
                                      const struct queue_entry *entry,
                                      struct stay *stay)
{
    struct sample_record *record = &pcpu->record;
    struct ring *ring = pcpu->ring;
    bool ours = false, still = false;

    sample_record_begin(record, entry, clock_time_at(&stay->now, entry->ticks),
                        pcpu->index);
    if ( !same_vcpu(entry, &stay->vcpu) )
        note_switched(session, pcpu, entry);
    else if ( !entry->idle && !stay->domain )
        make_foreign(record->sample);
    else if ( !entry->idle )
    {
        ours = true;
        record->sample->marks |= stay->marks;
        still = add_guest_half(session, pcpu, entry, stay);
        ring = own_ring(pcpu, entry, stay->domain);
    }
    add_entry(record, entry);
    if ( ours )
        add_task(session, pcpu, stay, still);
    if ( session->settings.mask & XENOPROF_PART_EVENT )
        add_event(record, entry);
    if ( entry->frames )
        xen_chain_add(entry, record);
    if ( still )
        add_guest_windows(session, pcpu, ring, stay);
    return ring;
}

static enum ring_result put_record(struct pcpu *pcpu, struct ring *ring)
{
    const struct sample_record *record = &pcpu->record;
    struct ring_piece pieces[RING_PIECES];

    sample_record_pieces(record, pieces);
    return record->windows && record->windows->ring
               ? ring_finish(ring, &pcpu->space, pieces,
                             pieces[0].length + pieces[1].length)
               : ring_put(ring, pieces, record->sample->time);
}

static void commit(struct session *session, struct pcpu *pcpu,
                   const struct queue_entry *entry, struct stay *stay)
{
    struct ring *ring = make_guest_record(session, pcpu, entry, stay);

    if ( entry->ticks < stay->calibrated )
        counter_add(&pcpu->second.calibrated, 1);
    switch ( put_record(pcpu, ring) )
    {
    case RING_WRITTEN_MUCH:
        lag_note(&session->lag, ring->unread, ring->size);
        /* fall through */
    case RING_WRITTEN_HALF:
        wake_want(session);
        /* fall through */
    case RING_WRITTEN:
        counter_add(&pcpu->second.committed, 1);
        stay->copies += pcpu->record.windows != NULL;
        if ( !stay->oldest )
            stay->oldest = pcpu->record.sample->time;
        break;
    case RING_FULL:
        counter_add(&pcpu->lost[XENOPROF_LOST_RING], 1);
        wake_want(session);
        lag_note(&session->lag, ring->size, ring->size);
        break;
    case RING_REFUSED:
        counter_add(&pcpu->lost[XENOPROF_LOST_STOPPED], 1);
        break;
    }
}

/* Reports what the first half had no room for, in the pCPU's own ring. */
static void report_queue_full(struct pcpu *pcpu)
{
    uint64_t full = counter_read(&pcpu->lost[XENOPROF_LOST_QUEUE]);
    uint64_t more = full - pcpu->second.queue_full_reported;

    if ( !more )
        return;
    ring_lose(pcpu->ring, XENOPROF_LOST_QUEUE, more);
    pcpu->second.queue_full_reported = full;
}

static void commit_all(struct session *session, struct pcpu *pcpu)
{
    const struct queue_entry *entry;
    struct stay stay;

    /* Set by set_sealed(), after which stop waits until this half has been left
     * once: a half that enters later sees it, and leaves the queue to stop.  To
     * be looked at before the queue: an entry from before could be one that
     * stop has popped, if sampling started again in between. */
    if ( __atomic_load_n(&pcpu->second.sealed, __ATOMIC_SEQ_CST) )
        return;
    /* An NMI that waited behind another's handler came when that had ended,
     * however long firmware held it up: before this. */
    __atomic_store_n(&pcpu->first.followed, 0, __ATOMIC_RELAXED);
    entry = queue_oldest(&pcpu->queue);
    if ( !entry )
        return;
    begin_stay(session, &stay);
    report_queue_full(pcpu);
    /* NMIs go on adding entries: at most one queue's worth at a time. */
    for ( uint32_t done = 0; entry && done < pcpu->queue.depth; done++ )
    {
        commit(session, pcpu, entry, &stay);
        queue_pop(&pcpu->queue);
        entry = queue_oldest(&pcpu->queue);
    }
    if ( entry )
        port_request_commit();
    if ( stay.oldest )
        wake_note(session, stay.oldest);
    wake_if_wanted(session);
    upkeep_add_cost(session, pcpu, stay.now.ticks);
}

void second_half_commit(unsigned int here)
{
    struct session *session;
    struct pcpu *pcpu;

    if ( !presence_enter(PRESENCE_SECOND, here) )
        return;
    session = session_current();
    pcpu = session ? session_pcpu(session, here) : NULL;
    if ( pcpu )
        commit_all(session, pcpu);
    presence_leave(PRESENCE_SECOND, here);
}

void core_before_schedule(void)
{
    second_half_commit(port_pcpu());
}
