/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pmu-kit.h"

static const enum process_pmu_family families[] = {
    PROCESS_PMU_INTEL_V2, PROCESS_PMU_INTEL_V5, PROCESS_PMU_INTEL_V6,
    PROCESS_PMU_K7,       PROCESS_PMU_CORE,     PROCESS_PMU_PERFMON2};

#define FAMILIES (sizeof(families) / sizeof(*families))

static void begin(enum process_pmu_family family, bool watchdog)
{
    pmu_host(family, 2);
    if ( watchdog )
        process_pmu_watchdog(1000000);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=20000");
}

static void count(unsigned int pcpu, uint32_t event, uint64_t n, unsigned times)
{
    while ( times-- )
    {
        process_count(pcpu, event, n);
        process_settle();
        process_pass(100000);
    }
}

TEST(pmu_samples_each_overflow)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("start");
        count(0, PMU_MISSES, 100, 10000);
        CHECK_EQ(pmu_overflows(), 50);
        CHECK_EQ(process_pmu(0)->interrupts, 50);
        CHECK_EQ(process_pcpu(0)->nmis_claimed, 50);
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->counters.made, 50);
    }
}

static struct xenoprof_event seen;

static void look_at_event(const struct kit_sample *sample)
{
    CHECK(sample->sample.head.parts & XENOPROF_PART_EVENT);
    CHECK_EQ(sample->sample.weight, 1);
    seen = sample->event;
}

TEST(pmu_samples_say_what_was_counted)
{
    struct kit_read read = {.each = look_at_event};

    begin(PROCESS_PMU_CORE, false);
    kit_done("event id=7 select=300c0 count=100000");
    kit_done("start");
    count(1, PMU_MISSES, 20000, 1);
    kit_drain_all(&read);
    CHECK_EQ(read.samples, 1);
    CHECK_EQ(seen.event, 0);
    CHECK_EQ(seen.count, 20000);
    count(1, 0xc0, 100000, 1);
    kit_drain_all(&read);
    CHECK_EQ(seen.event, 7);
    CHECK_EQ(seen.count, 100000);
    pmu_stop_and_check(0);
}

TEST(pmu_two_overflows_in_one_nmi)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("event id=1 select=300c0 count=100000");
        kit_done("start");
        for ( unsigned int j = 0; j < 100; j++ )
        {
            process_pcpu(0)->hold_nmis = true;
            process_count(0, PMU_MISSES, 20000);
            process_count(0, 0xc0, 100000);
            process_pcpu(0)->hold_nmis = false;
            process_settle();
            process_pass(100000);
        }
        CHECK_EQ(pmu_overflows(), 200);
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->counters.made, 200);
    }
}

/* The second counter overflows while the first one's NMI is handled, and is
 * found by it: its own NMI finds nothing. */
TEST(pmu_nmi_that_finds_nothing)
{
    begin(PROCESS_PMU_CORE, false);
    kit_done("event id=1 select=300c0 count=100000");
    kit_done("start");
    for ( unsigned int j = 0; j < 100; j++ )
    {
        process_count(0, PMU_MISSES, 20000);
        process_pmu_count_at(1, 0xc0, 100000);
        process_settle();
        process_pass(100000);
    }
    CHECK_EQ(pmu_overflows(), 200);
    CHECK_EQ(process_pcpu(0)->nmis_claimed, 200);
    CHECK_EQ(pmu_here(0)->late, 100);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->late, 100);
    CHECK_EQ(kit_status()->counted[0], 100 * 20000);
    CHECK_EQ(kit_status()->counted[1], 100 * 100000);
    CHECK_EQ(kit_status()->counters.made, 200);
}

/* What would be swallowed may be an error of the board's, which it says.  The
 * port is read for nothing else, and where such NMIs come. */
TEST(pmu_passes_on_what_the_board_says)
{
    for ( unsigned int pcpu = 0; pcpu < 2; pcpu++ )
    {
        begin(PROCESS_PMU_CORE, false);
        kit_done("event id=1 select=300c0 count=100000");
        kit_done("start");
        count(pcpu, PMU_MISSES, 20000, 1);
        CHECK_EQ(process_host()->port_61_looks, 0);
        for ( unsigned int bits = 0x40; bits <= 0x80; bits *= 2 )
        {
            process_host()->port_61 = bits | 0x2c;
            process_pmu_stray(pcpu);
            process_settle();
        }
        CHECK_EQ(process_pcpu(0)->nmis_passed, pcpu ? 0 : 2);
        CHECK_EQ(process_host()->port_61_looks, pcpu ? 0 : 2);
        process_host()->port_61 = 0x2c;
        count(pcpu, PMU_MISSES, 20000, 1);
        process_pmu_stray(pcpu);
        process_settle();
        CHECK_EQ(pmu_here(pcpu)->late, pcpu ? 2 : 1);
        pmu_stop_and_check(pcpu ? 1 : 2);
    }
}

TEST(pmu_passes_on_what_is_not_ours)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("start");
        process_pmu_stray(0);
        process_settle();
        CHECK_EQ(process_pcpu(0)->nmis_passed, 1);
        count(0, PMU_MISSES, 20000, 1);
        process_pass(200 * KIT_MILLISECOND);
        process_pmu_stray(0);
        process_settle();
        CHECK_EQ(process_pcpu(0)->nmis_passed, 2);
        CHECK_EQ(process_pcpu(0)->nmis_claimed, 1);
        pmu_stop_and_check(2);
    }
}

TEST(pmu_beside_the_watchdog)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], true);
        kit_done("start");
        for ( unsigned int j = 0; j < 10000; j++ )
        {
            process_count(0, PMU_CYCLES_AMD, 1000);
            process_count(0, PMU_MISSES, 500);
            if ( j % 3 )
                process_settle();
            process_pass(100000);
        }
        process_settle();
        CHECK(process_pmu(0)->ticks >= 9 && process_pmu(0)->ticks <= 10);
        CHECK_EQ(process_pmu(0)->starved, 0);
        pmu_stop_and_check(0);
        CHECK(kit_status()->counters.made >= 240);
        CHECK(process_pmu(0)->select[0]);
    }
}

TEST(pmu_idle_is_missed)
{
    begin(PROCESS_PMU_INTEL_V5, false);
    kit_done("start");
    process_set_idle(0);
    count(0, PMU_MISSES, 20000, 3);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 0);
    CHECK_EQ(kit_status()->counters.idle, 3);
}

TEST(pmu_without_room_on_the_stack_is_missed)
{
    begin(PROCESS_PMU_INTEL_V5, false);
    process_pcpu(0)->stack_room = 100;
    kit_done("start");
    count(0, PMU_MISSES, 20000, 3);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 0);
    CHECK_EQ(kit_status()->counters.missed, 3);
}

/* No time passes from one to the next. */
TEST(pmu_storm_stops_the_counter_until_the_tick)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("start");
        for ( unsigned int j = 0; j < 1000; j++ )
        {
            process_count(0, PMU_MISSES, 20000);
            process_settle();
        }
        CHECK_EQ(pmu_overflows(), 9);
        CHECK_EQ(pmu_here(0)->throttled, 1);
        process_run_until(process_now() + 20 * KIT_MILLISECOND);
        count(0, PMU_MISSES, 20000, 5);
        CHECK_EQ(pmu_overflows(), 14);
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->counters.made, 13);
        CHECK_EQ(kit_status()->throttled, 1);
        CHECK_EQ(kit_status()->counted[0], 14 * 20000);
    }
}

/* A slow host, below or emulated, on which each NMI ends in the next one's
 * overflow: no tick ever comes. */
TEST(pmu_nmis_that_leave_no_time_for_a_tick_end)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("start");
        process_host()->call_cost = KIT_MILLISECOND;
        for ( unsigned int j = 0; j < 1000; j++ )
        {
            process_count(0, PMU_MISSES, 20000);
            process_settle();
        }
        process_host()->call_cost = 0;
        CHECK(pmu_overflows() > 20 && pmu_overflows() <= 202);
        CHECK_EQ(pmu_here(0)->throttled, 1);
        process_run_until(process_now() + 20 * KIT_MILLISECOND);
        count(0, PMU_MISSES, 20000, 5);
        CHECK_EQ(pmu_here(0)->throttled, 1);
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->throttled, 1);
    }
}

TEST(pmu_sets_take_turns)
{
    begin(PROCESS_PMU_K7, false);
    for ( unsigned int set = 0; set < 2; set++ )
        for ( unsigned int i = set ? 0 : 1; i < 4; i++ )
            CHECK_EQ(kit_command("event id=%u select=300%x count=20000 set=%u",
                                 set * 4 + i, 0x40 + set * 4 + i, set),
                     0);
    kit_refused(ERROR_BUSY,
                "set 1 has no counter left (this processor has 4 for all "
                "events, 0 of them are used by others); put the event in "
                "another set",
                "event id=20 select=30050 count=20000 set=1");
    kit_done("start");
    for ( unsigned int j = 0; j < 1000; j++ )
    {
        process_count(0, 0x41, 1000);
        process_count(0, 0x45, 1000);
        process_run_until(process_now() + KIT_MILLISECOND);
    }
    /* Half of the time each, and what was counted of a period is not lost. */
    CHECK(pmu_here(0)->counted[1] >= 460000);
    CHECK(pmu_here(0)->counted[1] <= 540000);
    CHECK(pmu_here(0)->counted[5] >= 460000);
    CHECK(pmu_here(0)->counted[5] <= 540000);
    pmu_stop_and_check(0);
}

/* Also who insists on short periods does not begin with one. */
TEST(pmu_without_count_begins_slowly)
{
    for ( unsigned int insist = 0; insist < 2; insist++ )
    {
        pmu_host(PROCESS_PMU_IBS, 1);
        pmu_reserve();
        CHECK_EQ(
            kit_command("event id=0 select=30076 count=0 insist=%u", insist),
            0);
        CHECK_EQ(
            kit_command("event id=1 select=3002e count=0 insist=%u", insist),
            0);
        CHECK_EQ(
            kit_command("event id=2 select=0 count=0 ibs=op insist=%u", insist),
            0);
        kit_done("start");
        CHECK(pmu_here(0)->period[0] > 750000);
        CHECK(pmu_here(0)->period[1] > 75000);
        CHECK(pmu_here(0)->period[2] > 750000);
        pmu_stop_and_check(0);
    }
}

TEST(pmu_without_count_comes_to_the_frequency)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        uint64_t made;

        pmu_host(families[i], 1);
        pmu_reserve();
        kit_done("event id=0 select=30076 count=0");
        kit_done("start");
        for ( unsigned int ms = 0; ms < 2000; ms++ )
        {
            if ( ms == 1000 )
                made = pmu_overflows();
            process_count(0, 0x76, 3000000);
            process_run_until(process_now() + KIT_MILLISECOND);
        }
        CHECK(pmu_overflows() - made >= 80);
        CHECK(pmu_overflows() - made <= 130);
        pmu_stop_and_check(0);
    }
}

static uint64_t stood_for; /* events */

static void add_count(const struct kit_sample *sample)
{
    stood_for += sample->event.count;
    seen = sample->event;
}

/* Nobody reads a thousand samples a second: more events make a sample, and all
 * that were counted are in samples. */
TEST(pmu_periods_are_longer_when_the_reader_lags)
{
    struct kit_read read = {.each = add_count};

    stood_for = 0;
    begin(PROCESS_PMU_CORE, false);
    kit_done("start");
    for ( unsigned int ms = 0; ms < 1500; ms++ )
    {
        process_count(0, PMU_MISSES, 20000);
        process_run_until(process_now() + KIT_MILLISECOND);
    }
    CHECK(kit_status()->frequency < 50);
    CHECK(kit_status()->lagged > 1);
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_RING], 0);
    kit_drain_all(&read);
    CHECK(read.samples < 1000);
    CHECK(seen.count >= 40000);
    CHECK(stood_for + 2 * seen.count > 1500 * 20000);
    CHECK(stood_for <= 1500 * 20000);
    pmu_stop_and_check(0);
}

TEST(pmu_is_programmed_again_after_sleep)
{
    begin(PROCESS_PMU_INTEL_V5, false);
    kit_done("start");
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    process_pmu_power(0);
    count(0, PMU_MISSES, 20000, 1);
    CHECK_EQ(pmu_overflows(), 0);
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    CHECK_EQ(pmu_here(0)->programmed, 1);
    count(0, PMU_MISSES, 20000, 1);
    CHECK_EQ(pmu_overflows(), 1);
    pmu_stop_and_check(0);
}

/* Late loading of microcode has the callback while no tick can run, and Xen
 * gets what SECURITY.md says: one NMI of each counter, or one in all where the
 * interrupt masks itself, and then no more. */
TEST(pmu_while_microcode_has_the_callback)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        bool masks_itself = families[i] <= PROCESS_PMU_HYBRID;
        unsigned int leaks = masks_itself ? 1 : 2;

        begin(families[i], false);
        kit_done("event id=1 select=300c0 count=100000");
        kit_done("start");
        process_host()->slot = PORT_SLOT_OTHERS;
        for ( unsigned int j = 0; j < 100; j++ )
        {
            process_count(0, PMU_MISSES, 20000);
            process_settle();
            process_count(0, 0xc0, 100000);
            process_settle();
        }
        CHECK_EQ(process_pcpu(0)->nmis_passed, leaks);
        process_host()->slot = PORT_SLOT_OURS;
        process_run_until(process_now() + 30 * KIT_MILLISECOND);
        count(0, PMU_MISSES, 20000, 5);
        CHECK(process_pcpu(0)->nmis_claimed > 3);
        pmu_stop_and_check(leaks);
    }
}

TEST(pmu_stops_when_others_get_the_counters)
{
    for ( enum port_pmu who = PORT_PMU_GUESTS; who <= PORT_PMU_PROFILER; who++ )
    {
        begin(PROCESS_PMU_CORE, false);
        kit_done("start");
        process_host()->pmu_owner = who;
        process_run_until(process_now() + KIT_SECOND);
        CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_PMU);
        pmu_check_silent();
        pmu_stop_and_check(0);
        CHECK(!process_host()->pmu_taken);
    }
}

TEST(pmu_is_silent_after_unload)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i], false);
        kit_done("start");
        count(0, PMU_MISSES, 19999, 1);
        count(1, PMU_MISSES, 5, 1);
        core_unload();
        pmu_check_silent();
        count(0, PMU_MISSES, 20000, 5);
        CHECK_EQ(pmu_leaked(), 0);
    }
}

/* Stop with an overflow before each access to a register there is. */
TEST(pmu_stop_at_any_instruction)
{
    for ( unsigned int i = 0; i < FAMILIES * 2; i++ )
        for ( unsigned int at = 1; at < 40; at++ )
        {
            begin(families[i / 2], i & 1);
            kit_done("start");
            count(0, PMU_MISSES, 19990, 1);
            process_pmu_count_at(at, PMU_MISSES, 20);
            pmu_stop_and_check(0);
        }
}

/* The same for what a tick does, and a start. */
TEST(pmu_overflow_at_any_instruction)
{
    for ( unsigned int i = 0; i < FAMILIES * 2; i++ )
        for ( unsigned int at = 1; at < 60; at++ )
        {
            begin(families[i / 2], i & 1);
            kit_done("event id=1 select=3002e count=10000 set=1");
            process_pmu_count_at(at, PMU_MISSES, 20000);
            kit_done("start");
            process_run_until(process_now() + 25 * KIT_MILLISECOND);
            count(0, PMU_MISSES, 9990, 1);
            process_pmu_count_at(at, PMU_MISSES, 20);
            process_run_until(process_now() + 50 * KIT_MILLISECOND);
            count(0, PMU_MISSES, 20000, 3);
            pmu_stop_and_check(0);
        }
}
