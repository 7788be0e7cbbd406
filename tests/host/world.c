/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the fake host, and what a test sets in it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <xenoprof/unwind.h>

#include "process-private.h"

#define DOMAINS 0x8000u
#define SECOND  1000000000ul

static struct process_host host;
static struct process_pcpu pcpus[PROCESS_PCPUS_MAX];
struct process_sets process_sets;
static unsigned int count;
static uint64_t now = SECOND;
static uint8_t usual_uuids[DOMAINS][16];
static uint8_t set_uuids[DOMAINS][16];
static uint64_t set_in[DOMAINS]; /* which host it was set in */
static uint64_t hosts;

/* A thread begins as a command on pCPU 0. */
static __thread struct process_thread me = {.context = CONTEXT_COMMAND};

void process_fail(const char *format, ...)
{
    va_list arguments;

    fputs("process port: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

void process_need(enum process_context context, const char *function)
{
    static const char *const names[] = {"an NMI", "a call", "a softirq",
                                        "a command"};

    if ( me.context < context )
        process_fail("%s() is called in %s", function, names[me.context]);
}

struct process_thread process_enter(unsigned int pcpu,
                                    enum process_context context)
{
    struct process_thread before = me;

    me.pcpu = pcpu;
    me.context = context;
    me.since = process_ticks(pcpu);
    return before;
}

void process_leave(struct process_thread before)
{
    me = before;
}

struct process_thread process_here(void)
{
    return me;
}

/* Not looked up as others are: measures of the core count it, too. */
struct process_pcpu *process_own(void)
{
    return &pcpus[me.pcpu];
}

struct process_host *process_host(void)
{
    return &host;
}

struct process_pcpu *process_pcpu(unsigned int pcpu)
{
    if ( pcpu >= count )
        process_fail("there is no pCPU %u", pcpu);
    return &pcpus[pcpu];
}

void process_send_nmi(unsigned int pcpu)
{
    process_nmi_comes(process_pcpu(pcpu));
}

uint64_t process_now(void)
{
    return __atomic_load_n(&now, __ATOMIC_RELAXED);
}

void process_set_time(uint64_t time)
{
    __atomic_store_n(&now, time, __ATOMIC_RELAXED);
}

void process_pass(uint64_t ns)
{
    process_set_time(now + ns);
}

static void end_idle(struct process_pcpu *one)
{
    if ( one->current.idle )
        one->idle_time += process_now() - one->idle_since;
}

void process_set_current(unsigned int pcpu, uint16_t domain, uint16_t vcpu)
{
    struct process_pcpu *one = process_pcpu(pcpu);

    end_idle(one);
    one->current = (struct port_vcpu){.domain = domain, .vcpu = vcpu};
    one->marks = 0;
    one->frame.at = (struct port_state){
        .ip = 0xffffffff81000000ul + domain * 0x1000ul,
        .sp = 0xffffc90000000000ul + vcpu * 0x4000ul,
        .flags = 0x246,
        .cs = 0xe033,
        .ss = 0xe02b,
        .mode = XENOPROF_MODE_KERNEL,
    };
    one->frame.guest = one->frame.at;
    one->frame.complete = true;
}

void process_set_idle(unsigned int pcpu)
{
    struct process_pcpu *one = process_pcpu(pcpu);

    end_idle(one);
    one->idle_since = process_now();
    one->current = (struct port_vcpu){
        .domain = 0x7fff, .vcpu = pcpu, .idle = true};
    one->marks = 0;
    one->frame = (struct port_frame){
        .at = {.mode = XENOPROF_MODE_IDLE, .flags = 0x246}};
}

void process_set_uuid(uint16_t domain, const uint8_t uuid[16])
{
    memcpy(set_uuids[domain % DOMAINS], uuid, 16);
    set_in[domain % DOMAINS] = hosts;
}

const uint8_t *process_uuid(uint16_t domain)
{
    domain %= DOMAINS;
    return set_in[domain] == hosts ? set_uuids[domain] : usual_uuids[domain];
}

void process_set_offline(unsigned int pcpu)
{
    process_pcpu(pcpu)->online = false;
    /* An NMI that still arrives there finds Xen's empty handler. */
    process_pcpu(pcpu)->nmis_pending = 0;
    for ( unsigned int i = 0; i < count; i++ )
        for ( unsigned int to = 0; to < count; to++ )
            if ( pcpus[i].timer && pcpus[i].timer_pcpu == pcpu &&
                 pcpus[to].online )
                pcpus[i].timer_pcpu = to;
}

unsigned int port_pcpus(void)
{
    return count;
}

/* The smallest unwind table: one block without a known row. */
static const struct {
    struct xenoprof_unwind head;
    struct xenoprof_unwind_region region;
    struct xenoprof_unwind_state state;
    uint32_t first_rows[2];
    struct xenoprof_unwind_row row;
} unwind_table = {
    .head = {.magic = XENOPROF_UNWIND_MAGIC,
             .version = XENOPROF_UNWIND_VERSION,
             .size = sizeof(unwind_table),
             .regions = 1,
             .states = 1,
             .rows = 1,
             .regions_at = offsetof(__typeof__(unwind_table), region),
             .states_at = offsetof(__typeof__(unwind_table), state),
             .first_row_at = offsetof(__typeof__(unwind_table), first_rows),
             .rows_at = offsetof(__typeof__(unwind_table), row)},
    .region = {.start = 0xffff82d040200000, .length = XENOPROF_UNWIND_BLOCK},
    .first_rows = {0, 1},
};

void process_reset_world(unsigned int wanted)
{
    if ( !wanted || wanted > PROCESS_PCPUS_MAX )
        process_fail("%u pCPUs are not from 1 to %u", wanted,
                     PROCESS_PCPUS_MAX);
    me = (struct process_thread){.context = CONTEXT_COMMAND};
    count = wanted;
    now = SECOND;
    process_reset_clock(count);
    process_reset_vcpus();
    process_pmu_forget();
    memset(&host, 0, sizeof(host));
    host.together = 1;
    host.memory_left = -1;
    host.memory_free = 64ul << 30;
    host.unwind_table = &unwind_table;
    host.unwind_size = sizeof(unwind_table);
    memset(pcpus, 0, sizeof(pcpus));
    memset(&process_sets, 0, sizeof(process_sets));
    for ( unsigned int i = 0; i < count; i++ )
    {
        process_set_idle(i);
        pcpus[i].number = i;
        pcpus[i].online = true;
        pcpus[i].stack_room = XENOPROF_PAGE_SIZE;
    }
    for ( unsigned int i = 0; !hosts && i < DOMAINS; i++ )
        memset(usual_uuids[i], i & 0xff, sizeof(usual_uuids[i]));
    hosts++;
}

void process_reset(unsigned int wanted)
{
    me = (struct process_thread){.context = CONTEXT_COMMAND};
    core_unload();
    process_reset_memory();
    process_reset_world(wanted);
}
