/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "life-kit.h"

TEST(status_page_tells_the_session)
{
    const struct xenoprof_status_page *status;
    uint64_t started;

    life_begin("frequency=97 pages=16 lease=0 budget=0");
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
    life_run(1000);
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

/* Adding up looks at every pCPU: ten times a second, not at each tick. */
TEST(counters_are_added_up_ten_times_a_second)
{
    uint64_t changes = 0, last = 0;

    life_begin("frequency=1000 pages=256 lease=0 budget=0");
    kit_done("start");
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        life_run(1);
        changes += kit_status()->counters.made != last;
        last = kit_status()->counters.made;
    }
    CHECK(changes >= 9);
    CHECK(changes <= 11);
    kit_done("stop");
    kit_check_sums();
}

/* No tick follows the one that notices. */
TEST(halt_is_shown_at_once)
{
    uint64_t end;

    life_begin("frequency=1000 pages=16 lease=0 budget=0");
    kit_done("start");
    life_run(50);
    process_host()->slot = PORT_SLOT_OTHERS;
    end = process_now() + 2000 * KIT_MILLISECOND;
    while ( kit_state().state == XENOPROF_STATE_RUNNING && process_now() < end )
        process_run_until(process_now() + 1000);
    CHECK_EQ(kit_status()->state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_NMI_SLOT);
    process_host()->slot = PORT_SLOT_FREE;
}

TEST(counters_are_shown_while_it_runs)
{
    life_begin("frequency=97 pages=16 lease=0 budget=0");
    kit_done("start");
    life_run(1000);
    CHECK(kit_status()->counters.made > 180);
    life_run(1000);
    CHECK(kit_status()->counters.made > 370);
    CHECK(kit_status()->counters.committed > 370);
    kit_done("stop");
    kit_check_sums();
}

TEST(console_has_a_line_at_start_and_stop)
{
    uint64_t logs;

    life_begin("frequency=97 pages=4 lease=0 budget=0");
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

    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    life_run(1000);
    kit_done("stop");
    made = kit_status()->counters.made;
    life_run(5000);
    CHECK_EQ(kit_status()->counters.made, made);
    kit_done("start");
    life_run(1000);
    kit_done("stop");
    CHECK(kit_status()->counters.made > made + 190);
    CHECK_EQ(kit_status()->counters.missed, 0);
    kit_check_sums();
    kit_drain_all(&life_read);
    CHECK_EQ(life_read.samples, kit_status()->counters.committed);
}

TEST(stop_waits_for_what_is_under_way)
{
    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(1)->hold_nmis = true;
    life_run(25);
    CHECK(process_pcpu(1)->nmis_pending);
    /* Arrives while stop waits. */
    process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(process_pcpu(1)->nmis_passed, 0);
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_QUEUE], 0);
}

/* An NMI that never comes is written off, and stop does not hang. */
TEST(stop_does_not_wait_for_ever)
{
    uint64_t before;

    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(1)->drop_nmis = true;
    life_run(25);
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
        life_begin("frequency=100 pages=16 lease=0 budget=0");
        kit_done("start");
        life_run(100);
        process_pcpu(1)->hold_softirqs = true;
        life_run(30);
        CHECK(process_pcpu(1)->softirq_pending);
        if ( offline )
            process_set_offline(1);
        kit_done("stop");
        kit_check_sums();
        CHECK(kit_status()->counters.lost[XENOPROF_LOST_QUEUE] > 0);
        /* The pCPU's softirq comes after all, and finds nothing. */
        process_pcpu(1)->online = true;
        process_commit(1);
        kit_done("stop");
        kit_check_sums();
        /* And it works again after the next start. */
        process_pcpu(1)->hold_softirqs = false;
        kit_done("start");
        life_run(100);
        kit_done("stop");
        kit_check_sums();
        kit_drain_all(&life_read);
        CHECK_EQ(life_read.samples, kit_status()->counters.committed);
        memset(&life_read, 0, sizeof(life_read));
    }
}

/* The pCPU that runs the command commits its own queue. */
TEST(stop_commits_what_its_own_pcpu_queued)
{
    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    process_pcpu(0)->hold_softirqs = true;
    life_run(25);
    CHECK(process_pcpu(0)->softirq_pending);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(kit_status()->counters.lost[XENOPROF_LOST_QUEUE], 0);
    process_pcpu(0)->hold_softirqs = false;
}

TEST(stop_and_reset_of_a_halted_session)
{
    life_begin("frequency=100 pages=16 lease=1 budget=0");
    kit_done("start");
    life_run(3000);
    kit_done("reset");
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
}

TEST(overflow_is_counted_and_told)
{
    const struct xenoprof_ring_page *ring;
    uint64_t lost;

    life_begin("frequency=1000 pages=1 lease=0 budget=0");
    kit_done("start");
    life_run(1000);
    ring = kit_ring_of(XENOPROF_RING_VCPU, 5, 1);
    CHECK(ring->lost[XENOPROF_LOST_RING] > 20);
    kit_drain_all(&life_read);
    lost = life_read.lost[XENOPROF_LOST_RING];
    CHECK_EQ(lost, 0);
    /* Xen has lowered the frequency meanwhile. */
    life_run(4000);
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&life_read);
    CHECK_EQ(life_read.lost[XENOPROF_LOST_RING],
             kit_status()->counters.lost[XENOPROF_LOST_RING]);
    CHECK_EQ(life_read.samples, kit_status()->counters.committed);
    kit_done("reset");
}

TEST(hostile_consumer_stops_one_ring_only)
{
    const struct xenoprof_ring_page *ring;

    life_begin("frequency=100 pages=16 lease=0 budget=0");
    kit_done("start");
    life_run(100);
    ring = kit_ring_of(XENOPROF_RING_VCPU, 5, 1);
    *kit_consumer(ring->ring) = 12345;
    life_run(1000);
    CHECK_EQ(ring->state, XENOPROF_RING_STOPPED);
    CHECK(ring->lost[XENOPROF_LOST_STOPPED] > 90);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 0, 0)->state, XENOPROF_RING_OPEN);
    CHECK(kit_ring_of(XENOPROF_RING_VCPU, 0, 0)->committed > 100);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
    CHECK_EQ(process_host()->shared, 0);
}

TEST(unload_in_each_state)
{
    process_reset(2);
    CHECK_EQ(core_unload(), 0);
    for ( int steps = 0; steps < 3; steps++ )
    {
        life_begin("frequency=100 pages=4 lease=0 budget=0");
        if ( steps > 0 )
            kit_done("start");
        life_run(105);
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
    process_reset(256);
    kit_refused(28,
                "rings of 256 pages for each pCPU need more than 256 MiB; "
                "use smaller rings",
                "reserve sampler=nmi frequency=97 mask=3 pages=256 queue=0 "
                "lease=0 budget=0");
    CHECK_EQ(process_host()->shared, 0);
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=128 queue=0 "
             "lease=0 budget=0");
    kit_done("reset");
}

/* Guests may need what is free: 64 MiB of it stay so. */
TEST(memory_of_the_host_is_left_to_others)
{
    const uint64_t floor = XENOPROF_MEMORY_FLOOR;

    process_reset(4);
    process_host()->memory_free = floor + 4 * 5 * 4096 - 1;
    kit_refused(12,
                "only 64 MiB of the host's memory are free, and 64 must stay "
                "free for guests; make room (xl mem-set Domain-0 ...), or use "
                "smaller rings",
                "reserve sampler=nmi frequency=97 mask=3 pages=4 queue=0 "
                "lease=0 budget=0");
    CHECK_EQ(process_host()->shared, 0);
    process_host()->memory_free = floor + (1ul << 20);
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    /* A domain gets rings as long as there is room, and no more. */
    kit_done("domain id=5 vcpus=64 uuid=" KIT_UUID_5 " kind=passive");
    CHECK(port_memory_free() >= floor);
    CHECK(port_memory_free() < floor + 6 * 4096);
    CHECK(kit_ring_of(XENOPROF_RING_VCPU, 5, 0));
    CHECK(!kit_ring_of(XENOPROF_RING_VCPU, 5, 63));
    CHECK(strstr(process_host()->log, "use their pCPU's ring"));
    process_set_current(1, 5, 63);
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND);
    kit_done("stop");
    kit_check_sums();
    CHECK(kit_ring_of(XENOPROF_RING_PCPU, 0, 1)->made > 60);
    kit_done("reset");
}

/* A command frees some pages at a time, so that its pCPU goes on with its own
 * work soon. */
TEST(reset_of_many_rings_is_in_pieces)
{
    unsigned int pieces = 0;
    int error;

    process_reset(2);
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=64 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=100 uuid=" KIT_UUID_5 " kind=passive");
    CHECK(process_host()->shared > 102 * 65);
    do
    {
        uint64_t before = process_host()->shared;

        error = core_command("reset");
        CHECK(before - process_host()->shared < 1024 + 65 + 8);
        pieces++;
        if ( !error )
            break;
        CHECK_EQ(error, -11);
        CHECK_TEXT(kit_state().message, "the rings are being freed; ask again");
        CHECK_EQ(kit_state().state, XENOPROF_STATE_STOPPED);
        CHECK_EQ(kit_state().status_mfn, 0);
    } while ( pieces < 100 );
    CHECK_EQ(pieces, 7);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->shared, 0);
    CHECK_EQ(process_host()->allocated, 0);
}

/* Whoever unloads does not wait for it. */
TEST(unload_in_the_middle_of_a_reset)
{
    process_reset(2);
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=256 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=20 uuid=" KIT_UUID_5 " kind=passive");
    CHECK_EQ(core_command("reset"), -11);
    CHECK_EQ(core_command("start"), -11);
    core_unload();
    CHECK_EQ(process_host()->shared, 0);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
}
