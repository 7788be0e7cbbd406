/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times on a host whose clock is as wrong about the past as the versions of Xen
 * are, and a whole session on it.
 */
#include <string.h>

#include "core-kit.h"
#include "hypervisor/clock.h"

#define HOURS 3600ul

static const struct version {
    const char *name;
    enum process_clock clock;
} versions[] = {
    {"4.17, 4.18, 4.19.4, 4.20.2, 4.21.0", PROCESS_CLOCK_UNSIGNED},
    {"4.19.5, 4.20.3, 4.21.1, 4.22", PROCESS_CLOCK_SIGNED},
};

static void check_near(uint64_t got, uint64_t wanted, uint64_t by)
{
    if ( got + by < wanted || got > wanted + by )
        test_fail(__FILE__, __LINE__, "%lu is not within %lu of %lu", got, by,
                  wanted);
}

static uint64_t scale(void)
{
    return clock_scale(clock_millisecond());
}

/* The clock itself is wrong here, so that a wrong answer would show. */
TEST(clock_before_the_calibration)
{
    struct clock_now now;
    uint64_t ticks, then;

    process_reset(1);
    process_host()->clock = PROCESS_CLOCK_UNSIGNED;
    process_pass(KIT_SECOND);
    ticks = port_ticks();
    then = process_now();
    process_pass(500);
    process_calibrate(0);
    process_pass(500);
    clock_read(&now, 0, scale());
    CHECK(port_time_ahead(ticks) > 100 * 365 * 24 * HOURS * KIT_SECOND);
    check_near(clock_time_at(&now, ticks), then, 2);
}

TEST(clock_long_before_now)
{
    for ( unsigned int i = 0; i < sizeof(versions) / sizeof(*versions); i++ )
    {
        struct clock_now now;
        uint64_t ticks, then;

        process_reset(1);
        process_host()->clock = versions[i].clock;
        ticks = port_ticks();
        then = process_now();
        process_pass(40 * KIT_SECOND);
        process_commit(0);
        clock_read(&now, 0, scale());
        check_near(clock_time_at(&now, ticks), then, 20);
    }
}

TEST(clock_after_now_was_read)
{
    struct clock_now now;
    uint64_t ticks;

    process_reset(1);
    clock_read(&now, 0, scale());
    process_pass(700);
    ticks = port_ticks();
    process_pass(700);
    CHECK_EQ(clock_time_at(&now, ticks), process_now() - 700);
}

/* As a resume from S3 does, between the halves of a sample. */
TEST(clock_whose_counter_was_set)
{
    static const uint64_t set[] = {0, 1, 5000000000, 1ul << 63, -5ul};

    for ( unsigned int i = 0; i < sizeof(set) / sizeof(*set); i++ )
    {
        struct clock_now now;
        uint64_t ticks, then;

        process_reset(1);
        process_host()->clock = PROCESS_CLOCK_UNSIGNED;
        ticks = port_ticks();
        then = process_now();
        process_set_ticks(0, set[i]);
        process_pass(10);
        clock_read(&now, then, scale());
        CHECK(clock_time_at(&now, ticks) >= then);
        CHECK(clock_time_at(&now, ticks) <= process_now());
        CHECK(clock_time_at(&now, 0) >= then);
        CHECK(clock_time_at(&now, 0) <= process_now());
        CHECK(clock_time_at(&now, -1ul) >= then);
        CHECK(clock_time_at(&now, -1ul) <= process_now());
    }
}

TEST(clock_is_never_before_the_start)
{
    struct clock_now now;
    uint64_t ticks;

    process_reset(1);
    ticks = port_ticks();
    process_pass(5000);
    clock_read(&now, process_now() - 1000, scale());
    CHECK_EQ(clock_time_at(&now, ticks), process_now() - 1000);
    /* It started on a pCPU whose clock is ahead of this one's. */
    clock_read(&now, process_now() + 10, scale());
    CHECK_EQ(clock_time_at(&now, ticks), process_now() + 10);
}

TEST(clock_spans)
{
    uint64_t millisecond = 3000000, scale = clock_scale(millisecond);

    process_reset(1);
    check_near(clock_millisecond(), millisecond, 1);
    CHECK_EQ(clock_span(0, scale), 0);
    CHECK_EQ(clock_span(3, scale), 1);
    CHECK_EQ(clock_span(millisecond, scale), KIT_MILLISECOND);
    CHECK_EQ(clock_span(1000 * millisecond, scale), KIT_SECOND);
    CHECK_EQ(clock_span(1000 * millisecond + 3, scale), 0);
    CHECK_EQ(clock_span(-3ul, scale), 0);
    CHECK_EQ(clock_span(-1ul, clock_scale(1ul << 40)), 0);
    CHECK_EQ(clock_span(-1ul, -1ul), 0);
    CHECK_EQ(clock_scale(0), 0);
    CHECK_EQ(clock_span(5, 0), 0);
}

/* By the rate, and beyond a millisecond by the clock: about the same. */
TEST(clock_a_while_before_now)
{
    for ( uint64_t ns = 1; ns < 100 * KIT_MILLISECOND; ns += ns / 3 + 1 )
    {
        struct clock_now now;
        uint64_t ticks, then;

        process_reset(1);
        process_pass(KIT_SECOND / 2);
        ticks = port_ticks();
        then = process_now();
        process_pass(ns);
        clock_read(&now, 0, scale());
        check_near(clock_time_at(&now, ticks), then, 1);
        /* Without a rate, as well. */
        clock_read(&now, 0, 0);
        check_near(clock_time_at(&now, ticks), then, 1);
    }
}

static uint64_t wrong_times;

static void look_at_time(const struct kit_sample *sample)
{
    wrong_times += sample->sample.time < kit_status()->started ||
                   sample->sample.time > process_now();
}

static void begin(enum process_clock clock, unsigned int pcpus,
                  struct kit_read *read)
{
    memset(read, 0, sizeof(*read));
    read->each = look_at_time;
    wrong_times = 0;
    process_reset(pcpus);
    process_host()->clock = clock;
    process_host()->call_cost = 5000;
    process_set_current(0, 5, 0);
    process_set_current(1, 5, 1);
    kit_done("reserve sampler=nmi frequency=97 mask=0 pages=16 queue=0 "
             "lease=0 budget=250");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("start");
}

/* Of each half and tick, what is between its first and its last look at the
 * counter. */
static uint64_t cost(void)
{
    uint64_t spans = 0;

    for ( unsigned int i = 0; i < 2; i++ )
        spans += process_pcpu(i)->ticks + 2 * process_pcpu(i)->nmis_claimed;
    return (process_host()->looks - spans) * process_host()->call_cost;
}

static void run_for(unsigned long seconds, struct kit_read *read)
{
    for ( unsigned long second = 0; second < seconds; second++ )
    {
        process_run_until(process_now() + KIT_SECOND);
        kit_drain_all(read);
        if ( kit_status()->slowed )
            test_fail(
                __FILE__, __LINE__, "%u Hz after %lu s, with a cost of %lu ns",
                kit_status()->frequency, second, kit_status()->counters.cost);
    }
}

/* What NMIs spend on an idle pCPU is counted when it wakes up: more than has
 * gone by since its clock was calibrated. */
TEST(clock_of_a_pcpu_that_slept)
{
    struct kit_read read;
    uint64_t before;

    begin(PROCESS_CLOCK_UNSIGNED, 3, &read);
    process_host()->calibrates_last = true;
    run_for(HOURS / test_share(), &read);
    before = kit_status()->counters.cost;
    process_calibrate(2);
    process_set_current(2, 5, 0);
    run_for(1, &read);
    CHECK(kit_status()->counters.cost - before < KIT_SECOND);
    kit_done("stop");
}

/* In Xen's own order of softirqs; the test below has the other one. */
TEST(clock_is_not_calibrated_between_the_halves)
{
    struct kit_read read;

    begin(PROCESS_CLOCK_UNSIGNED, 2, &read);
    process_host()->calibrates_last = true;
    run_for(2 * HOURS / test_share(), &read);
    kit_done("stop");
    CHECK(kit_status()->counters.committed >
          2 * 97 * 2 * HOURS / test_share() - 1000);
    CHECK_EQ(kit_status()->calibrated, 0);
}

TEST(clock_of_each_version_for_two_hours)
{
    /* In gcc's build; half an hour in others, as a calibration between the
     * halves of a sample is rare. */
    const unsigned int share = test_share() > 2 ? 4 : 1;

    for ( unsigned int i = 0; i < sizeof(versions) / sizeof(*versions); i++ )
    {
        struct kit_read read;

        begin(versions[i].clock, 2, &read);
        run_for(2 * HOURS / share, &read);
        CHECK_EQ(kit_status()->frequency, 97);
        check_near(kit_status()->counters.cost, cost(), cost() / 20);
        kit_done("stop");
        kit_drain_all(&read);
        CHECK(read.samples > 2 * 97 * 2 * HOURS / share - 1000);
        CHECK_EQ(wrong_times, 0);
        CHECK(kit_status()->calibrated > 0);
        kit_check_sums();
        kit_done("reset");
    }
}
