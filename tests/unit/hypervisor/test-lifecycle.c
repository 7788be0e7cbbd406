/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core-kit.h"

static struct kit_read read;

static void begin(const char *options)
{
    memset(&read, 0, sizeof(read));
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    CHECK_EQ(kit_command("reserve sampler=nmi mask=3 queue=0 %s", options), 0);
    kit_done("domain id=0 vcpus=2 uuid=" KIT_UUID_0 " kind=passive");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
}

static void run(uint64_t milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}

TEST(status_page_tells_the_session)
{
    const struct xenoprof_status_page *status;
    uint64_t started;

    begin("frequency=97 pages=4 lease=0 budget=0");
    status = kit_status();
    CHECK_EQ(status->state, XENOPROF_STATE_RESERVED);
    CHECK_EQ(status->sampler, XENOPROF_SAMPLER_NMI);
    CHECK_EQ(status->frequency, 97);
    CHECK_EQ(status->asked, 97);
    CHECK_EQ(status->mask, 3);
    CHECK_EQ(status->rings, 6);
    CHECK_EQ(status->pcpus, 2);
    CHECK(status->session > 0);
    CHECK_EQ(status->started, 0);
    started = process_now();
    kit_done("start");
    CHECK_EQ(status->state, XENOPROF_STATE_RUNNING);
    CHECK_EQ(status->started, started);
    CHECK_EQ(status->stopped, 0);
    run(1000);
    kit_done("stop");
    CHECK_EQ(status->state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(status->stop_reason, XENOPROF_STOP_ASKED);
    CHECK(status->stopped >= started + KIT_SECOND);
    CHECK(status->counters.made >= 192 && status->counters.made <= 196);
    kit_check_sums();
    kit_done("reset");
    CHECK_EQ(kit_state().status_mfn, 0);
    CHECK_EQ(kit_state().sampler, 0);
    CHECK_EQ(process_host()->shared, 0);
}

TEST(counters_are_shown_while_it_runs)
{
    begin("frequency=97 pages=16 lease=0 budget=0");
    kit_done("start");
    run(1000);
    CHECK(kit_status()->counters.made > 180);
    run(1000);
    CHECK(kit_status()->counters.made > 370);
    CHECK(kit_status()->counters.committed > 370);
    kit_done("stop");
    kit_check_sums();
}

TEST(console_has_a_line_at_start_and_stop)
{
    uint64_t logs;

    begin("frequency=97 pages=4 lease=0 budget=0");
    logs = process_host()->logs;
    kit_done("start");
    CHECK_EQ(process_host()->logs, logs + 1);
    CHECK(strstr(process_host()->log, "sampling 2 pCPUs at 97 Hz"));
    kit_done("stop");
    CHECK_EQ(process_host()->logs, logs + 2);
    CHECK(strstr(process_host()->log, "stopped, as asked; 0 samples made"));
}

TEST(stop_and_start_go_on)
{
    uint64_t made;

    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    run(1000);
    kit_done("stop");
    made = kit_status()->counters.made;
    run(5000);
    CHECK_EQ(kit_status()->counters.made, made);
    kit_done("start");
    run(1000);
    kit_done("stop");
    CHECK(kit_status()->counters.made > made + 190);
    CHECK_EQ(kit_status()->counters.missed, 0);
    kit_check_sums();
    kit_drain_all(&read);
    CHECK_EQ(read.samples, kit_status()->counters.committed);
}

TEST(stop_waits_for_what_is_under_way)
{
    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(1)->hold_nmis = true;
    run(25);
    CHECK(process_pcpu(1)->nmis_pending);
    /* Arrives while stop waits. */
    process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(process_pcpu(1)->nmis_passed, 0);
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_QUEUE], 0);
}

/* It never answers: written off, and stop does not hang. */
TEST(stop_does_not_wait_for_ever)
{
    uint64_t before;

    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(1)->drop_nmis = true;
    run(25);
    before = process_now();
    kit_done("stop");
    CHECK(process_now() - before < KIT_SECOND);
    kit_check_sums();
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
}

/* A pCPU that is stuck in Xen, or went offline, with samples queued. */
TEST(stop_counts_what_cannot_be_committed)
{
    for ( int offline = 0; offline < 2; offline++ )
    {
        begin("frequency=100 pages=16 lease=0 budget=0");
        kit_done("start");
        run(100);
        process_pcpu(1)->hold_softirqs = true;
        run(30);
        CHECK(process_pcpu(1)->softirq_pending);
        if ( offline )
            process_set_offline(1);
        kit_done("stop");
        kit_check_sums();
        CHECK(kit_status()->counters.lost[XENOPROF_LOST_QUEUE] > 0);
        /* Its softirq comes after all, and finds nothing. */
        process_pcpu(1)->online = true;
        process_commit(1);
        kit_done("stop");
        kit_check_sums();
        /* And it works again after the next start. */
        process_pcpu(1)->hold_softirqs = false;
        kit_done("start");
        run(100);
        kit_done("stop");
        kit_check_sums();
        kit_drain_all(&read);
        CHECK_EQ(read.samples, kit_status()->counters.committed);
        memset(&read, 0, sizeof(read));
    }
}

/* The pCPU that runs the command commits its own queue. */
TEST(stop_commits_what_its_own_pcpu_queued)
{
    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(0)->hold_softirqs = true;
    run(25);
    CHECK(process_pcpu(0)->softirq_pending);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_QUEUE], 0);
    process_pcpu(0)->hold_softirqs = false;
}

TEST(lease_runs_out)
{
    uint64_t last;

    begin("frequency=100 pages=16 lease=3 budget=0");
    kit_done("start");
    for ( int i = 0; i < 10; i++ )
    {
        kit_beat();
        run(1000);
        kit_drain_all(&read);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    }
    last = process_now();
    while ( kit_state().state == XENOPROF_STATE_RUNNING )
        run(10);
    CHECK(process_now() - last > 1800 * KIT_MILLISECOND);
    CHECK(process_now() - last < 2300 * KIT_MILLISECOND);
    CHECK_EQ(kit_status()->state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    CHECK(kit_status()->stopped >= last);
    run(1000);
    /* The next command of any sort finishes what the tick could not do. */
    CHECK_EQ(process_host()->slot, PORT_SLOT_OURS);
    kit_refused(22, "no such command", "x");
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    kit_check_sums();
    kit_done("stop");
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    /* A daemon that is back may go on. */
    kit_done("start");
    kit_beat();
    run(1000);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    kit_done("stop");
    kit_done("reset");
}

TEST(lease_of_0_is_none)
{
    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    run(100000);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    kit_done("stop");
    kit_check_sums();
}

TEST(stop_and_reset_of_a_halted_session)
{
    begin("frequency=100 pages=16 lease=1 budget=0");
    kit_done("start");
    run(3000);
    kit_done("reset");
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
}

TEST(budget_halves_the_frequency)
{
    begin("frequency=1000 pages=256 lease=0 budget=10");
    /* 1 us for each look at the clock; each sample costs some of them. */
    process_host()->call_cost = 10 * 1000;
    kit_done("start");
    run(900);
    CHECK_EQ(kit_status()->frequency, 1000);
    run(200);
    CHECK_EQ(kit_status()->frequency, 500);
    CHECK_EQ(kit_status()->slowed, 1);
    CHECK_EQ(kit_status()->asked, 1000);
    run(1000);
    CHECK_EQ(kit_status()->frequency, 250);
    CHECK_EQ(kit_status()->slowed, 2);
    CHECK(kit_status()->counters.cost > 0);
    process_host()->call_cost = 0;
    run(5000);
    CHECK_EQ(kit_status()->frequency, 250);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
}

TEST(budget_never_ends_at_0)
{
    begin("frequency=8 pages=16 lease=0 budget=1");
    process_host()->call_cost = 10 * KIT_MILLISECOND;
    kit_done("start");
    run(30000);
    CHECK_EQ(kit_status()->frequency, 1);
    CHECK_EQ(kit_status()->slowed, 3);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    process_host()->call_cost = 0;
    kit_done("stop");
    kit_check_sums();
}

TEST(budget_of_0_never_slows_down)
{
    begin("frequency=1000 pages=16 lease=0 budget=0");
    process_host()->call_cost = 10 * 1000;
    kit_done("start");
    run(3000);
    CHECK_EQ(kit_status()->frequency, 1000);
    process_host()->call_cost = 0;
    kit_done("stop");
    kit_check_sums();
}

TEST(reader_is_woken_when_a_record_is_old)
{
    begin("frequency=1 pages=256 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    CHECK_EQ(process_host()->wakes, 0);
    /* A lone sample, and nothing more. */
    while ( !kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->producer )
        run(1);
    process_set_idle(1);
    run(3000);
    CHECK_EQ(process_host()->wakes, 1);
    run(10000);
    CHECK_EQ(process_host()->wakes, 1);
    kit_done("stop");
}

TEST(reader_is_woken_ten_times_a_second_at_most_by_age)
{
    begin("frequency=1000 pages=256 lease=0 budget=0");
    kit_done("start");
    for ( int i = 0; i < 100; i++ )
    {
        run(100);
        kit_drain_all(&read);
    }
    CHECK(process_host()->wakes > 80);
    CHECK(process_host()->wakes <= 100);
    kit_done("stop");
}

TEST(reader_is_woken_at_half_a_ring)
{
    begin("frequency=1000 pages=1 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    run(9);
    CHECK_EQ(process_host()->wakes, 0);
    run(8);
    CHECK(process_host()->wakes > 0);
    /* Full, and nobody reads: not more often than each 2 ms. */
    run(1000);
    CHECK(process_host()->wakes < 520);
    kit_done("stop");
    kit_check_sums();
}

TEST(overflow_is_counted_and_told)
{
    const struct xenoprof_ring_page *ring;
    uint64_t told;

    begin("frequency=1000 pages=1 lease=0 budget=0");
    kit_done("start");
    run(1000);
    ring = kit_ring_of(XENOPROF_RING_VCPU, 5, 1);
    CHECK(ring->lost[XENOPROF_LOST_RING] > 900);
    kit_drain_all(&read);
    told = read.lost[XENOPROF_LOST_RING];
    CHECK_EQ(told, 0);
    run(20);
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&read);
    CHECK_EQ(read.lost[XENOPROF_LOST_RING],
             kit_status()->counters.lost[XENOPROF_LOST_RING]);
    CHECK_EQ(read.samples, kit_status()->counters.committed);
    kit_done("reset");
}

TEST(hostile_consumer_stops_one_ring_only)
{
    const struct xenoprof_ring_page *ring;

    begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    run(100);
    ring = kit_ring_of(XENOPROF_RING_VCPU, 5, 1);
    *kit_consumer(ring->ring) = 12345;
    run(1000);
    CHECK_EQ(ring->state, XENOPROF_RING_STOPPED);
    CHECK(ring->lost[XENOPROF_LOST_STOPPED] > 90);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 0, 0)->state, XENOPROF_RING_OPEN);
    CHECK(kit_ring_of(XENOPROF_RING_VCPU, 0, 0)->committed > 100);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
    CHECK_EQ(process_host()->shared, 0);
}

static uint64_t map_status(void)
{
    uint64_t mfn = kit_state().status_mfn;

    CHECK(process_map(mfn));
    return mfn;
}

TEST(pages_that_dom0_maps_are_awaited)
{
    uint64_t status, data;

    begin("frequency=100 pages=4 lease=0 budget=0");
    status = map_status();
    data = kit_ring_page(0)->data_mfn[2];
    CHECK(process_map(data));
    kit_done("reset");
    CHECK_EQ(kit_state().awaited, 2);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->shared, 2);
    /* The next session lives beside them. */
    kit_done("reserve sampler=nmi frequency=97 mask=0 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_status()->awaited, 2);
    process_unmap(data);
    kit_refused(22, "no such command", "x");
    CHECK_EQ(kit_state().awaited, 1);
    process_unmap(status);
    kit_done("reset");
    CHECK_EQ(kit_state().awaited, 0);
    CHECK_EQ(process_host()->shared, 0);
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(unload_abandons_what_is_mapped)
{
    begin("frequency=100 pages=4 lease=0 budget=0");
    map_status();
    CHECK_EQ(core_unload(), 1);
    CHECK_EQ(process_host()->shared, 1);
    CHECK_EQ(process_host()->allocated, 0);
    process_reset(1);
}

TEST(unload_in_each_state)
{
    process_reset(2);
    CHECK_EQ(core_unload(), 0);
    for ( int steps = 0; steps < 3; steps++ )
    {
        begin("frequency=100 pages=4 lease=0 budget=0");
        if ( steps > 0 )
            kit_done("start");
        run(105);
        if ( steps > 1 )
            kit_done("stop");
        CHECK_EQ(core_unload(), 0);
        CHECK_EQ(process_host()->shared, 0);
        CHECK_EQ(process_host()->allocated, 0);
        CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
        CHECK_EQ(process_host()->hooked, 0);
        CHECK_EQ(process_pcpu(0)->timer + process_pcpu(1)->timer, 0);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    }
}

/* No memory at any point: refused, nothing held, and it works afterwards. */
TEST(reserve_without_memory)
{
    for ( int pieces = 0;; pieces++ )
    {
        int error;

        process_reset(3);
        process_host()->memory_left = pieces;
        error = kit_command("reserve sampler=nmi frequency=97 mask=3 pages=2 "
                            "queue=0 lease=0 budget=0");
        if ( !error )
            break;
        CHECK_EQ(error, -12);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
        CHECK_EQ(process_host()->allocated, 0);
        CHECK_EQ(process_host()->shared, 0);
        CHECK(pieces < 100);
    }
    kit_done("reset");
}

TEST(reserve_beyond_the_ceiling)
{
    process_reset(64);
    kit_refused(28,
                "rings of 256 pages for each pCPU need more than 64 MiB; "
                "use smaller rings",
                "reserve sampler=nmi frequency=97 mask=3 pages=256 queue=0 "
                "lease=0 budget=0");
    CHECK_EQ(process_host()->shared, 0);
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=128 queue=0 "
             "lease=0 budget=0");
    kit_done("reset");
}

TEST(sampler_falls_back_or_insists)
{
    process_reset(2);
    process_host()->slot = PORT_SLOT_OTHERS;
    kit_refused(16,
                "somebody else has Xen's NMI callback; without insist=1 the "
                "timer is the sampler",
                "reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
                "lease=0 budget=0 insist=1");
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_TIMER);
    CHECK_EQ(kit_status()->sampler, XENOPROF_SAMPLER_TIMER);
    kit_done("reset");
    process_host()->slot = PORT_SLOT_FREE;
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
             "lease=0 budget=0 insist=1");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_NMI);
    /* Taken between reserve and start. */
    process_host()->slot = PORT_SLOT_OTHERS;
    CHECK_EQ(kit_command("start"), -16);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RESERVED);
    CHECK_EQ(process_host()->hooked, 0);
    kit_done("reset");
}

TEST(state_has_xens_time)
{
    uint64_t before;

    process_reset(2);
    before = process_now();
    CHECK_EQ(kit_state().time, before);
    process_run_until(before + 5000000);
    CHECK_EQ(kit_state().time, before + 5000000);
}
