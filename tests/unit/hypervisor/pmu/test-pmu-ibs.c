/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that AMD's instruction-based sampling counts. */
#include "hypervisor/pmu/pmu-ibs.h"
#include "pmu-kit.h"

static const enum process_pmu_family families[] = {PROCESS_PMU_IBS,
                                                   PROCESS_PMU_IBS2};

#define FAMILIES (sizeof(families) / sizeof(*families))

#define IN_XEN    0xffff82d040261234ul
#define IN_KERNEL 0xffffffff81001234ul
#define INVALID   (1ul << 38)

static void begin(enum process_pmu_family family)
{
    pmu_host(family, 2);
    pmu_reserve();
    kit_done("event id=0 select=0 count=200000 ibs=op");
    kit_done("event id=1 select=0 count=160000 ibs=fetch");
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

/* So much that each event overflows once. */
static void count_all(unsigned int pcpu)
{
    const uint32_t *stands = pmu_here(pcpu)->stands;

    count(pcpu, PROCESS_OPS, stands[0], 1);
    count(pcpu, PROCESS_FETCHES, stands[1], 1);
    count(pcpu, PMU_MISSES, stands[2], 1);
}

TEST(ibs_samples_each_tag)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i]);
        kit_done("start");
        count(0, PROCESS_OPS, 1000, 10000);
        count(1, PROCESS_FETCHES, 1600, 1000);
        CHECK_EQ(process_pmu(0)->tags, 50);
        CHECK_EQ(process_pmu(1)->tags, 10);
        CHECK_EQ(process_pcpu(0)->nmis_claimed, 50);
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->counters.made, 60);
        CHECK_EQ(kit_status()->counted[0], 50 * 200000);
        CHECK_EQ(kit_status()->counted[1], 10 * 160000);
    }
}

/* Also beside counters, in one set and by turns. */
TEST(ibs_beside_counters)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i]);
        kit_done("event id=2 select=3002e count=20000");
        kit_done("event id=3 select=80000 count=300000 set=1 ibs=op");
        kit_done("start");
        for ( unsigned int ms = 0; ms < 400; ms++ )
        {
            process_count(0, PROCESS_OPS, 50000);
            process_count(0, PMU_MISSES, 3000);
            process_settle();
            process_run_until(process_now() + KIT_MILLISECOND);
        }
        /* Half of the time each, and what was counted is not lost. */
        CHECK(pmu_here(0)->counted[0] >= 8000000);
        CHECK(pmu_here(0)->counted[0] <= 12000000);
        CHECK(pmu_here(0)->counted[3] >= 8000000);
        CHECK(pmu_here(0)->counted[3] <= 12000000);
        CHECK(pmu_here(0)->counted[2] >= 500000);
        pmu_stop_and_check(0);
    }
}

TEST(ibs_of_both_units_in_one_nmi)
{
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    for ( unsigned int j = 0; j < 100; j++ )
    {
        process_pcpu(0)->hold_nmis = true;
        process_count(0, PROCESS_OPS, 200000);
        process_count(0, PROCESS_FETCHES, 160000);
        process_pcpu(0)->hold_nmis = false;
        process_settle();
        process_pass(100000);
    }
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 200);
}

/* Without a tag it is not ours. */
TEST(ibs_passes_on_what_has_no_tag)
{
    begin(PROCESS_PMU_IBS2);
    kit_done("start");
    process_pmu_stray(0);
    process_settle();
    CHECK_EQ(process_pcpu(0)->nmis_passed, 1);
    pmu_stop_and_check(1);
}

/* A unit that was disabled while it tags: its NMI comes with a tag that is
 * cleared, or is of no session any more. */
TEST(ibs_late_tag_is_swallowed)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
        for ( unsigned int later = 1; later < 10; later++ )
        {
            begin(families[i]);
            kit_done("start");
            process_pmu(0)->ibs[1].late = later;
            process_pmu(1)->ibs[0].late = later;
            pmu_stop_and_check(0);
            CHECK_EQ(process_pmu(0)->tags, !process_pmu(0)->ibs[1].under_way);
            CHECK(process_pmu(0)->tags || later > 4);
        }
}

TEST(ibs_late_tag_of_a_turn_is_swallowed)
{
    begin(PROCESS_PMU_IBS);
    kit_done("event id=2 select=80000 count=300000 set=1 ibs=op");
    kit_done("start");
    for ( unsigned int j = 0; j < 50; j++ )
    {
        process_pmu(0)->ibs[1].late = 1 + j % 9;
        process_run_until(process_now() + 5 * KIT_MILLISECOND);
        count(0, PROCESS_OPS, 50000, 1);
    }
    CHECK(process_pmu(0)->tags > 10);
    pmu_stop_and_check(0);
}

/* Runs until a set has its turn. */
static void turn_to(unsigned int set)
{
    for ( unsigned int i = 0; i < 100 && pmu_here(0)->set != set; i++ )
        process_run_until(process_now() + KIT_MILLISECOND);
    CHECK_EQ(pmu_here(0)->set, set);
}

/* A fetch at address 0 is no sample, and its unit goes on. */
TEST(ibs_fetch_of_nothing_is_missed)
{
    begin(PROCESS_PMU_IBS2);
    kit_done("start");
    process_pmu(0)->ibs[0].address = 0;
    count(0, PROCESS_FETCHES, 160000, 2);
    process_pmu(0)->ibs[0].address = IN_XEN;
    count(0, PROCESS_FETCHES, 160000, 1);
    CHECK_EQ(process_pcpu(0)->nmis_claimed, 3);
    CHECK_EQ(pmu_here(0)->unserved, 2);
    CHECK_EQ(pmu_here(0)->counted[1], 160000);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 1);
    CHECK_EQ(kit_status()->counters.due, 3);
}

/* What a unit had counted before a turn it has after it; almost all is as
 * good as all. */
TEST(ibs_goes_on_where_it_was)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i]);
        kit_done("event id=2 select=3002e count=20000 set=1");
        kit_done("start");
        count(0, PROCESS_OPS, 150000, 1);
        count(0, PROCESS_FETCHES, 159984, 1);
        turn_to(1);
        CHECK_EQ(pmu_here(0)->left[0], 50000);
        CHECK_EQ(pmu_here(0)->left[1], 0);
        turn_to(0);
        count(0, PROCESS_OPS, 49984, 1);
        CHECK_EQ(pmu_overflows(), 0);
        count(0, PROCESS_OPS, 16, 1);
        CHECK_EQ(pmu_overflows(), 1);
        pmu_stop_and_check(0);
    }
}

static void stray(void)
{
    process_pmu_stray(0);
    process_settle();
}

/* What may follow of two units is forgotten with the next cause. */
TEST(ibs_swallows_no_more_than_may_follow)
{
    begin(PROCESS_PMU_IBS2);
    kit_done("event id=2 select=3002e count=20000 set=1");
    kit_done("event id=3 select=30041 count=20000 set=1");
    kit_done("start");
    turn_to(1);
    CHECK_EQ(pmu_here(0)->more, 1);
    process_pcpu(0)->hold_nmis = true;
    process_count(0, PMU_MISSES, 20000);
    process_count(0, 0x41, 20000);
    process_pcpu(0)->hold_nmis = false;
    process_settle();
    stray();
    CHECK_EQ(process_pcpu(0)->nmis_passed, 0);
    stray();
    CHECK_EQ(process_pcpu(0)->nmis_passed, 1);
    turn_to(0);
    turn_to(1);
    CHECK_EQ(pmu_here(0)->more, 1);
    turn_to(0);
    CHECK_EQ(pmu_here(0)->more, 0);
    pmu_stop_and_check(1);
}

/* Behind a turn of IBS that had no tag under way one may follow of each unit,
 * until a tick has come after it. */
TEST(ibs_swallows_none_past_the_tick_after_a_turn)
{
    begin(PROCESS_PMU_IBS2);
    kit_done("event id=2 select=3002e count=20000 set=1");
    kit_done("start");
    turn_to(1);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        stray();
        CHECK_EQ(process_pcpu(0)->nmis_passed, i == 2);
    }
    turn_to(0);
    for ( unsigned int i = 0; i < 10; i++ )
    {
        turn_to(1);
        turn_to(0);
        /* A unit that is not disabled makes none. */
        stray();
        CHECK_EQ(process_pcpu(0)->nmis_passed, i + 2);
    }
    pmu_stop_and_check(11);
}

static struct xenoprof_sample seen;
static bool has_precise;
static uint64_t precise;

static void look(const struct kit_sample *sample)
{
    seen = sample->sample;
    has_precise = seen.head.parts & XENOPROF_PART_PRECISE;
    precise = sample->precise.ip;
}

/* Tags an op at an address, while something is interrupted there. */
static void tag_at(uint64_t ip, uint8_t mode, uint64_t address, uint64_t data)
{
    struct kit_read read = {.each = look};

    process_pcpu(0)->frame.at.ip = ip;
    process_pcpu(0)->frame.at.mode = mode;
    process_pmu(0)->ibs[1].address = address;
    process_pmu(0)->ibs[1].data = data;
    count(0, PROCESS_OPS, 200000, 1);
    kit_drain_all(&read);
    CHECK_EQ(read.samples, 1);
}

TEST(ibs_says_where_exactly)
{
    begin(PROCESS_PMU_IBS);
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("start");
    tag_at(IN_KERNEL + 64, XENOPROF_MODE_KERNEL, IN_KERNEL, 0);
    CHECK(has_precise);
    CHECK_EQ(precise, IN_KERNEL);
    /* The stack's begin stays as it was interrupted. */
    CHECK_EQ(seen.ip, IN_KERNEL + 64);
    tag_at(IN_XEN + 64, XENOPROF_MODE_XEN, IN_XEN, 0);
    CHECK_EQ(precise, IN_XEN);
    CHECK_EQ(pmu_here(0)->imprecise, 0);
    tag_at(IN_KERNEL + 64, XENOPROF_MODE_KERNEL, IN_KERNEL, INVALID);
    CHECK(!has_precise);
    CHECK_EQ(seen.ip, IN_KERNEL + 64);
    CHECK_EQ(pmu_here(0)->imprecise, 1);
    /* The guest's op, and then it was in Xen. */
    tag_at(IN_XEN, XENOPROF_MODE_XEN, IN_KERNEL, 0);
    CHECK(!has_precise);
    CHECK_EQ(pmu_here(0)->imprecise, 2);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->imprecise, 2);
}

/* Of a domain that is not profiled no address is told. */
TEST(ibs_hides_where_a_foreign_domain_was)
{
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    tag_at(IN_KERNEL + 64, XENOPROF_MODE_KERNEL, IN_KERNEL, 0);
    CHECK_EQ(seen.ip, 0);
    CHECK(!has_precise);
    tag_at(IN_XEN + 64, XENOPROF_MODE_XEN, IN_XEN, 0);
    CHECK_EQ(precise, IN_XEN);
    pmu_stop_and_check(0);
}

TEST(ibs_address_fits_what_was_interrupted)
{
    static const struct {
        uint8_t mode;
        uint64_t ip, address;
        bool fits;
    } cases[] = {
        {XENOPROF_MODE_XEN, IN_XEN, IN_XEN + 0x100000, true},
        {XENOPROF_MODE_XEN, IN_XEN, IN_KERNEL, false},
        {XENOPROF_MODE_XEN, IN_XEN, 0x401000, false},
        {XENOPROF_MODE_KERNEL, IN_KERNEL, IN_KERNEL - 9, true},
        {XENOPROF_MODE_KERNEL, IN_KERNEL, 0xffffffffc0001000, true},
        {XENOPROF_MODE_KERNEL, IN_KERNEL, IN_XEN, false},
        {XENOPROF_MODE_KERNEL, IN_KERNEL, 0x401000, false},
        {XENOPROF_MODE_USER, 0x401000, 0x7f0000001000, true},
        {XENOPROF_MODE_USER, 0x401000, IN_KERNEL, false},
        {XENOPROF_MODE_USER, 0x401000, IN_XEN, false},
        {XENOPROF_MODE_USER, 0x401000, 0, false},
        /* A kernel of 32 bits has both in one half. */
        {XENOPROF_MODE_KERNEL, 0xc1001000, 0x401000, true},
    };

    for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        const struct port_state at = {.mode = cases[i].mode, .ip = cases[i].ip};

        CHECK_EQ(pmu_ibs_fits(&at, cases[i].address), cases[i].fits);
    }
}

TEST(ibs_is_programmed_again_after_sleep)
{
    begin(PROCESS_PMU_IBS2);
    kit_done("start");
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    process_pmu_power(0);
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    CHECK_EQ(pmu_here(0)->programmed, 1);
    count(0, PROCESS_OPS, 200000, 1);
    CHECK_EQ(pmu_overflows(), 1);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 1);
}

/* pCPU 1 has become another: its units stand still, and all else goes on. */
static void check_without(unsigned int entry, uint32_t value)
{
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    CHECK(pmu_here(1)->without_ibs);
    CHECK(pmu_here(1)->programmed >= 1);
    CHECK(pmu_here(1)->programmed <= 2);
    CHECK_EQ(process_pmu(1)->ibs[0].control | process_pmu(1)->ibs[1].control,
             0);
    CHECK_EQ(process_pmu(1)->extra[entry], value);
    CHECK_EQ(pmu_here(1)->overflows, 0);
    count(1, PMU_MISSES, 20000, 2);
    CHECK_EQ(pmu_here(1)->overflows, 2);
    CHECK(!pmu_here(0)->without_ibs);
}

static void check_again(void)
{
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    CHECK(!pmu_here(1)->without_ibs);
    count(1, PROCESS_OPS, 200000, 3);
    CHECK_EQ(pmu_here(1)->overflows, 5);
    pmu_stop_and_check(0);
}

TEST(ibs_stands_still_where_a_wake_chose_another_entry)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i]);
        kit_done("event id=2 select=3002e count=20000");
        kit_done("start");
        process_run_until(process_now() + 30 * KIT_MILLISECOND);
        process_pmu_power(1);
        process_pmu(1)->ibs_control = 0x102;
        check_without(2, 0x10000);
        process_pmu(1)->ibs_control = 0x101;
        check_again();
    }
}

TEST(ibs_stands_still_where_the_entry_is_used)
{
    begin(PROCESS_PMU_IBS);
    kit_done("event id=2 select=3002e count=20000");
    kit_done("start");
    process_run_until(process_now() + 30 * KIT_MILLISECOND);
    process_set_idle(1);
    process_set_offline(1);
    process_pcpu(1)->online = true;
    process_pmu(1)->extra[1] = 0xf2;
    process_set_current(1, 5, 1);
    check_without(1, 0xf2);
    process_pmu(1)->extra[1] = 0x10000;
    check_again();
}

/* Also one that was offline at the start, and has no IBS at all. */
TEST(ibs_of_a_pcpu_that_comes_late_is_looked_at)
{
    begin(PROCESS_PMU_IBS);
    kit_done("event id=2 select=3002e count=20000");
    process_set_idle(1);
    process_set_offline(1);
    kit_done("start");
    process_pmu(1)->lacks_one = 0xc0011034;
    process_pmu(1)->extra[1] = 0xf2;
    process_pcpu(1)->online = true;
    process_set_current(1, 5, 1);
    check_without(1, 0xf2);
    kit_done("stop");
    process_settle();
    kit_check_sums();
    CHECK_EQ(process_pmu(1)->extra[1], 0xf2);
}

TEST(ibs_stops_when_guests_get_the_counters)
{
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    process_host()->pmu_owner = PORT_PMU_GUESTS;
    process_run_until(process_now() + KIT_SECOND);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_PMU);
    pmu_check_silent();
    pmu_stop_and_check(0);
}

TEST(ibs_is_silent_after_unload)
{
    for ( unsigned int i = 0; i < FAMILIES; i++ )
    {
        begin(families[i]);
        kit_done("start");
        process_pmu(0)->ibs[0].late = 5;
        count(0, PROCESS_OPS, 199999, 1);
        count(1, PROCESS_FETCHES, 5, 1);
        core_unload();
        pmu_check_silent();
        count(0, PROCESS_OPS, 20000, 50);
        CHECK_EQ(pmu_leaked(), 0);
    }
}

TEST(ibs_that_was_left_offline_is_cleared_by_the_next_session)
{
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    process_set_idle(1);
    process_set_offline(1);
    kit_done("stop");
    process_settle();
    kit_done("reset");
    CHECK(process_pmu(1)->ibs[1].control);
    process_pcpu(1)->online = true;
    process_pmu(1)->extra[1] = 0x10000;
    process_set_current(1, 5, 1);
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    pmu_stop_and_check(0);
}

/* It was offline at the start, which begins it. */
TEST(ibs_of_a_pcpu_that_comes_late_has_its_period)
{
    for ( unsigned int i = 0; i < FAMILIES * 2; i++ )
    {
        const char *count = i & 1 ? "0" : "200000";

        pmu_host(families[i / 2], 2);
        pmu_reserve();
        CHECK_EQ(kit_command("event id=0 select=0 count=%s ibs=op", count), 0);
        CHECK_EQ(kit_command("event id=1 select=0 count=%s ibs=fetch", count),
                 0);
        CHECK_EQ(kit_command("event id=2 select=3002e count=%s", count), 0);
        process_set_idle(1);
        process_set_offline(1);
        kit_done("start");
        process_pcpu(1)->online = true;
        process_set_current(1, 5, 1);
        process_run_until(process_now() + 30 * KIT_MILLISECOND);
        CHECK(pmu_here(1)->armed);
        for ( unsigned int event = 0; event < 3; event++ )
            CHECK(pmu_here(1)->period[event] >= 10000);
        count_all(1);
        CHECK_EQ(pmu_here(1)->overflows, 3);
        pmu_stop_and_check(0);
    }
}

/* The smallest count that a unit takes. */
TEST(ibs_never_has_a_count_that_faults)
{
    struct pmu_slot slot;

    pmu_host(PROCESS_PMU_IBS, 1);
    process_pmu(0)->extra[1] = 0x400;
    for ( unsigned int unit = XENOPROF_IBS_FETCH; unit < XENOPROF_IBS_UNITS;
          unit++ )
    {
        pmu_ibs_slot(unit, 0, &slot);
        pmu_ibs_again(&slot, 0, false);
        CHECK_EQ(process_pmu(0)->ibs[unit - 1].control & 0xffff,
                 PMU_IBS_LEAST / PMU_IBS_STEP);
    }
}

TEST(ibs_storm_stops_the_unit_until_the_tick)
{
    begin(PROCESS_PMU_IBS);
    kit_done("start");
    for ( unsigned int j = 0; j < 1000; j++ )
    {
        process_count(0, PROCESS_OPS, 200000);
        process_settle();
    }
    CHECK_EQ(pmu_overflows(), 9);
    CHECK_EQ(pmu_here(0)->throttled, 1);
    process_run_until(process_now() + 20 * KIT_MILLISECOND);
    count(0, PROCESS_OPS, 200000, 5);
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 13);
}

TEST(ibs_without_count_comes_to_the_frequency)
{
    uint64_t made = 0;

    pmu_host(PROCESS_PMU_IBS2, 1);
    pmu_reserve();
    kit_done("event id=0 select=0 count=0 ibs=op");
    kit_done("start");
    for ( unsigned int ms = 0; ms < 2000; ms++ )
    {
        if ( ms == 1000 )
            made = pmu_overflows();
        for ( unsigned int i = 0; i < 30; i++ )
        {
            process_count(0, PROCESS_OPS, 100000);
            process_settle();
        }
        process_run_until(process_now() + KIT_MILLISECOND);
    }
    CHECK(pmu_overflows() - made >= 80);
    CHECK(pmu_overflows() - made <= 130);
    pmu_stop_and_check(0);
}

/* A tag before each access to a register there is: of a start, turns, stops. */
TEST(ibs_tag_at_any_instruction)
{
    for ( unsigned int i = 0; i < FAMILIES * 2; i++ )
        for ( unsigned int at = 1; at < 60; at++ )
        {
            begin(families[i / 2]);
            if ( i & 1 )
                kit_done("event id=2 select=80000 count=100000 set=1 ibs=op");
            process_pmu_count_at(at, PROCESS_OPS, 200000);
            kit_done("start");
            process_run_until(process_now() + 25 * KIT_MILLISECOND);
            count(0, PROCESS_OPS, 199990, 1);
            process_pmu_count_at(at, PROCESS_OPS, 200000);
            process_run_until(process_now() + 50 * KIT_MILLISECOND);
            count(0, PROCESS_OPS, 199990, 1);
            process_pmu_count_at(at, PROCESS_OPS, 200000);
            pmu_stop_and_check(0);
        }
}

/* Refusals ----------------------------------------------------------------- */

/* Everything is wrong at once: what is said is what can least be mended. */
TEST(ibs_refusals_come_in_order)
{
    struct pmu_ibs_signs signs = {
        .there = false, .control = 2, .entry = 2, .counts = true};

    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_REFUSED_LACKS);
    signs.there = true;
    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_REFUSED_NO_ENTRY);
    signs.control |= 0x100;
    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_REFUSED_DIFFERS);
    signs.entry = 3;
    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_REFUSED_USED);
    signs.free = true;
    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_REFUSED_COUNTS);
    signs.counts = false;
    CHECK_EQ(pmu_ibs_refusal(&signs), PMU_IBS_NOT_REFUSED);
}

TEST(ibs_is_refused_by_cpuid_alone)
{
    static const enum process_pmu_family others[] = {
        PROCESS_PMU_INTEL_V5, PROCESS_PMU_K7, PROCESS_PMU_CORE,
        PROCESS_PMU_PERFMON2};

    for ( unsigned int i = 0; i < sizeof(others) / sizeof(*others); i++ )
    {
        pmu_host(others[i], 1);
        pmu_reserve();
        kit_refused(ERROR_NOT_SUPPORTED,
                    "this processor has no instruction-based sampling (IBS) of "
                    "that kind that CPUID shows; count events",
                    "event id=0 select=0 count=200000 ibs=op");
        CHECK_EQ(process_pmu(0)->writes, 0);
    }
}

/* Family 10h shows IBS, and its fetch unit has erratum 420. */
TEST(ibs_is_refused_before_family_15h)
{
    static const uint32_t before[] = {0x100f00, 0x300f00, 0x500f00};

    for ( unsigned int i = 0; i < sizeof(before) / sizeof(*before); i++ )
    {
        pmu_host(PROCESS_PMU_IBS, 1);
        process_pmu(0)->signature = before[i];
        pmu_reserve();
        kit_refused(ERROR_NOT_SUPPORTED,
                    "this processor has no instruction-based sampling (IBS) of "
                    "that kind that CPUID shows; count events",
                    "event id=0 select=0 count=200000 ibs=fetch");
    }
}

static void refused_as_lacking(void)
{
    kit_refused(ERROR_NOT_SUPPORTED,
                "pCPU 1 does not have the registers of IBS that CPUID shows, "
                "or not those of the other pCPUs; count events",
                "start");
    CHECK_EQ(process_pmu(0)->writes + process_pmu(1)->writes, 0);
}

TEST(ibs_is_refused_if_any_register_lacks)
{
    static const uint32_t each[] = {0xc0011030, 0xc0011031, 0xc0011033,
                                    0xc0011034, 0xc0011035, 0xc001103a};

    for ( unsigned int i = 0; i < sizeof(each) / sizeof(*each); i++ )
    {
        begin(PROCESS_PMU_IBS);
        process_pmu(1)->lacks_one = each[i];
        refused_as_lacking();
    }
}

/* None, one unit, no ops, wider counts: what was asked for fits pCPU 0. */
TEST(ibs_is_refused_if_pcpus_differ)
{
    static const uint32_t each[] = {0, 0x9d, 0x9b, 0x8f, 0xdf};

    for ( unsigned int i = 0; i < sizeof(each) / sizeof(*each); i++ )
    {
        begin(PROCESS_PMU_IBS);
        process_pmu(1)->ibs_can = each[i];
        refused_as_lacking();
        process_pmu(1)->ibs_can = 0x9f;
        kit_done("start");
        pmu_stop_and_check(0);
    }
}

TEST(ibs_lines_that_are_wrong)
{
    pmu_host(PROCESS_PMU_IBS, 1);
    pmu_reserve();
    kit_refused(ERROR_INVALID, "ibs= must be fetch or op",
                "event id=0 select=0 count=200000 ibs=x");
    kit_refused(ERROR_INVALID,
                "select=30000 has bits that this processor's IBS does not take "
                "from outside; these are in 80000, without fixed=",
                "event id=0 select=30000 count=200000 ibs=op");
    kit_refused(ERROR_INVALID,
                "select=80000 has bits that this processor's IBS does not take "
                "from outside; these are in 0, without fixed=",
                "event id=0 select=80000 count=200000 ibs=fetch");
    kit_refused(ERROR_INVALID,
                "select=0 has bits that this processor's IBS does not take "
                "from outside; these are in 80000, without fixed=",
                "event id=0 select=0 count=200000 ibs=op fixed=1");
    kit_refused(ERROR_RANGE,
                "count=200001 is none of IBS: a multiple of 16 from 100000 to "
                "1048560",
                "event id=0 select=0 count=200001 ibs=op");
    kit_refused(ERROR_RANGE,
                "count=99984 is none of IBS: a multiple of 16 from 100000 to "
                "1048560",
                "event id=0 select=0 count=99984 ibs=fetch");
    kit_refused(ERROR_RANGE,
                "count=2000000 is none of IBS: a multiple of 16 from 1000 to "
                "1048560",
                "event id=0 select=0 count=2000000 ibs=op insist=1");
    kit_done("event id=0 select=0 count=200000 ibs=op");
    kit_refused(ERROR_BUSY,
                "set 0 has that unit of IBS already, and the processor has it "
                "once; put the event in another set",
                "event id=1 select=80000 count=200000 ibs=op");
    pmu_host(PROCESS_PMU_IBS2, 1);
    pmu_reserve();
    kit_done("event id=0 select=0 count=134217712 ibs=op");
    kit_done("start");
    CHECK_EQ(process_pmu(0)->ibs[1].control, 0x7f0ffff | 1 << 17);
    pmu_stop_and_check(0);
}

/* Nothing was written, and the session may be started without them. */
TEST(ibs_is_refused_for_what_the_firmware_did)
{
    struct process_pmu *pmu;

    begin(PROCESS_PMU_IBS);
    pmu = process_pmu(1);
    pmu->ibs[0].control = 1ul << 48;
    kit_refused(ERROR_BUSY,
                "the IBS of pCPU 1 counts already, for the firmware or others; "
                "count events",
                "start");
    pmu->extra[1] = 0xf2;
    kit_refused(ERROR_BUSY,
                "the interrupt that the IBS of pCPU 1 makes is used for "
                "something else, or is not there; count events",
                "start");
    pmu->ibs_control = 0x102;
    kit_refused(ERROR_NOT_SUPPORTED,
                "the IBS of pCPU 1 makes another interrupt than that of other "
                "pCPUs (MSR c001103a); count events",
                "start");
    pmu->ibs_control = 1;
    kit_refused(ERROR_NOT_SUPPORTED,
                "the firmware has not chosen which interrupt the IBS of pCPU 1 "
                "makes (MSR c001103a); count events",
                "start");
    CHECK_EQ(process_pmu(0)->writes + pmu->writes, 0);
    /* What is not in the session's set is not asked. */
    kit_done("pcpus set=0");
    kit_done("start");
    pmu->ibs[0].control = 0;
    pmu->extra[1] = 0x10000;
    pmu_stop_and_check(0);
}
