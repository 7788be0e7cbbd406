/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pmu-kit.h"

static struct {
    uint64_t enabled[PMU_EVENTS], running[PMU_EVENTS];
    unsigned int records;
} said[3]; /* of each pCPU */

static void take(const struct xenoprof_counted *counted)
{
    CHECK(counted->pcpu < 3);
    said[counted->pcpu].enabled[counted->event] += counted->enabled;
    said[counted->pcpu].running[counted->event] += counted->running;
    said[counted->pcpu].records++;
}

static struct kit_read read = {.each_counted = take};

static void begin(unsigned int pcpus, unsigned int sets)
{
    memset(said, 0, sizeof(said));
    pmu_host(PROCESS_PMU_CORE, pcpus);
    pmu_reserve();
    for ( unsigned int i = 0; i < sets; i++ )
        CHECK_EQ(kit_command("event id=%u select=300%x count=20000 set=%u", i,
                             0x40 + i, i),
                 0);
    kit_done("start");
}

static void run_ms(unsigned int ms)
{
    process_run_until(process_now() + ms * KIT_MILLISECOND);
}

static void end(void)
{
    kit_done("stop");
    process_settle();
    kit_drain_all(&read);
}

static bool is_about(uint64_t value, uint64_t ms, uint64_t most_off)
{
    return value + most_off * KIT_MILLISECOND >= ms * KIT_MILLISECOND &&
           value <= (ms + most_off) * KIT_MILLISECOND;
}

TEST(pmu_one_set_is_counted_all_the_time)
{
    begin(1, 1);
    run_ms(3500);
    end();
    CHECK(is_about(said[0].enabled[0], 3500, 25));
    CHECK_EQ(said[0].running[0], said[0].enabled[0]);
    /* Once a second, and at the stop. */
    CHECK(said[0].records >= 4 && said[0].records <= 5);
}

TEST(pmu_sets_share_the_time)
{
    begin(2, 3);
    run_ms(3000);
    end();
    for ( unsigned int pcpu = 0; pcpu < 2; pcpu++ )
    {
        uint64_t sum = 0;

        for ( unsigned int i = 0; i < 3; i++ )
        {
            CHECK_EQ(said[pcpu].enabled[i], said[pcpu].enabled[0]);
            CHECK(is_about(said[pcpu].running[i], 1000, 200));
            sum += said[pcpu].running[i];
        }
        /* No time is of two sets, and none of no set. */
        CHECK_EQ(sum, said[pcpu].enabled[0]);
    }
}

/* pCPU 1 works for 2 ms of each 50, and its ticks park in between: the set that
 * is armed then counts the bursts, and none counts sleep. */
TEST(pmu_idle_time_is_not_counted)
{
    begin(2, 2);
    process_set_idle(1);
    for ( unsigned int i = 0; i < 60; i++ )
    {
        run_ms(48);
        process_set_current(1, 5, 1);
        run_ms(2);
        process_set_idle(1);
    }
    process_set_current(1, 5, 1);
    run_ms(30);
    end();
    CHECK(is_about(said[0].enabled[0], 3030, 25));
    CHECK(is_about(said[1].enabled[0], 60 * 2 + 30, 25));
    CHECK_EQ(said[1].running[0] + said[1].running[1], said[1].enabled[0]);
}

TEST(pmu_offline_pcpu_counts_nothing)
{
    begin(3, 2);
    run_ms(1000);
    process_set_idle(1);
    process_set_offline(1);
    process_pmu_power(1);
    run_ms(2000);
    process_pcpu(1)->online = true;
    process_set_current(1, 5, 1);
    run_ms(1000);
    end();
    CHECK(is_about(said[0].enabled[0], 4000, 25));
    CHECK(is_about(said[1].enabled[0], 2000, 50));
    /* Its registers were lost: what was armed is not taken for counting. */
    CHECK(said[1].running[0] + said[1].running[1] <= said[1].enabled[0]);
    CHECK(is_about(said[1].running[0] + said[1].running[1], 2000, 70));
}

TEST(pmu_counter_that_is_stopped_is_not_counted)
{
    begin(1, 1);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        /* Every other time faster than can be borne. */
        for ( unsigned int j = 0; j < 20 && i & 1; j++ )
        {
            process_count(0, 0x40, 20000);
            process_settle();
        }
        run_ms(10);
    }
    end();
    CHECK_EQ(pmu_here(0)->throttled, 50);
    CHECK(is_about(said[0].enabled[0], 1000, 25));
    CHECK(is_about(said[0].running[0], 500, 30));
}

/* What a full ring refuses is said when there is room. */
TEST(pmu_time_that_finds_no_room_is_said_later)
{
    uint64_t seen;

    begin(1, 1);
    run_ms(1500);
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        process_count(0, 0x40, 20000);
        process_settle();
        process_pass(100000);
    }
    run_ms(2000);
    seen = pmu_here(0)->enabled[0];
    CHECK(seen > 2000 * KIT_MILLISECOND);
    kit_drain_all(&read);
    end();
    CHECK(is_about(said[0].enabled[0], 3600, 30));
    CHECK_EQ(said[0].running[0], said[0].enabled[0]);
}
