/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of counting, idling, migration, hotplug, sleep, strays, stops and
 * unloads, by a seed that is printed.  XENOPROF_SEED=N runs that seed,
 * XENOPROF_ROUNDS=N runs so many.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pmu-kit.h"

#define PCPUS  3u
#define STEPS  300u
#define ROUNDS 400u

static uint64_t state;
static uint64_t held_since[PCPUS];
static bool with_ibs;
static struct kit_read read;

static uint32_t any(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) % below;
}

static bool one_in(uint32_t count)
{
    return !any(count);
}

static const uint32_t events[] = {
    0x2e, 0x41, 0xc0, 0x76, 0x100, 0x101, PROCESS_FETCHES, PROCESS_OPS};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static void do_count(void)
{
    unsigned int pcpu = any(PCPUS);

    if ( process_pcpu(pcpu)->online )
        process_count(pcpu, events[any(EVENTS)],
                      1 + any(one_in(4) ? 90000 : 900));
}

static void do_vcpu(void)
{
    unsigned int pcpu = any(PCPUS);

    if ( one_in(3) )
        process_set_idle(pcpu);
    else
        process_set_current(pcpu, 5, any(PCPUS));
}

/* One at least stays. */
static void do_online(void)
{
    unsigned int pcpu = 1 + any(PCPUS - 1);

    if ( !process_pcpu(pcpu)->online )
    {
        process_pcpu(pcpu)->online = true;
        return;
    }
    process_settle();
    process_set_offline(pcpu);
    process_pmu(pcpu)->entry = PROCESS_ENTRY_MASKED;
    for ( unsigned int i = 0; i < PROCESS_ENTRIES; i++ )
        process_pmu(pcpu)->extra[i] = 0x10000;
}

static bool has_overflowed(const struct process_pmu *pmu)
{
    for ( unsigned int i = 0; i < PROCESS_COUNTERS; i++ )
        if ( pmu->select[i] & 1u << 22 && !(pmu->counter[i] >> 47) )
            return true;
    return pmu->status || pmu->ibs[0].control & 1ul << 49 ||
           pmu->ibs[1].control & 1ul << 18;
}

/* An overflow that was not seen is lost with the registers. */
static void do_power(void)
{
    unsigned int pcpu = any(PCPUS);

    process_pcpu(pcpu)->hold_nmis = false;
    process_settle();
    if ( !process_host()->watchdog && process_pcpu(pcpu)->online &&
         !has_overflowed(process_pmu(pcpu)) )
        process_pmu_power(pcpu);
}

/* A processor holds an NMI back while it is in another, or in the firmware. */
static void end_long_holds(void)
{
    for ( unsigned int i = 0; i < PCPUS; i++ )
        if ( process_now() - held_since[i] > 50 * KIT_MILLISECOND )
        {
            process_pcpu(i)->hold_nmis = false;
            process_pcpu(i)->hold_softirqs &= !with_ibs;
        }
    process_settle();
}

static void do_hold(void)
{
    unsigned int index = any(PCPUS);
    struct process_pcpu *pcpu = process_pcpu(index);

    held_since[index] = process_now();
    pcpu->hold_nmis = !pcpu->hold_nmis && one_in(2);
    pcpu->hold_softirqs = !pcpu->hold_softirqs && one_in(4);
    /* What holds NMIs back holds ticks back, too.  An NMI that comes long after
     * a tick has cleared its cause is tried with counters only: a tag of IBS
     * that is under way is waited for no longer than 1 ms. */
    if ( with_ibs )
        pcpu->hold_softirqs |= pcpu->hold_nmis;
}

static void do_step(void)
{
    switch ( any(13) )
    {
    default: do_count(); break;
    case 0: do_vcpu(); break;
    case 1: do_hold(); break;
    case 2: process_settle(); break;
    case 3: process_pass(any(50000)); break;
    case 4:
        process_run_until(process_now() + any(12 * KIT_MILLISECOND));
        end_long_holds();
        break;
    case 5:
        if ( one_in(5) )
            do_online();
        break;
    case 6:
        if ( one_in(8) )
            do_power();
        break;
    case 7:
        process_pmu_count_at(1 + any(20), events[any(EVENTS)],
                             20000 + any(90000));
        break;
    case 8: kit_drain_all(&read); break;
    case 9: process_pmu(any(PCPUS))->ibs[any(2)].late = any(16); break;
    }
}

/* Some of them are refused: the set has that unit already. */
static void add_ibs(void)
{
    for ( unsigned int id = 6; id < 9; id++ )
        kit_command("event id=%u select=%s count=%u set=%u insist=1 ibs=%s", id,
                    id == 6 ? "80000" : "0",
                    one_in(5) ? 0 : 1600 + 16 * any(4000), any(3),
                    id == 8 ? "fetch" : "op");
}

static void begin(void)
{
    static const enum process_pmu_family families[] = {
        PROCESS_PMU_INTEL_V2, PROCESS_PMU_INTEL_V5, PROCESS_PMU_INTEL_V6,
        PROCESS_PMU_K7,       PROCESS_PMU_CORE,     PROCESS_PMU_PERFMON2,
        PROCESS_PMU_IBS,      PROCESS_PMU_IBS2};
    enum process_pmu_family family = families[any(8)];

    pmu_host(family, PCPUS);
    if ( one_in(3) )
        process_pmu_watchdog(500000);
    pmu_reserve();
    for ( unsigned int id = 0; id < 6; id++ )
        kit_command("event id=%u select=300%x count=%u set=%u insist=1%s", id,
                    events[id % 4], one_in(5) ? 0 : 1000 + any(50000), any(3),
                    one_in(4) && family <= PROCESS_PMU_INTEL_V6 ? " fixed=1"
                                                                : "");
    with_ibs = family > PROCESS_PMU_PERFMON2;
    if ( with_ibs )
        add_ibs();
}

/* What was held comes now; what an offline pCPU had counted it counted. */
static void release(void)
{
    process_pmu_count_at(0, 0, 0);
    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        process_pcpu(i)->online = true;
        process_pcpu(i)->hold_nmis = process_pcpu(i)->hold_softirqs = false;
    }
    process_settle();
}

static uint64_t late(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < PCPUS; i++ )
        sum += pmu_here(i)->late;
    return sum;
}

/* Units of IBS tag when they are being disabled, too. */
static uint64_t tags(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < PCPUS; i++ )
        sum += process_pmu(i)->tags;
    return sum;
}

static void run(void)
{
    uint64_t strays = 0;

    begin();
    if ( one_in(4) )
        do_online();
    if ( kit_command("start") )
        return;
    for ( unsigned int step = 0; step < STEPS; step++ )
        do_step();
    release();
    /* All have their last overflow behind them, and what may follow it. */
    process_run_until(process_now() + 1200 * KIT_MILLISECOND);
    /* Behind each turn of IBS one may follow. */
    if ( one_in(2) && process_pmu_family() <= PROCESS_PMU_PERFMON2 )
    {
        process_pmu_stray(0);
        process_settle();
        strays = 1;
    }
    if ( one_in(4) )
    {
        core_unload();
        pmu_check_silent();
        return;
    }
    if ( one_in(2) )
        process_pmu_count_at(1 + any(30), events[any(EVENTS)], 100000);
    CHECK(late() <= pmu_overflows() + tags());
    pmu_stop_and_check(strays);
}

TEST(pmu_random_programs)
{
    const char *seed = getenv("XENOPROF_SEED");
    const char *rounds = getenv("XENOPROF_ROUNDS");
    uint64_t count = seed     ? 1
                     : rounds ? strtoull(rounds, NULL, 10)
                              : ROUNDS / test_share();

    for ( uint64_t i = 0; i < count; i++ )
    {
        uint64_t one = seed ? strtoull(seed, NULL, 10) : i + 1;

        state = one * 0x9e3779b97f4a7c15ul | 1;
        printf("# seed %llu\n", (unsigned long long)one);
        run();
    }
}
