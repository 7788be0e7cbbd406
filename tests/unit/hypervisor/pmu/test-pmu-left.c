/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pCPU that is offline at a stop, and comes back. */
#include "pmu-kit.h"

static const enum process_pmu_family families[] = {
    PROCESS_PMU_INTEL_V2, PROCESS_PMU_INTEL_V5, PROCESS_PMU_K7,
    PROCESS_PMU_CORE, PROCESS_PMU_PERFMON2};

#define FAMILIES (sizeof(families) / sizeof(*families))

static void go_offline(unsigned int pcpu)
{
    process_set_idle(pcpu);
    process_set_offline(pcpu);
    process_pmu(pcpu)->entry = PROCESS_ENTRY_MASKED;
}

static void come_back(unsigned int pcpu)
{
    process_pcpu(pcpu)->online = true;
    process_set_current(pcpu, 5, pcpu);
}

/* Two counters of pCPU 1 are left behind. */
static void leave(enum process_pmu_family family)
{
    pmu_host(family, 2);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=20000");
    kit_done("event id=1 select=300c0 count=100000");
    kit_done("start");
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    go_offline(1);
    kit_done("stop");
    process_settle();
    kit_done("reset");
    CHECK(process_pmu(1)->select[0] && process_pmu(1)->select[1]);
}

TEST(pmu_counters_that_were_left_are_cleared_by_the_next_session)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        leave(families[i]);
        come_back(1);
        process_host()->logs = 0;
        pmu_reserve();
        /* Nobody's, so they are there for this one. */
        CHECK_EQ(process_host()->logs, 0);
        CHECK(!process_pmu(1)->select[0] && !process_pmu(1)->counter[0]);
        CHECK(!process_pmu(1)->select[1] && !process_pmu(1)->counter[1]);
        kit_done("event id=0 select=3002e count=20000");
        kit_done("event id=1 select=300c0 count=100000");
    }
}

/* The pCPU comes back between reserve and start of a session that counts
 * something else: what was left makes no NMI that nobody knows. */
TEST(pmu_counters_that_were_left_are_cleared_by_start)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        leave(families[i]);
        pmu_reserve();
        kit_done("event id=0 select=3002e count=20000");
        come_back(1);
        kit_done("start");
        process_run_until(process_now() + 50 * KIT_MILLISECOND);
        CHECK(!process_pmu(1)->select[1] && !process_pmu(1)->counter[1]);
        for ( unsigned int j = 0; j < 10; j++ )
        {
            process_count(1, 0xc0, 100000);
            process_count(1, PMU_MISSES, 20000);
            process_settle();
            process_pass(100000);
        }
        CHECK_EQ(pmu_leaked(), 0);
        CHECK_EQ(kit_command("stop"), 0);
        process_settle();
        pmu_check_silent();
        CHECK_EQ(kit_status()->counters.made, 10);
    }
}

/* Meanwhile somebody else has the counter: it is theirs. */
TEST(pmu_counter_that_was_left_and_is_taken_stays)
{
    leave(PROCESS_PMU_CORE);
    process_pmu(1)->select[0] = 0x4300c1;
    process_pmu(1)->counter[0] = 7;
    come_back(1);
    pmu_reserve();
    CHECK_EQ(process_pmu(1)->select[0], 0x4300c1);
    CHECK_EQ(process_pmu(1)->counter[0], 7);
    CHECK_EQ(process_pmu(1)->select[1], 0);
}
