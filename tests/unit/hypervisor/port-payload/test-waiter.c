/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vCPU that waits, with its registers in its structure or on the stack of a
 * pCPU that idles; and what may happen while they are read.
 */
#include <stddef.h>
#include <string.h>

#include "hypervisor/port-payload/guest-memory.h"
#include "hypervisor/port-payload/guest.h"
#include "hypervisor/port-payload/vcpu-list.h"
#include "tests/harness.h"

enum { PCPUS = 2, VCPU_BYTES = 512 };
enum { ID_AT = 0, RUNNING_AT = 5, DIRTY_AT = 8, POLL_AT = 12, FLAGS_AT = 16 };
enum { DOMAIN_AT = 24, EVENT_AT = 32, REGISTERS_AT = 64 };
enum { NUMBER_AT = 0, DYING_AT = 4, OPTIONS_AT = 8, DOWN_AT = 12 };
enum { HANDLE_AT = 16 };

static const struct xenoprof_facts right = {
    .cpu_info_regs = 264,
    .cpu_info_current_vcpu = 56,
    .vcpu_vcpu_id = ID_AT,
    .vcpu_is_running = RUNNING_AT,
    .vcpu_dirty_cpu = DIRTY_AT,
    .vcpu_poll_evtchn = POLL_AT,
    .vcpu_pause_flags = FLAGS_AT,
    .vcpu_domain = DOMAIN_AT,
    .vcpu_vm_event = EVENT_AT,
    .vcpu_user_regs = REGISTERS_AT,
    .domain_domain_id = NUMBER_AT,
    .domain_is_dying = DYING_AT,
    .domain_options = OPTIONS_AT,
    .domain_is_shutting_down = DOWN_AT,
    .domain_handle = HANDLE_AT,
};
static struct xenoprof_facts now;

static uint8_t stacks[PCPUS][XEN_STACK_SIZE] __attribute__((aligned(32768)));
static uint8_t vcpus[3][VCPU_BYTES] __attribute__((aligned(8)));
static uint8_t domain[64] __attribute__((aligned(8)));

struct xen_vcpu *idle_vcpu[PCPUS];
unsigned int nr_cpu_ids = PCPUS;
void *stack_base[PCPUS] = {stacks[0], stacks[1]};
char per_cpu__curr_vcpu[8 * PCPUS] __attribute__((aligned(8)));
unsigned long __per_cpu_offset[PCPUS] = {0, 8};

static const uint8_t *self = vcpus[0];
static bool online[PCPUS];
static bool nested;
static struct xen_runstate runstate;
static void (*as_registers_are_read)(void);
static const void *read_from;

void vcpu_runstate_get(const struct xen_vcpu *vcpu, struct xen_runstate *ret)
{
    CHECK(vcpu == (const void *)self);
    *ret = runstate;
}

bool port_pcpu_online(unsigned int pcpu)
{
    return online[pcpu];
}

bool guest_is_nested(const struct xen_vcpu *vcpu, const struct xen_domain *of)
{
    (void)vcpu;
    (void)of;
    return nested;
}

bool guest_in_frame(const struct xen_vcpu *vcpu, const struct port_frame *frame,
                    struct port_state *ret)
{
    CHECK(vcpu == (const void *)self);
    *ret = (struct port_state){
        .ip = xen_u64(frame, FRAME_IP),
        .flags = xen_u64(frame, FRAME_FLAGS),
        .cs = xen_u16(frame, FRAME_CS),
        .hvm = (xen_u32(domain, OPTIONS_AT) & XEN_DOMAIN_HVM) != 0,
    };
    return true;
}

void guest_registers(const struct xen_vcpu *vcpu,
                     const struct port_frame *frame,
                     const struct port_state *guest,
                     struct xenoprof_registers *ret)
{
    (void)vcpu;
    (void)guest;
    (void)ret;
    read_from = frame;
    if ( as_registers_are_read )
        as_registers_are_read();
}

bool guest_reader_open(const struct xen_vcpu *vcpu,
                       const struct port_state *guest, enum port_rights rights,
                       struct port_reader *ret)
{
    (void)guest;
    (void)ret;
    return vcpu == (const void *)self && rights == PORT_RIGHTS_CURRENT;
}

static unsigned int left; /* of the walk */

const struct xen_vcpu *vcpu_list_next(struct port_vcpus *walk)
{
    walk->domain = domain;
    return left-- ? (const struct xen_vcpu *)self : NULL;
}

#define facts            now
#define xen_domain_of(v) ((const struct xen_domain *)xen_pointer(v, DOMAIN_AT))
#define xen_is_hvm(of)   (xen_u32(of, OPTIONS_AT) & XEN_DOMAIN_HVM)
#include "hypervisor/port-payload/waiter.c"

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

static void set_current(unsigned int pcpu, const void *vcpu)
{
    put(stacks[pcpu] + XEN_STACK_SIZE - 56, 0, (uintptr_t)vcpu, 8);
}

static void set_owner(unsigned int pcpu, const void *vcpu)
{
    put(per_cpu__curr_vcpu, 8 * pcpu, (uintptr_t)vcpu, 8);
}

static const void *frame_on(unsigned int pcpu)
{
    return stacks[pcpu] + XEN_STACK_SIZE - 264;
}

static void put_registers(void *frame, uint64_t ip)
{
    put(frame, FRAME_IP, ip, 8);
    put(frame, FRAME_CS, 0xe033, 2);
    put(frame, FRAME_FLAGS, 0x246, 8);
}

/* It was preempted, and its pCPU's registers are another's. */
static void make(void)
{
    now = right;
    memset(vcpus, 0, sizeof(vcpus));
    memset(domain, 0, sizeof(domain));
    as_registers_are_read = NULL;
    nested = false;
    left = 1;
    runstate = (struct xen_runstate){
        .state = XENOPROF_RUNNABLE,
        .since = 70,
        .times = {[XENOPROF_RUNNABLE] = 4000, [XENOPROF_BLOCKED] = 9000},
    };
    put(vcpus[0], ID_AT, 3, 4);
    put(vcpus[0], DIRTY_AT, CLEAN, 4);
    put(vcpus[0], DOMAIN_AT, (uintptr_t)domain, 8);
    put_registers(vcpus[0] + REGISTERS_AT, 1000);
    put(domain, NUMBER_AT, 9, 2);
    put(domain, HANDLE_AT, 0x77, 1);
    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        online[i] = true;
        idle_vcpu[i] = (struct xen_vcpu *)vcpus[1];
        set_current(i, vcpus[2]);
        set_owner(i, vcpus[2]);
    }
}

/* It was woken up: its registers are where it slept. */
static void make_dirty(unsigned int pcpu)
{
    make();
    put(vcpus[0], DIRTY_AT, pcpu, 4);
    set_current(pcpu, vcpus[1]);
    set_owner(pcpu, vcpus[0]);
    put_registers((void *)frame_on(pcpu), 2000);
}

static struct port_waiter waiter;

static bool find(void)
{
    struct port_vcpus walk = {.domain = NULL};
    unsigned int looks = 5;

    return port_waiter_next(&walk, &looks, &waiter);
}

/* Returns its ip, or 0 if it cannot be read. */
static uint64_t read_it(void)
{
    struct xenoprof_registers registers;
    struct port_state at;

    CHECK(find());
    return port_waiter_state(&waiter, &at, &registers) ? at.ip : 0;
}

TEST(who_waits)
{
    make();
    CHECK(find());
    CHECK_EQ(waiter.domain, 9);
    CHECK_EQ(waiter.vcpu, 3);
    CHECK_EQ(waiter.uuid[0], 0x77);
    CHECK_EQ(waiter.since, 70);
    CHECK_EQ(waiter.waited, 4000);
    CHECK(port_waiter_waits(&waiter));
}

TEST(who_does_not)
{
    make();
    put(vcpus[0], RUNNING_AT, 1, 1);
    CHECK(!find());
    make();
    runstate.state = XENOPROF_RUNNING;
    CHECK(!find());
    make();
    runstate.state = XENOPROF_OFFLINE; /* paused, by a count */
    CHECK(!find());
    make();
    put(vcpus[0], FLAGS_AT, 4, 8); /* for its device model */
    CHECK(!find());
    make();
    put(vcpus[0], FLAGS_AT, 1, 8); /* sleeps */
    runstate.state = XENOPROF_BLOCKED;
    CHECK(!find());
    put(vcpus[0], POLL_AT, 0xffffffff, 4);
    left = 1;
    CHECK(find());
    CHECK_EQ(waiter.waited, 0);
}

TEST(looks_are_counted)
{
    struct port_vcpus walk = {.domain = NULL};
    unsigned int looks = 3;

    make();
    put(vcpus[0], RUNNING_AT, 1, 1);
    left = 10;
    CHECK(!port_waiter_next(&walk, &looks, &waiter));
    CHECK_EQ(looks, 0);
    CHECK_EQ(left, 7);
    looks = 20;
    CHECK(!port_waiter_next(&walk, &looks, &waiter));
    CHECK_EQ(looks, 13);
}

TEST(it_runs_or_has_run)
{
    make();
    CHECK(find());
    runstate.state = XENOPROF_RUNNING;
    CHECK(!port_waiter_waits(&waiter));
    runstate.state = XENOPROF_RUNNABLE;
    CHECK(port_waiter_waits(&waiter));
    put(vcpus[0], RUNNING_AT, 1, 1);
    CHECK(!port_waiter_waits(&waiter));
    put(vcpus[0], RUNNING_AT, 0, 1);
    runstate.since++;
    CHECK(!port_waiter_waits(&waiter));
}

TEST(registers_in_its_structure)
{
    make();
    CHECK_EQ(read_it(), 1000);
    CHECK(read_from == vcpus[0] + REGISTERS_AT);
}

TEST(registers_on_an_idle_pcpu)
{
    make_dirty(1);
    CHECK_EQ(read_it(), 2000);
    CHECK(read_from == frame_on(1));
}

/* Then that stack has, or may soon have, another vCPU's. */
TEST(a_pcpu_that_has_another_vcpu)
{
    make_dirty(1);
    set_current(1, vcpus[2]);
    CHECK_EQ(read_it(), 0);
    make_dirty(1);
    set_owner(1, vcpus[2]);
    CHECK_EQ(read_it(), 0);
}

TEST(a_pcpu_that_is_not_there)
{
    make_dirty(1);
    online[1] = false;
    CHECK_EQ(read_it(), 0);
    make();
    put(vcpus[0], DIRTY_AT, PCPUS, 4);
    CHECK_EQ(read_it(), 0);
}

static void another_comes(void)
{
    set_current(1, vcpus[2]);
}

static void another_came_and_went(void)
{
    set_owner(1, vcpus[2]);
}

static void they_are_saved(void)
{
    put(vcpus[0], DIRTY_AT, CLEAN, 4);
}

static void it_gets_a_pcpu(void)
{
    put(vcpus[0], RUNNING_AT, 1, 1);
}

TEST(what_happens_while_registers_are_read)
{
    static void (*const events[])(void) = {
        another_comes,
        another_came_and_went,
        they_are_saved,
        it_gets_a_pcpu,
    };

    for ( unsigned int i = 0; i < sizeof(events) / sizeof(*events); i++ )
    {
        make_dirty(1);
        as_registers_are_read = events[i];
        CHECK_EQ(read_it(), 0);
    }
}

TEST(a_guest_that_must_not_be_read)
{
    make();
    put(domain, DYING_AT, 1, 1);
    CHECK_EQ(read_it(), 0);
    make();
    put(domain, DOWN_AT, 1, 1);
    CHECK_EQ(read_it(), 0);
    make();
    put(vcpus[0], EVENT_AT, 1, 8);
    CHECK_EQ(read_it(), 0);
    make();
    nested = true;
    CHECK_EQ(read_it(), 1000); /* a PV guest has none */
    left = 1;
    put(domain, OPTIONS_AT, XEN_DOMAIN_HVM, 4);
    CHECK_EQ(read_it(), 0);
}

static uint64_t read_with(uint32_t at, uint64_t value)
{
    make();
    put(vcpus[0], REGISTERS_AT + at, value, 8);
    return read_it();
}

/* A fact led to something else: no guest has such registers. */
TEST(registers_that_no_guest_has)
{
    CHECK_EQ(read_with(FRAME_FLAGS, 0), 0);
    CHECK_EQ(read_with(FRAME_FLAGS, 2), 1000);
    CHECK_EQ(read_with(FRAME_FLAGS, 0x8002), 0);
    CHECK_EQ(read_with(FRAME_FLAGS, 0x200000002), 0);
    CHECK_EQ(read_with(FRAME_FLAGS, 0xffff82d040234002), 0);
    CHECK_EQ(read_with(FRAME_FLAGS, 0x3f7fd7), 1000);
    CHECK_EQ(read_with(FRAME_CS, 0xe008), 0); /* Xen's own */
    CHECK_EQ(read_with(FRAME_CS, 0xe019), 1000);
    left = 1;
    make();
    put(domain, OPTIONS_AT, XEN_DOMAIN_HVM, 4);
    put(vcpus[0], REGISTERS_AT + FRAME_CS, 0, 8);
    CHECK_EQ(read_it(), 1000); /* Xen keeps no selector of such guests */
}

TEST(facts_that_are_needed)
{
    static const size_t needed[] = {
        offsetof(struct xenoprof_facts, domain_next),
        offsetof(struct xenoprof_facts, vcpu_pause_flags),
        offsetof(struct xenoprof_facts, vcpu_is_running),
        offsetof(struct xenoprof_facts, vcpu_user_regs),
        offsetof(struct xenoprof_facts, vcpu_dirty_cpu),
        offsetof(struct xenoprof_facts, vcpu_poll_evtchn),
    };

    make();
    CHECK(guest_can_wait());
    for ( unsigned int i = 0; i < sizeof(needed) / sizeof(*needed); i++ )
    {
        now = right;
        put(&now, (uint32_t)needed[i], XENOPROF_FACT_ABSENT, 4);
        CHECK(!guest_can_wait());
    }
}
