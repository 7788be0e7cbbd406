/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core-kit.h"

static struct kit_read read;

static void begin(unsigned int pcpus, const char *sampler)
{
    memset(&read, 0, sizeof(read));
    process_reset(pcpus);
    CHECK_EQ(kit_command("reserve sampler=%s frequency=100 mask=3 pages=16 "
                         "queue=0 lease=0 budget=0",
                         sampler),
             0);
    kit_done("domain id=5 vcpus=64 uuid=" KIT_UUID_5 " kind=passive");
}

static void end(void)
{
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&read);
    CHECK_EQ(read.samples, kit_status()->counters.committed);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        CHECK_EQ(process_pcpu(i)->nmis_passed, 0);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

static void busy(unsigned int pcpu)
{
    process_set_current(pcpu, 5, pcpu);
}

/* The reader keeps up, so that no ring is ever full. */
static void run(unsigned int seconds)
{
    for ( unsigned int tenth = 0; tenth < 10 * seconds; tenth++ )
    {
        process_run_until(process_now() + KIT_SECOND / 10);
        kit_drain_all(&read);
    }
}

static unsigned int armed(void)
{
    unsigned int count = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        count += process_pcpu(i)->timer != 0;
    return count;
}

static uint64_t sent(unsigned int pcpu)
{
    return process_pcpu(pcpu)->nmis_sent;
}

static void near(uint64_t got, uint64_t wanted, uint64_t by)
{
    if ( got + by < wanted || got > wanted + by )
        test_fail(__FILE__, __LINE__, "%lu is not within %lu of %lu", got, by,
                  wanted);
}

TEST(all_busy_each_is_kicked_at_the_frequency)
{
    begin(8, "nmi");
    for ( unsigned int i = 0; i < 8; i++ )
        busy(i);
    kit_done("start");
    run(10);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        near(sent(i), 1000, 2);
        near(process_pcpu(i)->ticks, 1000, 2);
    }
    CHECK_EQ(kit_status()->counters.missed, 0);
    end();
}

TEST(two_busy_kick_each_other_and_idle_ones_park)
{
    begin(4, "nmi");
    busy(1);
    busy(3);
    kit_done("start");
    CHECK_EQ(armed(), 4);
    run(10);
    CHECK_EQ(armed(), 2);
    near(sent(1), 1000, 3);
    near(sent(3), 1000, 3);
    CHECK(process_pcpu(0)->ticks < 3);
    CHECK(process_pcpu(2)->ticks < 3);
    /* An eighth of the frequency, and nothing recorded of the idle ones. */
    near(sent(0), 125, 2);
    near(sent(2), 125, 2);
    kit_done("stop");
    near(kit_status()->counters.idle, 250, 4);
    CHECK_EQ(kit_status()->counters.missed, kit_status()->counters.idle);
    kit_done("start");
    end();
}

TEST(one_busy_is_kicked_by_an_idle_one)
{
    for ( unsigned int who = 0; who < 4; who++ )
    {
        begin(4, "nmi");
        busy(who);
        kit_done("start");
        run(10);
        CHECK_EQ(armed(), 2);
        near(sent(who), 1000, 3);
        for ( unsigned int i = 0; i < 4; i++ )
            if ( i != who )
                near(sent(i), 125, 3);
        end();
    }
}

TEST(all_idle_two_go_on_ticking)
{
    uint64_t ticks = 0;

    begin(4, "nmi");
    kit_done("start");
    run(10);
    CHECK_EQ(armed(), 2);
    for ( unsigned int i = 0; i < 4; i++ )
        ticks += process_pcpu(i)->ticks;
    near(ticks, 2000, 8);
    CHECK_EQ(kit_status()->counters.made, 0);
    /* It sees who wakes up. */
    for ( unsigned int who = 0; who < 4; who++ )
    {
        uint64_t before = sent(who);

        busy(who);
        run(5);
        near(sent(who) - before, 500, 4);
        CHECK_EQ(armed(), 2);
        process_set_idle(who);
        run(1);
        CHECK_EQ(armed(), 2);
    }
    end();
}

/* Short bursts of work on each pCPU, and how long they were in all. */
struct bursts {
    uint32_t random;
    uint64_t worked[6]; /* ns */
};

#define BURST_STEP (KIT_MILLISECOND / 4)

static uint32_t any(struct bursts *bursts, uint32_t below)
{
    bursts->random = bursts->random * 1664525u + 1013904223u;
    return (bursts->random >> 8) % below;
}

/* Busy for so many steps in a thousand, in bursts of 2 ms. */
static void burst(struct bursts *bursts, unsigned int pcpu, uint32_t permille)
{
    bool idle = process_pcpu(pcpu)->current.idle;

    if ( !idle )
        bursts->worked[pcpu] += BURST_STEP;
    if ( !idle && !any(bursts, 8) )
        process_set_idle(pcpu);
    else if ( idle && any(bursts, 8000) < 1000 * permille / (1000 - permille) )
        busy(pcpu);
}

/* So many standard deviations of a number of things that happen by chance. */
static uint64_t deviations(uint64_t times, uint64_t number)
{
    uint64_t root = 1;

    while ( root * root < times * times * number )
        root++;
    return root;
}

static void bursts_are_counted(const char *sampler, unsigned int pcpus,
                               uint32_t permille)
{
    struct bursts bursts = {.random = 12345 + permille};
    uint64_t made = 0, worked = 0;

    begin(pcpus, sampler);
    kit_done("start");
    for ( unsigned int step = 0; step < 200000; step++ )
    {
        process_run_until(process_now() + BURST_STEP);
        for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
            burst(&bursts, pcpu, permille);
        if ( step % 400 == 0 )
            kit_drain_all(&read);
    }
    kit_done("stop");
    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_of(XENOPROF_RING_VCPU,
                                                            5, pcpu);

        /* A look each 10 ms. */
        uint64_t wanted = bursts.worked[pcpu] / (10 * KIT_MILLISECOND);

        near(ring->made, wanted, deviations(5, wanted));
        made += ring->made;
        worked += wanted;
    }
    near(made, worked, deviations(4, worked));
    kit_check_sums();
}

TEST(short_bursts_count_for_what_they_are)
{
    static const uint32_t permille[] = {5, 30, 200, 500, 900};

    for ( unsigned int i = 0; i < sizeof(permille) / sizeof(*permille); i++ )
    {
        bursts_are_counted("nmi", 2, permille[i]);
        bursts_are_counted("nmi", 5, permille[i]);
        bursts_are_counted("timer", 2, permille[i]);
        bursts_are_counted("timer", 5, permille[i]);
    }
}

TEST(idle_vcpus_work_has_weight_8)
{
    begin(4, "nmi");
    busy(0);
    busy(1);
    /* Idle pCPU 2 does Xen's own work, all the time. */
    process_pcpu(2)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    run(10);
    kit_done("stop");
    memset(&read, 0, sizeof(read));
    kit_drain(kit_ring_of(XENOPROF_RING_PCPU, 0, 2), true, &read);
    near(kit_ring_of(XENOPROF_RING_PCPU, 0, 2)->committed * 8, 1000, 16);
    kit_done("start");
    run(1);
    kit_done("stop");
    kit_check_sums();
}

TEST(weight_of_one_idle_sample)
{
    begin(2, "nmi");
    busy(0);
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND / 5);
    kit_drain(kit_ring_of(XENOPROF_RING_PCPU, 0, 1), true, &read);
    CHECK(read.samples > 0);
    CHECK_EQ(read.last.sample.weight, 8);
    end();
}

/* Waves of work over the pCPUs: whoever is busy is kicked at the frequency. */
TEST(work_that_moves_about)
{
    uint64_t before[16];

    begin(16, "nmi");
    kit_done("start");
    for ( unsigned int mask = 1; mask < 65536; mask = mask * 3 + 1 )
    {
        for ( unsigned int i = 0; i < 16; i++ )
        {
            if ( mask & 1u << i )
                busy(i);
            else
                process_set_idle(i);
        }
        run(1);
        for ( unsigned int i = 0; i < 16; i++ )
            before[i] = sent(i);
        run(4);
        for ( unsigned int i = 0; i < 16; i++ )
            near(sent(i) - before[i], mask & 1u << i ? 400 : 50, 4);
    }
    end();
}

TEST(one_pcpu_kicks_itself)
{
    begin(1, "nmi");
    busy(0);
    kit_done("start");
    run(10);
    near(sent(0), 1000, 2);
    process_set_idle(0);
    run(1);
    near(sent(0), 1000, 2);
    CHECK_EQ(armed(), 1);
    busy(0);
    run(1);
    near(sent(0), 1100, 3);
    end();
}

TEST(one_pcpu_in_the_set_kicks_itself)
{
    begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("pcpus set=2");
    kit_done("start");
    run(2);
    CHECK_EQ(armed(), 1);
    near(sent(2), 200, 2);
    CHECK_EQ(sent(0) + sent(1) + sent(3), 0);
    CHECK_EQ(kit_status()->pcpus, 1);
    end();
}

TEST(only_the_set_is_touched)
{
    begin(8, "nmi");
    for ( unsigned int i = 0; i < 8; i++ )
        busy(i);
    kit_done("pcpus set=1-2,5");
    kit_done("start");
    run(2);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        bool chosen = i == 1 || i == 2 || i == 5;

        near(sent(i), chosen ? 200 : 0, 2);
        CHECK_EQ(!process_pcpu(i)->ticks, !chosen);
    }
    end();
}

/* When each of the four ticked last, and what lay between. */
struct phases {
    uint64_t last[4];
    uint64_t shortest, longest;
    unsigned int ticks, close;
};

static void look_at_timer(struct phases *phases, unsigned int who)
{
    uint64_t *last = phases->last;
    uint64_t timer = process_pcpu(who)->timer, gap = timer - last[who];

    if ( last[who] && gap )
    {
        phases->ticks++;
        if ( gap < phases->shortest )
            phases->shortest = gap;
        if ( gap > phases->longest )
            phases->longest = gap;
        for ( unsigned int other = 0; other < 4; other++ )
            phases->close += other != who &&
                             timer / 10000 == last[other] / 10000;
    }
    last[who] = timer;
}

TEST(phases_are_spread_and_jittered)
{
    struct phases phases = {.shortest = ~0ul};

    begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("start");
    for ( unsigned int step = 0; step < 40000; step++ )
    {
        process_run_until(process_now() + KIT_MILLISECOND / 20);
        for ( unsigned int i = 0; i < 4; i++ )
            look_at_timer(&phases, i);
    }
    /* 10 ms on average, between 7.5 and 12.5. */
    near(phases.ticks, 800, 8);
    CHECK(phases.shortest >= 7500000 && phases.shortest < 9000000);
    CHECK(phases.longest <= 12500000 && phases.longest > 11000000);
    /* No two of them tick in the same 10 us, but by chance. */
    CHECK(phases.close < phases.ticks / 50);
    kit_done("stop");
    kit_check_sums();
}

TEST(ticks_that_come_late_are_missed)
{
    struct xenoprof_counters before;

    begin(2, "nmi");
    busy(0);
    busy(1);
    kit_done("start");
    run(1);
    kit_done("stop");
    before = kit_status()->counters;
    CHECK_EQ(before.missed, 0);
    kit_done("start");
    /* Both pCPUs are in Xen, interrupts off, for a long time. */
    process_pass(KIT_SECOND);
    run(1);
    kit_done("stop");
    near(kit_status()->counters.due - before.due, 400, 4);
    near(kit_status()->counters.missed, 200, 4);
    kit_done("start");
    end();
}

TEST(kicker_that_is_stuck)
{
    begin(2, "nmi");
    busy(0);
    busy(1);
    kit_done("start");
    run(1);
    process_pcpu(0)->hold_softirqs = true;
    run(1);
    process_pcpu(0)->hold_softirqs = false;
    run(1);
    kit_done("stop");
    /* pCPU 0 was kicked all the time; pCPU 1 was not, and that is known. */
    near(sent(0), 300, 3);
    near(sent(1), 200, 3);
    kit_check_sums();
    near(kit_status()->counters.due, 600, 6);
    near(kit_status()->counters.missed, 100, 3);
    kit_done("start");
    end();
}

TEST(pcpu_that_does_not_answer)
{
    begin(2, "nmi");
    busy(0);
    busy(1);
    process_pcpu(1)->drop_nmis = true;
    kit_done("start");
    run(10);
    /* One in 100 to 110 ms is sent; all of them are missed. */
    near(sent(1), 95, 6);
    kit_done("stop");
    CHECK_EQ(kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->made, 0);
    near(kit_status()->counters.missed, 1000, 3);
    kit_check_sums();
}

TEST(slot_that_is_taken_for_a_while)
{
    begin(2, "nmi");
    busy(0);
    busy(1);
    kit_done("start");
    run(1);
    process_host()->slot = PORT_SLOT_OTHERS;
    process_run_until(process_now() + KIT_SECOND / 2);
    near(sent(0), 100, 2);
    process_host()->slot = PORT_SLOT_OURS;
    run(1);
    near(sent(0), 200, 3);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RUNNING);
    near(kit_status()->counters.missed, 100, 3);
    end();
}

TEST(slot_that_is_taken_for_good)
{
    begin(2, "nmi");
    busy(0);
    busy(1);
    kit_done("start");
    run(1);
    process_host()->slot = PORT_SLOT_OTHERS;
    process_run_until(process_now() + 3 * KIT_SECOND);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(armed(), 0);
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

TEST(offline_and_back)
{
    uint64_t before[4];

    begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("start");
    run(1);
    process_set_offline(2);
    process_set_idle(2);
    run(1);
    CHECK_EQ(armed(), 3);
    CHECK_EQ(kit_status()->pcpus, 3);
    for ( unsigned int i = 0; i < 4; i++ )
        before[i] = sent(i);
    run(2);
    for ( unsigned int i = 0; i < 4; i++ )
        near(sent(i) - before[i], i == 2 ? 0 : 200, 3);
    process_pcpu(2)->online = true;
    busy(2);
    run(1);
    CHECK_EQ(armed(), 4);
    CHECK_EQ(process_pcpu(2)->timer_place, 2);
    for ( unsigned int i = 0; i < 4; i++ )
        before[i] = sent(i);
    run(2);
    for ( unsigned int i = 0; i < 4; i++ )
        near(sent(i) - before[i], 200, 3);
    end();
}

/* Xen has moved a timer; its own pCPU is back before it runs out. */
TEST(timer_that_was_moved_goes_home)
{
    begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("start");
    run(1);
    process_set_offline(2);
    process_pcpu(2)->online = true;
    CHECK(process_pcpu(2)->timer_place != 2);
    run(1);
    CHECK_EQ(process_pcpu(2)->timer_place, 2);
    /* The tick that ran in the wrong place kicked nobody. */
    CHECK_EQ(kit_status()->counters.missed, 1);
    end();
}

TEST(ticking_pcpu_goes_offline)
{
    unsigned int who = 0;

    begin(4, "nmi");
    kit_done("start");
    run(1);
    CHECK_EQ(armed(), 2);
    while ( !process_pcpu(who)->timer )
        who++;
    process_set_offline(who);
    run(1);
    CHECK_EQ(armed(), 2);
    for ( unsigned int i = 0; i < 4; i++ )
        CHECK(!process_pcpu(i)->timer || process_pcpu(i)->online);
    end();
}

TEST(whole_set_goes_offline_and_comes_back)
{
    begin(4, "nmi");
    busy(1);
    busy(2);
    kit_done("pcpus set=1,2");
    kit_done("start");
    run(1);
    process_set_offline(1);
    process_set_offline(2);
    run(1);
    CHECK_EQ(armed(), 1);
    process_pcpu(1)->online = process_pcpu(2)->online = true;
    run(2);
    CHECK_EQ(armed(), 2);
    near(sent(1), 300, 8);
    near(sent(2), 300, 8);
    end();
}

TEST(pcpu_that_comes_online_later_takes_part_from_the_next_start)
{
    memset(&read, 0, sizeof(read));
    process_reset(4);
    process_set_offline(3);
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=4 queue=0 "
             "lease=0 budget=0");
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("start");
    CHECK(!kit_ring_of(XENOPROF_RING_PCPU, 0, 3));
    run(1);
    process_pcpu(3)->online = true;
    run(1);
    CHECK_EQ(sent(3), 0);
    CHECK(!process_interrupt(3, NULL));
    process_commit(3);
    process_pcpu(3)->nmis_passed = 0;
    kit_done("stop");
    kit_done("start");
    CHECK(kit_ring_of(XENOPROF_RING_PCPU, 0, 3));
    run(1);
    near(sent(3), 100, 3);
    end();
}

/* ... if it is in the set that was chosen before. */
TEST(pcpu_that_comes_online_later_was_not_chosen)
{
    memset(&read, 0, sizeof(read));
    process_reset(4);
    process_set_offline(2);
    process_set_offline(3);
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("pcpus set=0,1,3");
    process_pcpu(2)->online = process_pcpu(3)->online = true;
    for ( unsigned int i = 0; i < 4; i++ )
        busy(i);
    kit_done("start");
    run(1);
    near(sent(0), 100, 3);
    CHECK_EQ(sent(2), 0);
    near(sent(3), 100, 3);
    end();
}

/* A resume from S3 takes the softirq's hook away. */
TEST(hook_that_is_lost_comes_back)
{
    begin(2, "nmi");
    busy(0);
    busy(1);
    kit_done("start");
    run(1);
    process_host()->hooked = false;
    process_run_until(process_now() + KIT_SECOND / 10);
    CHECK(process_host()->hooked);
    end();
}

TEST(timer_sampler_samples_its_own_pcpu)
{
    begin(4, "timer");
    busy(0);
    busy(2);
    process_pcpu(2)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    run(10);
    CHECK_EQ(armed(), 2);
    CHECK_EQ(sent(0) + sent(1) + sent(2) + sent(3), 0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    near(kit_ring_of(XENOPROF_RING_VCPU, 5, 0)->committed, 1000, 2);
    near(kit_ring_of(XENOPROF_RING_VCPU, 5, 2)->committed, 1000, 2);
    memset(&read, 0, sizeof(read));
    process_run_until(process_now() + KIT_SECOND / 20);
    kit_drain(kit_ring_of(XENOPROF_RING_VCPU, 5, 2), true, &read);
    CHECK_EQ(read.last.sample.marks, XENOPROF_MARK_NO_IP);
    CHECK_EQ(read.last.sample.ip, 0);
    CHECK_EQ(read.last.sample.head.parts,
             XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS);
    kit_drain(kit_ring_of(XENOPROF_RING_VCPU, 5, 0), true, &read);
    CHECK_EQ(read.last.sample.marks, 0);
    CHECK_EQ(read.last.sample.ip, process_pcpu(0)->frame.at.ip);
    kit_done("stop");
    kit_check_sums();
}

TEST(timer_sampler_claims_no_nmi)
{
    begin(2, "timer");
    busy(0);
    kit_done("start");
    CHECK(!process_interrupt(0, NULL));
    process_pcpu(0)->nmis_passed = 0;
    run(1);
    end();
}

TEST(host_has_a_ceiling)
{
    begin(64, "nmi");
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=1000 mask=0 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_status()->frequency, 78);
    CHECK_EQ(kit_status()->asked, 1000);
    kit_done("pcpus set=0-3");
    kit_done("start");
    CHECK_EQ(kit_status()->frequency, 1000);
    kit_done("stop");
    kit_done("reset");
}

/* The host's rate stays what it may be, whoever comes and goes. */
TEST(ceiling_follows_the_online_map)
{
    begin(100, "nmi");
    for ( unsigned int i = 0; i < 100; i++ )
        busy(i);
    kit_done("start");
    CHECK_EQ(kit_status()->frequency, 50);
    for ( unsigned int i = 50; i < 100; i++ )
        process_set_offline(i);
    process_run_until(process_now() + KIT_SECOND);
    CHECK_EQ(kit_status()->frequency, 100);
    CHECK_EQ(kit_status()->pcpus, 50);
    for ( unsigned int i = 50; i < 75; i++ )
        process_pcpu(i)->online = true;
    process_run_until(process_now() + KIT_SECOND);
    CHECK_EQ(kit_status()->frequency, 66);
    kit_done("stop");
    kit_check_sums();
}

TEST(many_pcpus_at_a_ceiling)
{
    begin(200, "nmi");
    for ( unsigned int i = 0; i < 200; i++ )
        busy(i);
    kit_done("start");
    CHECK_EQ(kit_status()->frequency, 25);
    process_run_until(process_now() + 4 * KIT_SECOND);
    for ( unsigned int i = 0; i < 200; i++ )
        near(sent(i), 100, 2);
    kit_done("stop");
    kit_check_sums();
}
