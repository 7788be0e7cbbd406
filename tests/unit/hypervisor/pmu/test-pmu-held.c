/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of NMIs that are held up: by firmware, or by a host below.  Each for
 * 0 to 200 ms, at any access to a register or look at the clock, before the
 * first or after the last; in all families, with one to eight events, one set
 * or several, with and without Xen's watchdog, and with NMIs of others between.
 *
 * XENOPROF_SEED=N runs that seed, XENOPROF_OVERFLOWS=N runs seeds until the
 * counters have overflowed so often, and prints what became of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pmu-kit.h"

#define PCPUS     2u
#define EVENTS    8u
#define STEPS     2000u
#define LONGEST   (200 * KIT_MILLISECOND)
#define OVERFLOWS 60000ul

static uint64_t state;
static unsigned int events, sets;
static bool counts_on; /* what is held up counts on */

/* Of all seeds so far, by family, and of the one that runs. */
static struct sums {
    uint64_t overflows, made, missed, taken, claimed, late, watchdogs;
    uint64_t foreign, foreign_passed, held;
} all[PROCESS_PMU_FAMILIES], *sums;

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

static const uint32_t codes[EVENTS] = {0x2e, 0x41, 0xc0, 0x76,
                                       0x2f, 0x42, 0xc1, 0x77};

/* So many that about one counter in a few overflows. */
static void count_any(unsigned int pcpu)
{
    process_count(pcpu, codes[any(events)], 1 + any(30000));
    if ( one_in(8) )
        process_count(pcpu, 0x76, 1 + any(30000));
}

/* Once in a handler or so. */
static void hold(unsigned int pcpu)
{
    if ( !one_in(16) )
        return;
    sums->held++;
    process_pass(any(4) ? any(2 * KIT_MILLISECOND) : any(LONGEST));
    if ( counts_on && one_in(2) )
        count_any(pcpu);
}

static enum process_pmu_family choose_family(void)
{
    static const enum process_pmu_family families[] = {
        PROCESS_PMU_INTEL_V2, PROCESS_PMU_INTEL_V5, PROCESS_PMU_INTEL_V6,
        PROCESS_PMU_K7,       PROCESS_PMU_CORE,     PROCESS_PMU_PERFMON2,
        PROCESS_PMU_IBS,      PROCESS_PMU_IBS2};

    return families[any(8)];
}

/* Those that do not fit into their set are refused. */
static void begin(void)
{
    enum process_pmu_family family = choose_family();

    sums = &all[family];
    pmu_host(family, PCPUS);
    if ( one_in(3) )
        process_pmu_watchdog(500000);
    pmu_reserve();
    events = 1 + any(EVENTS);
    sets = 1 + any(3);
    for ( unsigned int id = 0; id < events; id++ )
        kit_command("event id=%u select=300%x count=%u set=%u insist=1", id,
                    codes[id], 1000 + any(50000), id % sets);
    if ( family > PROCESS_PMU_PERFMON2 && one_in(2) )
        kit_command("event id=%u select=0 count=%u set=0 insist=1 ibs=op",
                    EVENTS, 1600 + 16 * any(4000));
    counts_on = one_in(2);
    kit_done("start");
    process_host()->held = hold;
}

/* One of somebody else's comes when no other is on its way.  Whether it is the
 * one that may follow nothing says, but the board on pCPU 0. */
static void do_foreign(unsigned int pcpu)
{
    uint64_t passed;

    process_pmu_count_at(0, 0, 0);
    process_settle();
    passed = pmu_leaked();
    process_host()->held = NULL;
    process_host()->port_61 = 0x80;
    process_pmu_stray(pcpu);
    process_settle();
    process_host()->port_61 = 0;
    process_host()->held = hold;
    sums->foreign++;
    sums->foreign_passed += pmu_leaked() - passed;
    CHECK(pcpu || pmu_leaked() == passed + 1);
}

static void do_step(void)
{
    unsigned int pcpu = any(PCPUS);

    switch ( any(12) )
    {
    default:
        count_any(pcpu);
        process_settle();
        break;
    case 0: process_pass(any(50000)); break;
    case 1: process_run_until(process_now() + any(12 * KIT_MILLISECOND)); break;
    case 2:
        process_pmu_count_at(1 + any(20), codes[any(events)],
                             20000 + any(90000));
        break;
    case 3:
        if ( one_in(8) )
            do_foreign(pcpu);
        break;
    case 4: process_count(pcpu, PROCESS_OPS, 1 + any(60000)); break;
    }
}

static void add_sums(void)
{
    const struct xenoprof_status_page *status = kit_status();

    sums->overflows += pmu_overflows();
    sums->made += status->counters.made;
    sums->missed += status->counters.missed + status->counters.idle;
    sums->late += status->late;
    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        sums->claimed += process_pcpu(i)->nmis_claimed;
        sums->taken += process_pcpu(i)->nmis_claimed +
                       process_pcpu(i)->nmis_passed;
        sums->watchdogs += process_pmu(i)->ticks;
    }
}

/* Every overflow is a sample or was missed, and no NMI of ours leaks. */
static void run(uint64_t seed)
{
    uint64_t passed;

    state = seed * 0x9e3779b97f4a7c15ul | 1;
    printf("# seed %llu\n", (unsigned long long)seed);
    begin();
    passed = sums->foreign_passed;
    for ( unsigned int step = 0; step < STEPS; step++ )
        do_step();
    process_pmu_count_at(one_in(2) ? 1 + any(30) : 0, codes[any(events)],
                         100000);
    pmu_stop_and_check(sums->foreign_passed - passed);
    add_sums();
}

static void print(const char *name, const struct sums *one)
{
    printf("# %s: overflows %lu = samples %lu + missed %lu; NMIs %lu = claimed "
           "%lu (%lu without a cause) + the watchdog's %lu + of others %lu of "
           "%lu; held up %lu times\n",
           name, one->overflows, one->made, one->missed, one->taken,
           one->claimed, one->late, one->watchdogs, one->foreign_passed,
           one->foreign, one->held);
}

static uint64_t overflows(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < PROCESS_PMU_FAMILIES; i++ )
        sum += all[i].overflows;
    return sum;
}

TEST(pmu_handlers_that_are_held_up)
{
    const char *seed = getenv("XENOPROF_SEED");
    const char *wanted = getenv("XENOPROF_OVERFLOWS");
    uint64_t least = seed     ? 1
                     : wanted ? strtoull(wanted, NULL, 10)
                              : OVERFLOWS / test_share();
    uint64_t one = seed ? strtoull(seed, NULL, 10) : 1;

    memset(all, 0, sizeof(all));
    do
        run(one++);
    while ( overflows() < least );
    for ( unsigned int i = 0; i < PROCESS_PMU_FAMILIES; i++ )
        if ( all[i].taken )
        {
            print(pmu_family_name(i), &all[i]);
            CHECK_EQ(all[i].overflows, all[i].made + all[i].missed);
            CHECK_EQ(all[i].taken,
                     all[i].claimed + all[i].watchdogs + all[i].foreign_passed);
        }
}

/* The least of it: the second overflow is found by the first one's handler, in
 * which the clock moves. */
TEST(pmu_nmi_that_finds_nothing_after_a_slow_one)
{
    pmu_host(PROCESS_PMU_PERFMON2, 2);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=20000");
    kit_done("event id=1 select=300c0 count=100000");
    kit_done("start");
    process_host()->call_cost = 600000;
    for ( unsigned int i = 0; i < 100; i++ )
    {
        process_count(0, PMU_MISSES, 20000);
        process_pmu_count_at(1, 0xc0, 100000);
        process_settle();
    }
    CHECK_EQ(pmu_overflows(), 200);
    CHECK_EQ(pmu_here(0)->late, 100);
    pmu_stop_and_check(0);
}
