/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What registers were before a session they are after it, bit by bit, from any
 * beginning.  XENOPROF_SEED=N runs that seed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pmu-kit.h"

#define PCPUS  3u
#define ROUNDS 2000u

#define ENABLE (1u << 22)

static uint64_t state;
static struct process_pmu before[PCPUS];

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static bool one_in(uint32_t count)
{
    return (any() >> 20) % count == 0;
}

/* An interrupt of somebody else's, or what is masked. */
static uint32_t any_entry(bool masked)
{
    return (any() & 0x1ffff & ~0x1000u) | (masked ? PROCESS_ENTRY_MASKED : 0);
}

static void begin_anyhow(struct process_pmu *pmu, bool watchdog)
{
    for ( unsigned int i = watchdog; i < PROCESS_COUNTERS; i++ )
    {
        pmu->select[i] = any() & 0xff87ffff & ~ENABLE;
        pmu->counter[i] = any() >> 16;
    }
    /* All but the first two fixed counters are somebody else's. */
    pmu->fixed_control = any() & 0xff00;
    pmu->control = any() | watchdog;
    if ( !watchdog )
        pmu->entry = any_entry(one_in(2));
    for ( unsigned int i = 0; i < PROCESS_ENTRIES; i++ )
        pmu->extra[i] = any_entry(i == 1);
    pmu->ibs[0].control = any() & 0xffff;
    pmu->ibs[1].control = any() & 0xffff;
}

/* What counted is zero, or as it was. */
static void check_pcpu(const struct process_pmu *now,
                       const struct process_pmu *was)
{
    for ( unsigned int i = 0; i < PROCESS_COUNTERS; i++ )
    {
        CHECK_EQ(now->select[i], was->select[i]);
        if ( i || !process_host()->watchdog )
            CHECK(!now->counter[i] || now->counter[i] == was->counter[i]);
    }
    CHECK_EQ(now->fixed_control, was->fixed_control);
    CHECK_EQ(now->control, was->control);
    CHECK_EQ(now->entry, was->entry);
    for ( unsigned int i = 0; i < PROCESS_ENTRIES; i++ )
        CHECK_EQ(now->extra[i], was->extra[i]);
    for ( unsigned int i = 0; i < PROCESS_TAGGED; i++ )
        CHECK_EQ(now->ibs[i].control, was->ibs[i].control);
}

/* The last sets of some come before the end, and so do their ticks. */
static void count(void)
{
    for ( unsigned int i = 0; i < 60; i++ )
    {
        for ( unsigned int pcpu = 0; pcpu < PCPUS; pcpu++ )
            if ( process_pcpu(pcpu)->online )
                process_count(pcpu, PMU_MISSES, 9000);
        process_run_until(process_now() + KIT_MILLISECOND);
    }
}

/* Two counters, a fixed one and a unit of IBS, where they are, in two sets. */
static void ask(void)
{
    pmu_reserve();
    kit_done("event id=0 select=3002e count=20000");
    kit_command("event id=1 select=300c0 count=100000 set=1");
    kit_command("event id=2 select=30000 count=100000 fixed=0 set=1");
    kit_command("event id=3 select=0 count=100000 ibs=op set=1");
    kit_command("event id=4 select=30041 count=20000 set=1");
}

static void go_offline(unsigned int pcpu)
{
    process_settle();
    process_set_offline(pcpu);
    process_pmu(pcpu)->entry = PROCESS_ENTRY_MASKED;
    for ( unsigned int i = 0; i < PROCESS_ENTRIES; i++ )
        process_pmu(pcpu)->extra[i] = PROCESS_ENTRY_MASKED;
}

/* pCPU 2 is offline when it begins, or ends. */
static void run(enum process_pmu_family family)
{
    bool watchdog = one_in(2);

    pmu_host(family, PCPUS);
    if ( watchdog )
        process_pmu_watchdog(1000000);
    for ( unsigned int i = 0; i < PCPUS; i++ )
        begin_anyhow(process_pmu(i), watchdog);
    if ( one_in(3) )
        go_offline(2);
    for ( unsigned int i = 0; i < PCPUS; i++ )
        before[i] = *process_pmu(i);
    ask();
    kit_done("start");
    count();
    process_pcpu(2)->online = true;
    count();
    if ( one_in(2) )
        core_unload();
    else
        kit_done("stop");
    process_settle();
    for ( unsigned int i = 0; i < PCPUS; i++ )
        check_pcpu(process_pmu(i), &before[i]);
}

TEST(pmu_registers_are_as_they_were_found)
{
    static const enum process_pmu_family families[] = {
        PROCESS_PMU_INTEL_V2, PROCESS_PMU_INTEL_V5, PROCESS_PMU_INTEL_V6,
        PROCESS_PMU_K7,       PROCESS_PMU_CORE,     PROCESS_PMU_PERFMON2,
        PROCESS_PMU_IBS,      PROCESS_PMU_IBS2};
    const char *seed = getenv("XENOPROF_SEED");
    uint64_t count = seed ? 1 : ROUNDS / test_share();

    for ( uint64_t i = 0; i < count; i++ )
    {
        uint64_t one = seed ? strtoull(seed, NULL, 10) : i + 1;

        state = one * 0x9e3779b97f4a7c15ul | 1;
        printf("# seed %llu\n", (unsigned long long)one);
        run(families[any() >> 20 & 7]);
    }
}

/* What was found on a pCPU that is offline at the stop comes with the next
 * session. */
TEST(pmu_registers_of_a_pcpu_that_comes_back_are_as_they_were)
{
    pmu_host(PROCESS_PMU_PERFMON2, PCPUS);
    state = 1;
    begin_anyhow(process_pmu(2), false);
    before[2] = *process_pmu(2);
    ask();
    kit_done("start");
    count();
    go_offline(2);
    kit_done("stop");
    process_settle();
    kit_done("reset");
    process_pcpu(2)->online = true;
    ask();
    before[2].entry = process_pmu(2)->entry;
    memcpy(before[2].extra, process_pmu(2)->extra, sizeof(before[2].extra));
    check_pcpu(process_pmu(2), &before[2]);
}
