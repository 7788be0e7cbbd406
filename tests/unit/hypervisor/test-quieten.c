/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How sampling ends: by stop, or by itself. */
#include "core-kit.h"
#include "hypervisor/presence.h"
#include "hypervisor/quieten.h"

#define AGAIN (-11)

static void run(uint64_t milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}

/* Two busy pCPUs, sampled for a while. */
static void begin(unsigned int lease)
{
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    CHECK_EQ(kit_command("reserve sampler=nmi frequency=100 mask=3 pages=16 "
                         "queue=0 lease=%u budget=0",
                         lease),
             0);
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("start");
    run(100);
}

static uint64_t lost(void)
{
    return kit_status()->counters.lost[XENOPROF_LOST_QUEUE];
}

/* Its NMI came when it had looked for softirqs for the last time. */
TEST(stop_wakes_a_pcpu_that_sleeps_on_a_sample)
{
    uint64_t before;

    begin(0);
    process_pcpu(1)->asleep = true;
    run(15);
    CHECK(process_pcpu(1)->softirq_pending);
    before = process_now();
    CHECK_EQ(core_command("stop"), 0);
    CHECK(process_now() - before < KIT_MILLISECOND);
    CHECK_EQ(process_pcpu(1)->calls, 1);
    CHECK_EQ(lost(), 0);
    kit_check_sums();
}

/* Each piece is short, and there is an end. */
static void stop_in_pieces(uint64_t from, uint64_t to)
{
    uint64_t before = process_now(), piece;
    int error;

    do
    {
        piece = process_now();
        error = core_command("stop");
        CHECK(process_now() - piece <= QUIETEN_PIECE);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_STOPPED);
        if ( error )
        {
            CHECK_EQ(error, AGAIN);
            CHECK_TEXT(kit_state().message,
                       "samples are still on their way to their rings; ask "
                       "again");
            /* Others run meanwhile. */
            run(1);
        }
    } while ( error );
    CHECK(process_now() - before >= from * KIT_MILLISECOND);
    CHECK(process_now() - before <= to * KIT_MILLISECOND);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_ASKED);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    CHECK_EQ(process_host()->hooked, 0);
    kit_check_sums();
}

TEST(stop_is_in_pieces_while_a_sample_is_not_committed)
{
    begin(0);
    process_pcpu(1)->hold_softirqs = true;
    run(30);
    stop_in_pieces(290, 320);
    CHECK(lost() > 0);
    /* Once in 10 ms. */
    CHECK(process_pcpu(1)->calls > 20 && process_pcpu(1)->calls <= 31);
    /* A new start takes no notice of it. */
    process_pcpu(1)->hold_softirqs = false;
    kit_done("start");
    run(100);
    CHECK_EQ(core_command("stop"), 0);
    kit_check_sums();
}

TEST(stop_is_in_pieces_while_an_nmi_does_not_come)
{
    begin(0);
    process_pcpu(1)->drop_nmis = true;
    run(15);
    CHECK_EQ(core_command("stop"), AGAIN);
    CHECK_EQ(process_host()->slot, PORT_SLOT_OURS);
    /* Whatever is asked, the stop goes on. */
    CHECK_EQ(core_command("reset"), AGAIN);
    stop_in_pieces(50, 110);
    CHECK_EQ(lost(), 0);
}

static void end_of_lease(void)
{
    for ( int i = 0; i < 5000; i++ )
        if ( kit_state().state == XENOPROF_STATE_RUNNING )
            run(1);
}

/* An NMI of ours is still under way then: it must not reach dom0. */
TEST(callback_is_given_back_after_the_last_nmi)
{
    begin(1);
    run(880);
    process_pcpu(1)->hold_nmis = true;
    end_of_lease();
    CHECK(process_pcpu(1)->nmis_pending);
    run(50);
    CHECK_EQ(process_host()->slot, PORT_SLOT_OURS);
    process_pcpu(1)->hold_nmis = false;
    run(50);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(process_pcpu(1)->nmis_passed, 0);
    CHECK_EQ(core_command("stop"), 0);
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_LEASE);
    CHECK_EQ(lost(), 0);
    kit_check_sums();
}

/* It may have seen that the session runs, and be about to send an NMI. */
TEST(callback_is_given_back_after_the_last_tick)
{
    begin(1);
    CHECK(presence_enter(PRESENCE_TICK, 1));
    process_pcpu(1)->timer = 0;
    end_of_lease();
    run(300);
    CHECK_EQ(process_host()->slot, PORT_SLOT_OURS);
    presence_leave(PRESENCE_TICK, 1);
    run(50);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    kit_done("stop");
    kit_check_sums();
}

TEST(end_of_lease_wakes_a_pcpu_that_sleeps_on_a_sample)
{
    begin(1);
    run(880);
    process_pcpu(1)->asleep = true;
    run(15);
    CHECK(process_pcpu(1)->softirq_pending);
    end_of_lease();
    run(50);
    CHECK(process_pcpu(1)->calls > 0);
    CHECK(!process_pcpu(1)->softirq_pending);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(core_command("stop"), 0);
    CHECK_EQ(lost(), 0);
    kit_check_sums();
}
