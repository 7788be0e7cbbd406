/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of port.h; each checks that it is called in its context.
 */
#include <stdarg.h>
#include <stdio.h>

#include "process-private.h"

static struct process_pcpu *here(void)
{
    return process_own();
}

unsigned int port_pcpu(void)
{
    return process_here().pcpu;
}

bool port_pcpu_online(unsigned int pcpu)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_pcpu(pcpu)->online;
}

bool port_pcpu_idle(unsigned int pcpu)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_pcpu(pcpu)->current.idle;
}

uint64_t port_idle_time(void)
{
    const struct process_pcpu *one = here();

    process_need(CONTEXT_SOFT, __func__);
    return one->idle_time +
           (one->current.idle ? process_now() - one->idle_since : 0);
}

void port_current(struct port_vcpu *ret)
{
    process_may_be_held();
    *ret = here()->current;
}

unsigned int port_pcpus_together(void)
{
    process_need(CONTEXT_COMMAND, __func__);
    return process_host()->together;
}

uint32_t port_lacks(void)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_host()->lacks;
}

const uint8_t *port_current_uuid(void)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_uuid(here()->current.domain);
}

uint32_t port_current_marks(void)
{
    return here()->marks;
}

void port_interrupted(const struct port_frame *frame, struct port_state *ret)
{
    *ret = frame->at;
}

bool port_guest_state(const struct port_frame *frame, struct port_state *ret)
{
    if ( !frame )
        frame = &here()->frame;
    if ( !frame->complete || here()->current.idle )
        return false;
    *ret = frame->guest;
    return true;
}

bool port_guest_entry(const struct port_frame *frame, bool has_guest,
                      struct xenoprof_entry *ret)
{
    if ( !frame )
        frame = &here()->frame;
    *ret = frame->entry;
    return ret->kind == XENOPROF_ENTRY_PV ||
           (has_guest && ret->kind != XENOPROF_ENTRY_NONE);
}

void port_guest_registers(const struct port_state *guest,
                          struct xenoprof_registers *ret)
{
    const struct process_pcpu *pcpu = here();

    process_need(CONTEXT_SOFT, __func__);
    if ( !pcpu->frame.complete )
        process_fail("registers are read that are not complete");
    *ret = pcpu->registers;
    ret->rsp = guest->sp;
}

/* Aborts if the caller passes a guest's state from some time ago. */
static void need_now(const struct process_pcpu *pcpu,
                     const struct port_state *guest)
{
    const struct port_state *now = &pcpu->frame.guest;

    if ( guest->mode != now->mode || guest->sp != now->sp )
        process_fail("this is not where the guest is");
}

/* A reader has the pCPU, the rights, and the mode of the guest that it is good
 * for. */
bool port_reader_open(const struct port_state *guest, enum port_rights rights,
                      struct port_reader *ret)
{
    const struct process_pcpu *pcpu = here();

    process_need(CONTEXT_SOFT, __func__);
    if ( !pcpu->frame.complete )
        process_fail("memory is read of a guest whose state is not complete");
    need_now(pcpu, guest);
    ret->words[READER_PCPU] = process_here().pcpu;
    ret->words[READER_RIGHTS] = rights;
    ret->words[READER_WAITER] = 0;
    return process_host()->memory;
}

static const uint8_t *page_of(const struct process_host *host,
                              const struct port_reader *reader,
                              uint64_t address)
{
    uint64_t waiter = reader->words[READER_WAITER];

    if ( waiter )
        return host->waiter_memory((waiter - 1) >> 16, waiter - 1, address);
    return host->memory ? host->memory(reader->words[READER_PCPU], address)
                        : NULL;
}

uint32_t port_reader_read(struct port_reader *reader, uint64_t address,
                          void *to, uint32_t size)
{
    struct process_host *host = process_host();
    uint32_t done = 0;

    process_need(CONTEXT_SOFT, __func__);
    if ( reader->words[READER_PCPU] != process_here().pcpu )
        process_fail("a reader is used on another pCPU");
    host->rights = reader->words[READER_RIGHTS];
    while ( done < size )
    {
        uint32_t in_page = (address + done) % XENOPROF_PAGE_SIZE;
        uint32_t part = XENOPROF_PAGE_SIZE - in_page;
        const uint8_t *page = page_of(host, reader, address + done - in_page);

        if ( !page )
            break;
        if ( part > size - done )
            part = size - done;
        memcpy((uint8_t *)to + done, page + in_page, part);
        done += part;
        if ( !(address + done) )
            break;
    }
    return done;
}

uint32_t port_reader_read_again(struct port_reader *reader, uint64_t address,
                                void *to, uint32_t size, uint64_t *known)
{
    uint32_t done = port_reader_read(reader, address, to, size);

    if ( *known && *known != (address | 1) )
        process_fail("what is known of another address is used");
    *known = done == size ? address | 1 : 0;
    return done;
}

void port_ticked(struct port_state *ret)
{
    process_need(CONTEXT_SOFT, __func__);
    *ret = here()->frame.at;
    if ( ret->mode == XENOPROF_MODE_XEN )
        ret->ip = 0;
}

const void *port_unwind_table(uint64_t *size, uint64_t *own_text)
{
    process_need(CONTEXT_COMMAND, __func__);
    *size = process_host()->unwind_size;
    *own_text = process_host()->own_text;
    return process_host()->unwind_table;
}

bool port_xen_stack(const struct port_frame *frame, struct port_xen_stack *ret)
{
    *ret = frame->xen;
    return frame->on_xen_stack;
}

bool port_xen_stack_of(uint64_t sp, struct port_span *ret)
{
    const struct port_span *stacks = here()->stacks;

    for ( unsigned int i = 0; i < PROCESS_STACKS_MAX; i++ )
    {
        if ( sp < stacks[i].low || sp >= stacks[i].high )
            continue;
        *ret = stacks[i];
        return true;
    }
    return false;
}

uint64_t port_stack_room(void)
{
    return here()->stack_room;
}

enum port_slot port_nmi_slot(void)
{
    return process_host()->slot;
}

bool port_nmi_take(void)
{
    process_need(CONTEXT_COMMAND, __func__);
    if ( process_host()->slot != PORT_SLOT_FREE )
        return false;
    process_host()->slot = PORT_SLOT_OURS;
    return true;
}

bool port_nmi_leave(void)
{
    process_need(CONTEXT_SOFT, __func__);
    if ( process_host()->slot != PORT_SLOT_OURS )
        return false;
    process_host()->slot = PORT_SLOT_FREE;
    return true;
}

void port_nmi_note(unsigned int pcpu)
{
    process_need(CONTEXT_SOFT, __func__);
    pcpu_set_add(&process_sets.noted, process_pcpu(pcpu)->number);
}

static void send_to(unsigned int pcpu, bool ours)
{
    struct process_pcpu *target = process_pcpu(pcpu);

    target->nmis_sent += ours;
    if ( ours && target->online && !target->drop_nmis )
        process_nmi_comes(target);
}

void port_nmi_send(void)
{
    bool ours = process_host()->slot == PORT_SLOT_OURS;

    process_need(CONTEXT_SOFT, __func__);
    for ( unsigned int word = 0; word < PCPU_SET_WORDS; word++ )
    {
        uint64_t members = pcpu_set_take(&process_sets.noted, word);

        for ( ; members; members &= members - 1 )
            send_to(word * PCPU_SET_WORD +
                        (unsigned int)__builtin_ctzl(members),
                    ours);
    }
}

bool port_watchdog(void)
{
    return process_host()->watchdog;
}

bool port_watchdog_due(void)
{
    if ( !process_host()->watchdog )
        process_fail("the watchdog is asked but does not run");
    return process_host()->watchdog_due ||
           process_pmu_watchdog_due(process_here().pcpu);
}

bool port_nmi_external(void)
{
    if ( process_here().context != CONTEXT_NMI )
        process_fail("port 61 is read outside NMIs");
    if ( process_here().pcpu )
        return false;
    process_host()->port_61_looks++;
    return process_host()->port_61 & 0xc0;
}

void port_on_pcpus(void (*function)(void *data), void *data)
{
    process_need(CONTEXT_SOFT, __func__);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        struct process_thread before;

        if ( !process_pcpu(i)->online )
            continue;
        before = process_enter(i, CONTEXT_CALL);
        function(data);
        process_leave(before);
    }
}

void port_nmi_all(void)
{
    process_need(CONTEXT_COMMAND, __func__);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        if ( i != port_pcpu() && process_pcpu(i)->online )
            process_interrupt(i, NULL);
}

void port_request_commit(void)
{
    struct process_pcpu *one = here();

    if ( one->softirq_pending )
        return;
    one->softirq_since = process_now();
    one->softirq_pending = true;
    pcpu_set_add(&process_sets.stirred, one->number);
}

void port_call_commit(unsigned int pcpu)
{
    struct process_pcpu *target = process_pcpu(pcpu);

    process_need(CONTEXT_SOFT, __func__);
    target->calls++;
    target->asleep = false;
    if ( !target->softirq_pending )
        target->softirq_since = process_now();
    target->softirq_pending = true;
    pcpu_set_add(&process_sets.stirred, pcpu);
}

void port_hook_commit(void)
{
    process_need(CONTEXT_SOFT, __func__);
    process_host()->hooked = true;
}

void port_unhook_commit(void)
{
    process_need(CONTEXT_SOFT, __func__);
    process_host()->hooked = false;
}

void port_timer_arm(unsigned int pcpu, uint64_t time)
{
    struct process_pcpu *one = process_pcpu(pcpu);

    process_need(CONTEXT_SOFT, __func__);
    one->timer = time ? time : 1;
    one->timer_pcpu = one->online ? pcpu : process_here().pcpu;
    pcpu_set_add(&process_sets.timed, pcpu);
}

void port_timer_cancel(unsigned int pcpu)
{
    process_need(CONTEXT_COMMAND, __func__);
    process_pcpu(pcpu)->timer = 0;
}

void port_wake_reader(void)
{
    process_need(CONTEXT_SOFT, __func__);
    __atomic_fetch_add(&process_host()->wakes, 1, __ATOMIC_RELAXED);
}

void port_log(const char *format, ...)
{
    struct process_host *host = process_host();
    va_list arguments;

    process_need(CONTEXT_COMMAND, __func__);
    va_start(arguments, format);
    vsnprintf(host->log, sizeof(host->log), format, arguments);
    va_end(arguments);
    host->logs++;
}
