/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/first-half.h"
#include "hypervisor/queue.h"
#include "sample-kit.h"

/* Every case there is. */
static const struct {
    struct nmi_signs nmi; /* asked, watchdog, due, followed */
    enum nmi_claim claim;
} claims[] = {
    {{false, false, false, false}, NMI_PASS},
    {{false, false, false, true}, NMI_PASS},
    {{false, false, true, false}, NMI_PASS},
    {{false, false, true, true}, NMI_PASS},
    {{false, true, false, false}, NMI_PASS},
    {{false, true, false, true}, NMI_SWALLOW},
    {{false, true, true, false}, NMI_PASS},
    {{false, true, true, true}, NMI_PASS},
    {{true, false, false, false}, NMI_CLAIM},
    {{true, false, false, true}, NMI_CLAIM},
    {{true, false, true, false}, NMI_CLAIM},
    {{true, false, true, true}, NMI_CLAIM},
    {{true, true, false, false}, NMI_CLAIM},
    {{true, true, false, true}, NMI_CLAIM},
    {{true, true, true, false}, NMI_PASS_BOTH},
    {{true, true, true, true}, NMI_PASS_BOTH},
};

TEST(watchdog_shares_its_nmis)
{
    CHECK_EQ(sizeof(claims) / sizeof(*claims), 16);
    for ( unsigned int i = 0; i < sizeof(claims) / sizeof(*claims); i++ )
        CHECK_EQ(first_half_claim(claims[i].nmi), claims[i].claim);
}

static void session_beside_watchdog(void)
{
    process_reset(2);
    process_host()->watchdog = true;
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=1 queue=0 "
             "lease=0 budget=0 insist=1");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_NMI);
    process_set_current(0, 5, 0);
    process_set_current(1, 5, 1);
    kit_done("start");
}

TEST(watchdog_sees_each_of_its_ticks)
{
    session_beside_watchdog();
    process_host()->watchdog_due = true;
    CHECK(!process_interrupt(0, NULL));
    CHECK(!process_interrupt(0, NULL));
    process_host()->watchdog_due = false;
    CHECK(!process_interrupt(0, NULL));
    kit_done("stop");
    kit_check_sums();
}

TEST(watchdog_and_sample_in_one_nmi)
{
    session_beside_watchdog();
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = true;
    process_run_until(process_now() + 13 * KIT_MILLISECOND);
    CHECK(process_pcpu(1)->nmis_pending);
    process_host()->watchdog_due = true;
    /* Both: the watchdog gets the NMI, and the sample is still taken. */
    CHECK(!process_interrupt(1, NULL));
    process_host()->watchdog_due = false;
    /* The second of the two: swallowed, once. */
    CHECK(process_interrupt(1, NULL));
    CHECK(!process_interrupt(1, NULL));
    process_pcpu(1)->nmis_pending = 0;
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
    CHECK(kit_status()->counters.made > 0);
}

/* It comes just when the second of two may: the board says that it is its. */
TEST(nmi_of_the_board_is_not_swallowed)
{
    session_beside_watchdog();
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = true;
    process_run_until(process_now() + 13 * KIT_MILLISECOND);
    CHECK(process_pcpu(0)->nmis_pending);
    process_host()->watchdog_due = true;
    CHECK(!process_interrupt(0, NULL));
    process_host()->watchdog_due = false;
    CHECK_EQ(process_host()->port_61_looks, 0);
    process_host()->port_61 = 0x80;
    CHECK(!process_interrupt(0, NULL));
    process_host()->port_61 = 0;
    CHECK(process_interrupt(0, NULL));
    CHECK(!process_interrupt(0, NULL));
    CHECK_EQ(process_host()->port_61_looks, 2);
    process_pcpu(0)->nmis_pending = 0;
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
}

/* An NMI was ours and the watchdog's; nothing was done since then but that so
 * much time passed. */
static void both_came(uint64_t ago)
{
    session_beside_watchdog();
    process_pcpu(1)->hold_nmis = true;
    process_run_until(process_now() + 13 * KIT_MILLISECOND);
    process_host()->watchdog_due = true;
    CHECK(!process_interrupt(1, NULL));
    process_host()->watchdog_due = false;
    process_pass(ago);
    process_pcpu(1)->nmis_pending = 0;
}

static void both_end(void)
{
    process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
}

/* Firmware held the first one's handler up. */
TEST(nmi_that_follows_is_ours_however_late)
{
    both_came(200 * KIT_MILLISECOND);
    CHECK(process_interrupt(1, NULL));
    CHECK(!process_interrupt(1, NULL));
    both_end();
}

TEST(nmi_after_a_softirq_follows_none)
{
    both_came(0);
    process_commit(1);
    CHECK(!process_interrupt(1, NULL));
    both_end();
}

TEST(nmi_that_follows_too_late_is_not_ours)
{
    both_came(1001 * KIT_MILLISECOND);
    CHECK(!process_interrupt(1, NULL));
    both_end();
}

/* The time is that of the first half, however late the second comes. */
TEST(sample_has_the_time_of_the_nmi)
{
    uint64_t then;

    sample_begin();
    sample_ask();
    then = process_now();
    CHECK(process_interrupt(1, NULL));
    process_pass(30 * KIT_MILLISECOND);
    process_commit(1);
    CHECK_EQ(sample_in(VCPU_RING(5, 1))->sample.time, then);
    sample_end();
}

TEST(idle_routine_makes_no_sample)
{
    sample_begin();
    sample_ask();
    process_set_idle(1);
    CHECK(process_interrupt(1, NULL));
    CHECK(!sample_pcpu()->softirq_pending);
    process_commit(1);
    CHECK_EQ(PCPU_RING(1)->made, 0);
    sample_end();
}

TEST(idle_vcpu_at_work)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    process_set_idle(1);
    sample_pcpu()->frame.at.mode = XENOPROF_MODE_XEN;
    sample_pcpu()->frame.at.ip = 0xffff82d040300000;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.ip, 0xffff82d040300000);
    CHECK_EQ(got->sample.mode, XENOPROF_MODE_XEN);
    CHECK_EQ(got->sample.domain, 0x7fff);
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.weight, 1);
    sample_end();
}

TEST(queue_that_is_full_is_told)
{
    uint64_t made;

    sample_begin();
    for ( unsigned int i = 0; i < QUEUE_DEPTH_MIN + 4; i++ )
    {
        sample_ask();
        CHECK(process_interrupt(1, NULL));
        process_pass(20 * KIT_MILLISECOND);
    }
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK_EQ(sample_read.samples, QUEUE_DEPTH_MIN);
    made = PCPU_RING(1)->made;
    CHECK_EQ(made, 4);
    CHECK_EQ(PCPU_RING(1)->lost[XENOPROF_LOST_QUEUE], 4);
    /* Reported before the next record in the pCPU's ring. */
    process_set_current(1, 9, 0);
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(PCPU_RING(1), true, &sample_read);
    CHECK_EQ(sample_read.lost[XENOPROF_LOST_QUEUE], 4);
    CHECK_EQ(sample_read.samples, QUEUE_DEPTH_MIN + 1);
    sample_end();
}

TEST(nmi_that_nobody_asked_for_is_not_ours)
{
    sample_begin();
    CHECK(!process_interrupt(0, NULL));
    CHECK(!process_interrupt(1, NULL));
    sample_end();
    CHECK(!process_interrupt(0, NULL));
}

TEST(nmi_before_there_is_a_session)
{
    process_reset(2);
    CHECK(!process_interrupt(0, NULL));
    process_commit(1);
    core_tick(0);
}

/* Written off after 100 ms; then one late one is claimed, without a sample. */
TEST(late_nmi_is_claimed_once)
{
    sample_begin();
    sample_ask();
    process_pass(101 * KIT_MILLISECOND);
    sample_ask(); /* writes off the first, asks for another */
    CHECK(process_interrupt(1, NULL));
    CHECK(process_interrupt(1, NULL));
    CHECK(!process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK_EQ(sample_read.samples, 1);
    sample_end();
}

TEST(second_nmi_is_not_sent_while_one_is_outstanding)
{
    uint64_t sent;

    sample_begin();
    sample_ask();
    sent = sample_pcpu()->nmis_sent;
    CHECK_EQ(sent, 1);
    process_pcpu(0)->hold_softirqs = false;
    process_run_until(process_now() + 80 * KIT_MILLISECOND);
    CHECK_EQ(sample_pcpu()->nmis_sent, sent);
    process_send_nmi(1);
    sample_end();
    CHECK_EQ(sample_pcpu()->nmis_passed, 0);
}

/* Runs 100 ms at 100 Hz with two busy pCPUs, of which the second finds so many
 * bytes free on its stack. */
static void run_with_room(uint64_t room)
{
    kit_session(2);
    process_set_current(0, 5, 0);
    process_set_current(1, 5, 1);
    process_pcpu(1)->stack_room = room;
    kit_done("start");
    process_run_until(process_now() + 100 * KIT_MILLISECOND);
    kit_done("stop");
    kit_check_sums();
    CHECK(process_pcpu(1)->nmis_sent > 5);
    /* Ours all the same. */
    CHECK_EQ(process_pcpu(1)->nmis_claimed, process_pcpu(1)->nmis_sent);
    CHECK_EQ(process_pcpu(1)->nmis_passed, 0);
    CHECK_EQ(kit_status()->stack_room, room ? room : 1);
}

TEST(nmi_without_room_on_its_stack_takes_no_sample)
{
    static const uint64_t rooms[] = {0, 8, FIRST_HALF_ROOM - 1};

    for ( unsigned int i = 0; i < sizeof(rooms) / sizeof(*rooms); i++ )
    {
        run_with_room(rooms[i]);
        CHECK_EQ(kit_status()->cramped, process_pcpu(1)->nmis_sent);
        CHECK_EQ(kit_status()->counters.missed, process_pcpu(1)->nmis_sent);
        CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->made, 0);
        CHECK(!process_pcpu(1)->softirq_pending);
    }
    run_with_room(FIRST_HALF_ROOM);
    CHECK_EQ(kit_status()->cramped, 0);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->made,
             process_pcpu(1)->nmis_sent);
}

/* Work of Xen in the idle vCPU with interrupts off, perhaps just before it
 * sleeps: a raised softirq would be seen by nobody there. */
TEST(idle_vcpu_with_interrupts_off_gets_no_softirq)
{
    kit_session(2);
    process_set_current(0, 5, 0);
    kit_done("start");
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_XEN;
    process_pcpu(1)->frame.at.flags = 0x46;
    process_pcpu(1)->hold_softirqs = true;
    while ( !process_pcpu(1)->nmis_claimed )
        process_run_until(process_now() + KIT_MILLISECOND);
    CHECK(!process_pcpu(1)->softirq_pending);
    CHECK_EQ(process_pcpu(1)->calls, 0);
    /* The sample is not lost: the next look at the pCPU has it committed. */
    process_pcpu(1)->hold_softirqs = false;
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_IDLE;
    process_run_until(process_now() + 90 * KIT_MILLISECOND);
    CHECK_EQ(process_pcpu(1)->calls, 1);
    CHECK_EQ(kit_ring_of(XENOPROF_RING_PCPU, 0, 1)->committed, 1);
    kit_done("stop");
    kit_check_sums();
    /* With interrupts on it is raised, as always. */
    kit_done("start");
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_XEN;
    process_pcpu(1)->frame.at.flags = 0x246;
    process_run_until(process_now() + 90 * KIT_MILLISECOND);
    CHECK(kit_ring_of(XENOPROF_RING_PCPU, 0, 1)->committed > 1);
    CHECK_EQ(process_pcpu(1)->calls, 1);
    kit_done("stop");
}
