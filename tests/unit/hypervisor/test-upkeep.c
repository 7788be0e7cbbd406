/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "life-kit.h"

TEST(lease_runs_out)
{
    uint64_t last;

    life_begin("frequency=100 pages=16 lease=3 budget=0");
    kit_done("start");
    for ( int i = 0; i < 10; i++ )
    {
        kit_beat();
        life_run(1000);
        kit_drain_all(&life_read);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    }
    last = process_now();
    for ( int i = 0; i < 500; i++ )
        if ( kit_state().state == XENOPROF_STATE_RUNNING )
            life_run(10);
    CHECK(process_now() - last > 1800 * KIT_MILLISECOND);
    CHECK(process_now() - last < 2300 * KIT_MILLISECOND);
    CHECK_EQ(kit_status()->state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    CHECK(kit_status()->stopped >= last);
    /* Nobody may ever write a command again. */
    life_run(100);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(process_pcpu(0)->timer + process_pcpu(1)->timer, 0);
    /* The next command of any sort finishes what the tick could not do. */
    kit_refused(22, "no such command", "x");
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    kit_check_sums();
    kit_done("stop");
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    /* A daemon that is back may go on. */
    kit_done("start");
    kit_beat();
    life_run(1000);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    kit_done("stop");
    kit_done("reset");
}

TEST(lease_of_0_is_none)
{
    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    life_run(100000);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    kit_done("stop");
    kit_check_sums();
}

TEST(budget_halves_the_frequency)
{
    life_begin("frequency=1000 pages=256 lease=0 budget=10");
    /* 1 us for each look at the clock; each sample costs some of them. */
    process_host()->call_cost = 10 * 1000;
    kit_done("start");
    life_run(900);
    CHECK_EQ(kit_status()->frequency, 1000);
    life_run(200);
    CHECK_EQ(kit_status()->frequency, 500);
    CHECK_EQ(kit_status()->slowed, 1);
    CHECK_EQ(kit_status()->asked, 1000);
    life_run(1000);
    CHECK_EQ(kit_status()->frequency, 250);
    CHECK_EQ(kit_status()->slowed, 2);
    CHECK(kit_status()->counters.cost > 0);
    process_host()->call_cost = 0;
    life_run(5000);
    CHECK_EQ(kit_status()->frequency, 250);
    CHECK_EQ(kit_status()->raised, 0);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
}

/* The reader keeps up. */
static void run_and_read(unsigned int milliseconds)
{
    for ( ; milliseconds; milliseconds -= 100 )
    {
        life_run(100);
        kit_drain_all(&life_read);
        kit_beat();
    }
}

TEST(budget_lets_the_frequency_come_back_up)
{
    life_begin("frequency=1000 pages=16 lease=0 budget=10");
    process_host()->call_cost = 10 * 1000;
    kit_done("start");
    run_and_read(1100);
    CHECK_EQ(kit_status()->frequency, 500);
    process_host()->call_cost = 0;
    run_and_read(9000);
    CHECK_EQ(kit_status()->frequency, 500);
    run_and_read(3000);
    CHECK_EQ(kit_status()->frequency, 1000);
    CHECK_EQ(kit_status()->slowed, 1);
    CHECK_EQ(kit_status()->raised, 1);
    kit_done("stop");
    kit_check_sums();
}

/* More pCPUs than the host's ceiling leaves the frequency that was asked for:
 * half of what is left is less. */
TEST(budget_halves_what_the_ceiling_leaves)
{
    process_reset(100);
    kit_done("reserve sampler=nmi mask=11 queue=0 frequency=1000 pages=64 "
             "lease=0 budget=1 window=64 user-window=0");
    process_host()->call_cost = 100 * 1000;
    process_set_current(0, 0, 0);
    kit_done("start");
    CHECK_EQ(kit_status()->frequency, 500);
    life_run(1200);
    CHECK_EQ(kit_status()->frequency, 250);
    process_host()->call_cost = 0;
    kit_done("stop");
}

static void check_share(const char *what, uint64_t ns, uint64_t wanted)
{
    if ( ns < wanted - wanted / 10 || ns > wanted + wanted / 10 )
        test_fail(__FILE__, __LINE__, "%s cost %lu ns, not some %lu", what, ns,
                  wanted);
}

/* Between the first look at the clock and the last there is one step in each
 * half and tick. */
TEST(cost_of_each_part)
{
    const struct xenoprof_counters *counters;
    uint64_t first, tick;

    life_begin("frequency=1000 pages=256 lease=0 budget=0");
    process_host()->call_cost = 1000;
    kit_done("start");
    life_run(500);
    process_host()->call_cost = 0;
    kit_done("stop");
    counters = &kit_status()->counters;
    first = kit_status()->cost_first;
    tick = kit_status()->cost_tick;
    CHECK(counters->committed > 500);
    check_share("first halves", first, counters->made * 1000);
    check_share("second halves", counters->cost - first - tick,
                counters->committed * 1000);
    check_share("ticks", tick,
                (process_pcpu(0)->ticks + process_pcpu(1)->ticks) * 1000);
    kit_check_sums();
}

TEST(budget_never_ends_at_0)
{
    life_begin("frequency=8 pages=16 lease=0 budget=1");
    process_host()->call_cost = 10 * KIT_MILLISECOND;
    kit_done("start");
    life_run(30000);
    CHECK_EQ(kit_status()->frequency, 1);
    CHECK_EQ(kit_status()->slowed, 3);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    process_host()->call_cost = 0;
    kit_done("stop");
    kit_check_sums();
}

TEST(budget_of_0_never_slows_down)
{
    life_begin("frequency=1000 pages=16 lease=0 budget=0");
    process_host()->call_cost = 10 * 1000;
    kit_done("start");
    run_and_read(3000);
    CHECK_EQ(kit_status()->frequency, 1000);
    process_host()->call_cost = 0;
    kit_done("stop");
    kit_check_sums();
}
