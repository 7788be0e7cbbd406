/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "hypervisor/core.h"
#include "hypervisor/waits/wait-sample.h"
#include "tests/unit/hypervisor/life-kit.h"

#define IP    0xffffffff81000100ul
#define SP    0xffffc90000100100ul
#define OPTS  "frequency=100 pages=16 lease=0 budget=0 "
#define MASK  (XENOPROF_PART_REGISTERS | XENOPROF_PART_WINDOW)
#define ASKED "sampler=nmi queue=0 window=4096 user-window=0 " OPTS
#define VCPUS 64u

/* A stack of one page, and what happens when it is read. */
static uint8_t stack[XENOPROF_PAGE_SIZE];
static void (*as_it_is_read)(void);
static uint16_t of_domain, of_vcpu;

static const uint8_t *memory(uint16_t domain, uint16_t vcpu, uint64_t address)
{
    of_domain = domain;
    of_vcpu = vcpu;
    if ( as_it_is_read )
        as_it_is_read();
    return address == SP / XENOPROF_PAGE_SIZE * XENOPROF_PAGE_SIZE ? stack
                                                                   : NULL;
}

static struct kit_sample seen; /* the last sample of one that waited */
static uint64_t count_of[VCPUS], time_of[VCPUS]; /* domain 5's, by vCPU */

static void note(const struct kit_sample *sample)
{
    if ( !(sample->sample.marks & XENOPROF_MARK_WAITING) )
        return;
    seen = *sample;
    CHECK(seen.sample.vcpu < VCPUS);
    count_of[seen.sample.vcpu]++;
    time_of[seen.sample.vcpu] += (uint64_t)seen.sample.weight *
                                 seen.sample.period;
}

static void set_state(uint16_t domain, uint16_t vcpu,
                      enum xenoprof_runstate state)
{
    const struct xenoprof_wait wait = {
        .domain = domain,
        .vcpu = vcpu,
        .state = state,
        .since = process_now() + 1,
    };

    process_set_wait(&wait);
}

static void make_whole(uint16_t domain, uint16_t vcpu, bool is_polling)
{
    const struct process_waiter waiter = {
        .polls = is_polling,
        .whole = true,
        .at = {.ip = IP, .sp = SP, .flags = 2, .mode = XENOPROF_MODE_KERNEL},
        .registers = {.rbp = 77, .rsp = SP},
    };

    process_set_waiter(domain, vcpu, &waiter);
}

static void begin(const char *words)
{
    memset(&life_read, 0, sizeof(life_read));
    memset(count_of, 0, sizeof(count_of));
    memset(time_of, 0, sizeof(time_of));
    memset(&seen, 0, sizeof(seen));
    as_it_is_read = NULL;
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    process_host()->waiter_memory = memory;
    CHECK_EQ(kit_command("reserve mask=%u " ASKED "%s", MASK, words), 0);
    CHECK_EQ(kit_command("domain id=5 vcpus=%u uuid=" KIT_UUID_5
                         " kind=passive",
                         VCPUS),
             0);
    life_read.each = note;
    kit_done("start");
}

static bool nobody_reads;

/* Lets time pass, and reads often enough. */
static void run(uint64_t milliseconds)
{
    for ( uint64_t done = 0; done < milliseconds; done += 10 )
    {
        life_run(10);
        if ( !nobody_reads )
            kit_drain_all(&life_read);
    }
}

/* All that was made was read or lost, and is in no sum of the others. */
static void end(void)
{
    kit_done("stop");
    kit_drain_all(&life_read);
    kit_check_sums();
    CHECK_EQ(kit_status()->waiting_made,
             life_read.waiting + kit_status()->waiting_lost);
    CHECK_EQ(kit_status()->counters.committed, life_read.samples);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(a_vcpu_that_waits_is_sampled)
{
    memset(stack, 0x5a, sizeof(stack));
    begin("waiting=1");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    run(100);
    CHECK(life_read.waiting > 10);
    CHECK(life_read.samples > 10);
    CHECK_EQ(seen.sample.domain, 5);
    CHECK_EQ(seen.sample.vcpu, 2);
    CHECK_EQ(seen.sample.mode, XENOPROF_MODE_KERNEL);
    CHECK_EQ(seen.sample.marks, XENOPROF_MARK_WAITING);
    CHECK_EQ(seen.sample.ip, IP);
    CHECK_EQ(seen.sample.sp, SP);
    CHECK_EQ(seen.registers.rbp, 77);
    CHECK_EQ(seen.window.head.address, SP);
    CHECK_EQ(seen.window.head.length, XENOPROF_PAGE_SIZE - 0x100);
    CHECK_EQ(seen.window.bytes[9], 0x5a);
    CHECK_EQ(of_domain, 5);
    CHECK_EQ(of_vcpu, 2);
    end();
}

/* Its own ring is the other pCPU's to write, when it gets one. */
TEST(samples_go_to_rings_of_pcpus)
{
    begin("waiting=1");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    life_run(200);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 2)->producer, 0);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        uint64_t before = life_read.waiting;

        kit_drain(kit_ring_of(XENOPROF_RING_PCPU, 0, i), true, &life_read);
        CHECK(life_read.waiting > before);
        CHECK_EQ(seen.sample.pcpu, i);
    }
    end();
}

TEST(who_runs_sleeps_or_is_not_profiled_has_none)
{
    begin("waiting=1");
    set_state(5, 0, XENOPROF_RUNNING);
    set_state(5, 2, XENOPROF_BLOCKED);
    set_state(5, 3, XENOPROF_OFFLINE);
    set_state(6, 0, XENOPROF_RUNNABLE);
    for ( unsigned int i = 0; i < 4; i++ )
        make_whole(i < 3 ? 5 : 6, i < 3 ? (i ? i + 1 : 0) : 0, false);
    run(100);
    CHECK_EQ(life_read.waiting, 0);
    CHECK_EQ(kit_status()->waiting_missed, 0);
    end();
}

TEST(who_polls_has_some)
{
    begin("waiting=1");
    set_state(5, 2, XENOPROF_BLOCKED);
    make_whole(5, 2, true);
    run(100);
    CHECK(life_read.waiting > 10);
    end();
}

static void it_runs(void)
{
    set_state(5, 2, XENOPROF_RUNNING);
}

static void it_ran(void)
{
    process_pass(1);
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
}

static void it_dies(void)
{
    as_it_is_read = NULL;
    process_end_wait(5, 2);
}

/* Between the registers and the stack, or while the stack is read. */
TEST(what_was_read_counts_only_if_it_waited_all_the_while)
{
    static void (*const events[])(void) = {it_runs, it_ran, it_dies};

    for ( unsigned int i = 0; i < 3; i++ )
    {
        uint64_t before;

        begin("waiting=1");
        set_state(5, 2, XENOPROF_RUNNABLE);
        make_whole(5, 2, false);
        run(50);
        before = life_read.waiting;
        CHECK(before);
        as_it_is_read = events[i];
        run(200);
        CHECK_EQ(life_read.waiting, before);
        CHECK(kit_status()->waiting_missed);
        end();
    }
}

TEST(one_that_cannot_be_read_is_missed)
{
    begin("waiting=1");
    set_state(5, 2, XENOPROF_RUNNABLE);
    run(200);
    CHECK_EQ(life_read.waiting, 0);
    CHECK(kit_status()->waiting_missed > 10);
    end();
}

TEST(a_stack_that_cannot_be_read_is_left_out)
{
    begin("waiting=1");
    process_host()->waiter_memory = NULL;
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    run(50);
    CHECK_EQ(seen.sample.marks, XENOPROF_MARK_WAITING | XENOPROF_MARK_NO_STACK);
    CHECK_EQ(seen.registers.rbp, 77);
    end();
}

/* Its rings are closed, as when it runs. */
TEST(another_domain_has_its_number)
{
    uint8_t uuid[16] = {1, 2, 3};

    begin("waiting=1");
    process_set_uuid(5, uuid);
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    process_set_idle(1);
    run(100);
    CHECK_EQ(life_read.waiting, 0);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 2)->state,
             XENOPROF_RING_CLOSED);
    end();
}

TEST(nobody_asked)
{
    begin("waiting=0");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    run(100);
    CHECK_EQ(life_read.waiting, 0);
    end();
}

/* A sample stands for those of its stretch that wait, as long as a round takes:
 * so the time of each is what it waited. */
TEST(the_time_of_samples_is_what_each_waited)
{
    begin("waiting=1");
    for ( unsigned int i = 0; i < VCPUS; i++ )
        set_state(5, i, i % 16 == 3 ? XENOPROF_RUNNABLE : XENOPROF_BLOCKED);
    for ( unsigned int i = 3; i < VCPUS; i += 16 )
        make_whole(5, i, false);
    run(10000);
    for ( unsigned int i = 0; i < VCPUS; i++ )
    {
        uint64_t is = time_of[i] / KIT_MILLISECOND;

        if ( i % 16 != 3 )
            CHECK_EQ(count_of[i], 0);
        else if ( is < 9700 || is > 10300 )
            test_fail(__FILE__, __LINE__, "v%u waited %lu ms of 10 s", i, is);
    }
    end();
}

/* One that waits half of the time. */
TEST(a_wait_that_ends_has_its_part)
{
    begin("waiting=1");
    for ( unsigned int i = 0; i < 200; i++ )
    {
        set_state(5, 2, i % 2 ? XENOPROF_RUNNING : XENOPROF_RUNNABLE);
        make_whole(5, 2, false);
        run(30);
    }
    CHECK(time_of[2] > 2900 * KIT_MILLISECOND);
    CHECK(time_of[2] < 3100 * KIT_MILLISECOND);
    end();
}

static unsigned int looks_at_once, looks_max;
static uint64_t looks_time;

static void count_looks(void)
{
    looks_at_once = process_now() == looks_time ? looks_at_once + 1 : 1;
    looks_time = process_now();
    if ( looks_at_once > looks_max )
        looks_max = looks_at_once;
}

/* Two pCPUs' ticks may come at the same time. */
TEST(a_tick_takes_one_at_most)
{
    looks_max = 0;
    begin("waiting=1");
    for ( unsigned int i = 0; i < VCPUS; i++ )
    {
        set_state(5, i, XENOPROF_RUNNABLE);
        make_whole(5, i, false);
    }
    as_it_is_read = count_looks;
    run(1000);
    CHECK(life_read.waiting > 150);
    CHECK(life_read.waiting < 220);
    CHECK(looks_max <= 2);
    end();
}

/* Nobody reads: half of each ring is left to other samples. */
TEST(others_come_first)
{
    begin("waiting=1");
    for ( unsigned int i = 0; i < VCPUS; i++ )
    {
        set_state(5, i, XENOPROF_RUNNABLE);
        make_whole(5, i, false);
    }
    life_run(2000);
    process_set_current(1, 7, 0); /* is not profiled: in the pCPU's ring */
    life_run(100);
    kit_drain_all(&life_read);
    run(10);
    CHECK(kit_status()->waiting_lost > 100);
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_RING], 0);
    end();
}

TEST(a_pcpu_goes_offline)
{
    begin("waiting=1");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    run(100);
    process_set_offline(1);
    life_read.waiting = 0;
    run(300);
    CHECK(life_read.waiting > 10);
    CHECK_EQ(seen.sample.pcpu, 0);
    life_read.waiting = kit_status()->waiting_made - kit_status()->waiting_lost;
    kit_done("stop");
    kit_done("reset");
}

TEST(a_xen_that_does_not_show_them)
{
    process_reset(2);
    begin("waiting=1");
    end();
    process_reset(1);
    process_host()->lacks = XENOPROF_LACK_WAITING;
    process_set_current(0, 5, 0);
    kit_done("reserve mask=3 waiting=1 " ASKED);
    kit_done("domain id=5 vcpus=4 uuid=" KIT_UUID_5 " kind=passive");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    kit_done("start");
    life_run(100);
    CHECK_EQ(kit_status()->waiting_made + kit_status()->waiting_missed, 0);
    kit_done("stop");
}

TEST(the_timer_samples_them_too)
{
    process_reset(2);
    memset(&life_read, 0, sizeof(life_read));
    process_host()->waiter_memory = memory;
    as_it_is_read = NULL;
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    CHECK_EQ(
        kit_command("reserve sampler=timer queue=0 mask=3 waiting=1 " OPTS), 0);
    kit_done("domain id=5 vcpus=4 uuid=" KIT_UUID_5 " kind=passive");
    set_state(5, 2, XENOPROF_RUNNABLE);
    make_whole(5, 2, false);
    kit_done("start");
    run(100);
    CHECK(life_read.waiting > 5);
    end();
}

/* Lets time pass, for which a vCPU of domain 5 waits. */
static void wait_for(uint16_t vcpu, uint64_t *waited, uint64_t milliseconds)
{
    for ( uint64_t done = 0; done < milliseconds; done += 10 )
    {
        struct xenoprof_wait wait = {
            .domain = 5,
            .vcpu = vcpu,
            .state = XENOPROF_RUNNABLE,
            .since = 1,
        };

        *waited += 10 * KIT_MILLISECOND;
        wait.times[XENOPROF_RUNNABLE] = *waited;
        process_set_wait(&wait);
        make_whole(5, vcpu, false);
        run(10);
    }
}

/* What it waited while nobody sampled is no sample's. */
TEST(a_start_forgets_what_was_waited)
{
    uint64_t waited = 500 * KIT_SECOND;

    begin("waiting=1");
    wait_for(2, &waited, 1000);
    kit_done("stop");
    kit_drain_all(&life_read);
    waited += 100 * KIT_SECOND;
    kit_done("start");
    wait_for(2, &waited, 1000);
    CHECK(time_of[2] > 1900 * KIT_MILLISECOND);
    CHECK(time_of[2] < 2100 * KIT_MILLISECOND);
    end();
}

/* For a while nobody reads: the samples that follow have the time of those that
 * were lost. */
TEST(a_lost_sample_takes_no_time_with_it)
{
    uint64_t waited = 500 * KIT_SECOND;

    begin("waiting=1");
    wait_for(2, &waited, 100);
    nobody_reads = true;
    wait_for(2, &waited, 3000);
    nobody_reads = false;
    wait_for(2, &waited, 100);
    CHECK(kit_status()->waiting_lost > 10);
    CHECK(time_of[2] > 3100 * KIT_MILLISECOND);
    CHECK(time_of[2] < 3300 * KIT_MILLISECOND);
    end();
}

/* It came after its domain was told of. */
TEST(a_vcpu_that_is_not_known_has_its_samples)
{
    uint64_t waited = KIT_SECOND;

    begin("waiting=1");
    kit_done("stop");
    kit_done("reset");
    CHECK_EQ(kit_command("reserve mask=%u " ASKED "waiting=1", MASK), 0);
    kit_done("domain id=5 vcpus=1 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("start");
    wait_for(2, &waited, 1000);
    CHECK(time_of[2] > 900 * KIT_MILLISECOND);
    CHECK(time_of[2] < 1100 * KIT_MILLISECOND);
    end();
}
