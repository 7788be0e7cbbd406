/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of vCPUs that wait stand for as long as these wait: on a host whose
 * domains come and go within a few ticks, as those do that share pCPUs, the
 * time of a domain's samples is what its WAIT records say.  Also of waits that
 * no tick sees, or that end while they are read.
 */
#include <string.h>

#include "hypervisor/core.h"
#include "tests/unit/hypervisor/life-kit.h"

#define DOMAINS 3u
#define FIRST   5u  /* domain */
#define EACH    25u /* vCPUs of a domain, at most */
#define TURN    1u  /* ms that a vCPU keeps a pCPU */
#define SECONDS 60u /* of a case; a third in other builds than gcc's */

static struct vcpu {
    struct xenoprof_wait wait;
    unsigned int left; /* turns up to when it wants to run, or sleeps */
    bool wants;
} vcpus[DOMAINS * EACH];
static unsigned int count; /* of vcpus[] */

/* ns by domain, and what a vCPU's last record said. */
static uint64_t sampled[DOMAINS], recorded[DOMAINS * EACH];
static uint32_t seed;

/* Percent of a turn for which a vCPU has been woken up, and has no pCPU yet;
 * and of waits that end while they are read. */
static unsigned int woken_up, unread;

static unsigned int any(unsigned int below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint64_t)seed * below >> 32;
}

static void note_sample(const struct kit_sample *sample)
{
    const struct xenoprof_sample *is = &sample->sample;

    if ( is->marks & XENOPROF_MARK_WAITING )
        sampled[is->domain - FIRST] += (uint64_t)is->weight * is->period;
}

static void note_record(const struct xenoprof_wait *wait)
{
    recorded[(wait->domain - FIRST) * EACH + wait->vcpu] =
        wait->times[XENOPROF_RUNNABLE];
}

static void add_domain(unsigned int index, unsigned int size)
{
    uint16_t id = FIRST + index;
    const uint8_t uuid[16] = {[15] = id};

    process_set_uuid(id, uuid);
    CHECK_EQ(kit_command("domain id=%u vcpus=%u uuid=%032x kind=passive", id,
                         size, id),
             0);
    for ( unsigned int i = 0; i < size; i++, count++ )
    {
        vcpus[count].wait.domain = id;
        vcpus[count].wait.vcpu = i;
    }
}

/* Two pCPUs that tick, whoever has them. */
static void begin(unsigned int size)
{
    memset(vcpus, 0, sizeof(vcpus));
    memset(sampled, 0, sizeof(sampled));
    memset(recorded, 0, sizeof(recorded));
    memset(&life_read, 0, sizeof(life_read));
    count = 0;
    seed = 1;
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 9, 0);
    kit_done(
        "reserve sampler=nmi mask=3 frequency=500 pages=16 queue=0 lease=0 "
        "budget=0 waiting=1");
    for ( unsigned int i = 0; i < DOMAINS; i++ )
        add_domain(i, size);
    life_read.each = note_sample;
    life_read.each_wait = note_record;
    kit_done("start");
}

/* It has a pCPU if there is one left.  The last domain's want one most. */
static enum xenoprof_runstate next_state(struct vcpu *vcpu, unsigned int *free)
{
    unsigned int index = vcpu->wait.domain - FIRST;

    if ( !vcpu->left )
    {
        vcpu->wants = !vcpu->wants;
        vcpu->left = 1 + any(vcpu->wants ? 6 + 4 * index : 40);
    }
    vcpu->left--;
    if ( !vcpu->wants )
        return XENOPROF_BLOCKED;
    if ( !*free )
        return XENOPROF_RUNNABLE;
    --*free;
    return XENOPROF_RUNNING;
}

static void change(struct vcpu *vcpu, enum xenoprof_runstate state)
{
    const struct process_waiter waiter = {
        .whole = any(100) >= unread,
        .at = {.ip = 1, .flags = 2, .mode = XENOPROF_MODE_KERNEL},
    };
    uint64_t passed = TURN * KIT_MILLISECOND, waited = 0;

    /* It was chosen while the tick's pCPU took no interrupts. */
    if ( state == XENOPROF_RUNNING )
        waited = passed * woken_up / 100;
    if ( state != vcpu->wait.state )
        vcpu->wait.since = process_now() + 1;
    vcpu->wait.state = state;
    vcpu->wait.times[state] += passed - waited;
    vcpu->wait.times[XENOPROF_RUNNABLE] += waited;
    process_set_wait(&vcpu->wait);
    process_set_waiter(vcpu->wait.domain, vcpu->wait.vcpu, &waiter);
}

/* A turn begins with another vCPU each time. */
static void pass(unsigned int turn, unsigned int pcpus)
{
    unsigned int free = pcpus;

    for ( unsigned int i = 0; i < count; i++ )
    {
        struct vcpu *vcpu = &vcpus[(turn * 7 + i) % count];

        change(vcpu, next_state(vcpu, &free));
    }
    life_run(TURN);
    kit_drain_all(&life_read);
}

/* The last records are of the moment at which it stops. */
static void end(void)
{
    kit_done("stop");
    kit_drain_all(&life_read);
    CHECK_EQ(kit_status()->waiting_lost, 0);
    CHECK_EQ(kit_status()->waiting_missed > 0, unread > 0);
    kit_done("reset");
}

static uint64_t recorded_of(unsigned int domain)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < EACH; i++ )
        sum += recorded[domain * EACH + i];
    return sum;
}

static void check_times(unsigned int percent)
{
    for ( unsigned int i = 0; i < DOMAINS; i++ )
    {
        uint64_t is = sampled[i], should = recorded_of(i);

        CHECK(should > KIT_SECOND);
        if ( is * 100 < should * (100 - percent) ||
             is * 100 > should * (100 + percent) )
            test_fail(__FILE__, __LINE__,
                      "domain %u: %lu ms by samples, %lu ms by records",
                      FIRST + i, is / KIT_MILLISECOND,
                      should / KIT_MILLISECOND);
    }
}

/* size vCPUs in each domain, and pCPUs for some of them. */
static void go_through(unsigned int size, unsigned int pcpus)
{
    const unsigned int seconds = test_share() > 2 ? SECONDS / 3 : SECONDS;

    begin(size);
    for ( unsigned int i = 0; i < seconds * 1000 / TURN; i++ )
        pass(i, pcpus);
    end();
    woken_up = unread = 0;
}

/* A tick looks at all. */
TEST(few_vcpus)
{
    go_through(2, 1);
    check_times(5);
}

TEST(as_many_as_a_tick_looks_at)
{
    go_through(5, 2);
    check_times(5);
}

/* A round takes several ticks. */
TEST(many_vcpus)
{
    go_through(EACH, 6);
    check_times(5);
}

/* A tick is held up while its pCPU chooses who runs next, so no tick sees the
 * wait that this ends. */
TEST(waits_that_no_tick_sees)
{
    woken_up = 20;
    go_through(5, 2);
    check_times(5);
}

/* As where a sample takes as long as a wait does. */
TEST(waits_that_end_while_they_are_read)
{
    unread = 25;
    go_through(5, 2);
    check_times(5);
}
