/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trouble: late ticks, pCPUs that do not answer, or go offline and come back,
 * an NMI callback or a hook that somebody else has taken. */
#include <string.h>

#include "ticker-kit.h"

TEST(ticks_that_come_late_are_missed)
{
    struct xenoprof_counters before;

    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    kit_done("stop");
    before = kit_status()->counters;
    CHECK_EQ(before.missed, 0);
    kit_done("start");
    /* Both pCPUs are in Xen, interrupts off, for a long time. */
    process_pass(KIT_SECOND);
    ticker_run(1);
    kit_done("stop");
    ticker_near(kit_status()->counters.due - before.due, 400, 4);
    ticker_near(kit_status()->counters.missed, 200, 4);
    kit_done("start");
    ticker_end();
}

TEST(kicker_that_is_stuck)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    process_pcpu(0)->hold_softirqs = true;
    ticker_run(1);
    process_pcpu(0)->hold_softirqs = false;
    ticker_run(1);
    kit_done("stop");
    /* pCPU 0 was kicked all the time; pCPU 1 was not, and the counters say
     * so. */
    ticker_near(ticker_sent(0), 300, 3);
    ticker_near(ticker_sent(1), 200, 3);
    kit_check_sums();
    ticker_near(kit_status()->counters.due, 600, 6);
    ticker_near(kit_status()->counters.missed, 100, 3);
    kit_done("start");
    ticker_end();
}

TEST(pcpu_that_does_not_answer)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    process_pcpu(1)->drop_nmis = true;
    kit_done("start");
    ticker_run(10);
    /* One NMI is sent in 100 to 110 ms; all of them are missed. */
    ticker_near(ticker_sent(1), 95, 6);
    kit_done("stop");
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->made, 0);
    ticker_near(kit_status()->counters.missed, 1000, 3);
    kit_check_sums();
}

/* How often pCPU 0 may be interrupted before the NMI comes; 0: it came. */
static unsigned int turns_left;

static void late_nmi(unsigned int pcpu)
{
    if ( pcpu || !turns_left || --turns_left )
        return;
    process_pcpu(0)->nmis_pending = 0;
    CHECK(process_interrupt(0, NULL));
}

/* The NMI that pCPU 1 asked for before it went comes at a moment of the tick
 * that takes pCPU 0's own sample.  Returns how many ticks were missed. */
static uint64_t cross(unsigned int turns)
{
    const struct xenoprof_counters *counters;

    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    process_pcpu(0)->hold_nmis = true;
    while ( !process_pcpu(0)->nmis_pending )
        process_run_until(process_now() + KIT_SECOND / 1000);
    process_set_offline(1);
    turns_left = turns;
    process_host()->held = late_nmi;
    ticker_run(1);
    CHECK_EQ(turns_left, 0);
    process_pcpu(0)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
    counters = &kit_status()->counters;
    CHECK_EQ(counters->committed,
             kit_ring_of(XENOPROF_RING_VCPU, 5, 0)->committed +
                 kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->committed);
    return counters->missed;
}

TEST(nmi_that_crosses_the_last_members_own_sample)
{
    uint64_t missed = 0;

    for ( unsigned int turns = 1; turns <= 12; turns++ )
    {
        uint64_t more = cross(turns);

        CHECK(more <= 1);
        missed += more;
        process_host()->held = NULL;
        kit_done("start");
        ticker_end();
    }
    CHECK(missed > 0);
}

/* NMIs of ours were lost, however many: a second later another one, of the BMC
 * or a debug key, is somebody else's. */
TEST(foreign_nmi_is_never_swallowed_later)
{
    for ( int idle = 0; idle < 2; idle++ )
    {
        ticker_begin(2, "nmi");
        ticker_busy(0);
        ticker_busy(1);
        kit_done("start");
        process_pcpu(1)->drop_nmis = true;
        ticker_run(1);
        process_pcpu(1)->drop_nmis = false;
        process_run_until(process_now() + KIT_SECOND / 5);
        if ( idle )
            process_set_idle(1);
        ticker_run(2);
        CHECK(!process_interrupt(1, NULL));
        process_pcpu(1)->nmis_passed = 0;
        ticker_end();
    }
}

TEST(slot_that_is_taken_for_a_while)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    process_host()->slot = PORT_SLOT_OTHERS;
    process_run_until(process_now() + KIT_SECOND / 2);
    ticker_near(ticker_sent(0), 100, 2);
    process_host()->slot = PORT_SLOT_OURS;
    ticker_run(1);
    ticker_near(ticker_sent(0), 200, 3);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    ticker_near(kit_status()->counters.missed, 100, 3);
    ticker_end();
}

TEST(slot_that_is_taken_for_good)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    process_host()->slot = PORT_SLOT_OTHERS;
    process_run_until(process_now() + 3 * KIT_SECOND);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(ticker_armed(), 0);
    CHECK_EQ(kit_state().nmi_slot, 2);
    kit_done("stop");
    CHECK_EQ(kit_status()->stop_reason, XENOPROF_STOP_NMI_SLOT);
    CHECK_EQ(process_host()->slot, PORT_SLOT_OTHERS);
    kit_check_sums();
    kit_refused(16,
                "somebody else took Xen's NMI callback since reserve; "
                "reset and reserve again",
                "start");
    CHECK_EQ(process_host()->hooked, 0);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

/* Returns a pCPU that ticks. */
static unsigned int one_that_ticks(void)
{
    unsigned int who = 0;

    while ( !process_pcpu(who)->timer )
        who++;
    return who;
}

TEST(offline_and_back)
{
    unsigned int who;
    uint64_t before[4];

    ticker_begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("start");
    ticker_run(1);
    who = one_that_ticks();
    process_set_offline(who);
    process_set_idle(who);
    ticker_run(1);
    CHECK_EQ(ticker_armed(), 2);
    CHECK(!process_pcpu(who)->timer);
    CHECK_EQ(kit_status()->pcpus, 3);
    for ( unsigned int i = 0; i < 4; i++ )
        before[i] = ticker_sent(i);
    ticker_run(2);
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_near(ticker_sent(i) - before[i], i == who ? 0 : 200, 3);
    process_pcpu(who)->online = true;
    ticker_busy(who);
    ticker_run(1);
    for ( unsigned int i = 0; i < 4; i++ )
        before[i] = ticker_sent(i);
    ticker_run(2);
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_near(ticker_sent(i) - before[i], 200, 3);
    ticker_end();
}

/* Xen has moved a timer; its own pCPU is back before it runs out. */
TEST(timer_that_was_moved_goes_home)
{
    unsigned int who;

    ticker_begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("start");
    ticker_run(1);
    who = one_that_ticks();
    process_set_offline(who);
    process_pcpu(who)->online = true;
    CHECK(process_pcpu(who)->timer_pcpu != who);
    ticker_run(1);
    CHECK_EQ(process_pcpu(who)->timer_pcpu, who);
    /* The tick that ran in the wrong place kicked nobody. */
    CHECK(kit_status()->counters.missed >= 1);
    CHECK(kit_status()->counters.missed <= 4);
    ticker_end();
}

TEST(ticking_pcpu_goes_offline)
{
    unsigned int who;

    ticker_begin(4, "nmi");
    kit_done("start");
    ticker_run(1);
    CHECK_EQ(ticker_armed(), 2);
    who = one_that_ticks();
    process_set_offline(who);
    ticker_run(1);
    CHECK_EQ(ticker_armed(), 2);
    for ( unsigned int i = 0; i < 4; i++ )
        CHECK(!process_pcpu(i)->timer || process_pcpu(i)->online);
    ticker_end();
}

TEST(whole_set_goes_offline_and_comes_back)
{
    ticker_begin(4, "nmi");
    ticker_busy(1);
    ticker_busy(2);
    kit_done("pcpus set=1,2");
    kit_done("start");
    ticker_run(1);
    process_set_offline(1);
    process_set_offline(2);
    ticker_run(1);
    CHECK_EQ(ticker_armed(), 1);
    process_pcpu(1)->online = process_pcpu(2)->online = true;
    ticker_run(2);
    CHECK_EQ(ticker_armed(), 2);
    ticker_near(ticker_sent(1), 300, 8);
    ticker_near(ticker_sent(2), 300, 8);
    ticker_end();
}

TEST(pcpu_that_comes_online_later_takes_part_from_the_next_start)
{
    memset(&ticker_read, 0, sizeof(ticker_read));
    process_reset(4);
    process_set_offline(3);
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=4 queue=0 "
             "lease=0 budget=0");
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("start");
    CHECK(!kit_ring_of(XENOPROF_RING_PCPU, 0, 3));
    ticker_run(1);
    process_pcpu(3)->online = true;
    ticker_run(1);
    CHECK_EQ(ticker_sent(3), 0);
    CHECK(!process_interrupt(3, NULL));
    process_commit(3);
    process_pcpu(3)->nmis_passed = 0;
    kit_done("stop");
    kit_done("start");
    CHECK(kit_ring_of(XENOPROF_RING_PCPU, 0, 3));
    ticker_run(1);
    ticker_near(ticker_sent(3), 100, 3);
    ticker_end();
}

/* ... if it is in the set that was chosen before. */
TEST(pcpu_that_comes_online_later_was_not_chosen)
{
    memset(&ticker_read, 0, sizeof(ticker_read));
    process_reset(4);
    process_set_offline(2);
    process_set_offline(3);
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("pcpus set=0,1,3");
    process_pcpu(2)->online = process_pcpu(3)->online = true;
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("start");
    ticker_run(1);
    ticker_near(ticker_sent(0), 100, 3);
    CHECK_EQ(ticker_sent(2), 0);
    ticker_near(ticker_sent(3), 100, 3);
    ticker_end();
}

/* A resume from S3 takes the softirq's hook away. */
TEST(hook_that_is_lost_comes_back)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    kit_done("start");
    ticker_run(1);
    process_host()->hooked = false;
    process_run_until(process_now() + KIT_SECOND / 10);
    CHECK(process_host()->hooked);
    ticker_end();
}
