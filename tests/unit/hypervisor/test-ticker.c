/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pCPUs are kicked, how often, and what a sample then counts for. */
#include <string.h>

#include "ticker-kit.h"
#include "hypervisor/session.h"

static uint64_t ticks_of_all(void)
{
    uint64_t ticks = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        ticks += process_pcpu(i)->ticks;
    return ticks;
}

/* Each of so many busy pCPUs is kicked at the frequency.  A tick serves up to 8
 * of them; two that come one after the other serve more than 8. */
static void all_busy(unsigned int pcpus)
{
    uint64_t before[64], ticks;
    unsigned int tick;

    ticker_begin(pcpus, "nmi");
    for ( unsigned int i = 0; i < pcpus; i++ )
        ticker_busy(i);
    kit_done("start");
    ticker_run(1);
    tick = ticker_armed();
    CHECK(tick >= 2 && tick >= (pcpus + 7) / 8);
    CHECK(tick == 2 || tick <= 2 * pcpus / 9);
    for ( unsigned int i = 0; i < pcpus; i++ )
        before[i] = ticker_sent(i);
    ticks = ticks_of_all();
    ticker_run(9);
    for ( unsigned int i = 0; i < pcpus; i++ )
        ticker_near(ticker_sent(i) - before[i], 900, 2);
    ticker_near(ticks_of_all() - ticks, 900 * tick, 2 * tick);
    CHECK_EQ(ticker_armed(), tick);
    CHECK_EQ(kit_status()->counters.missed, 0);
    ticker_end();
}

TEST(all_busy_each_is_kicked_and_few_tick)
{
    for ( unsigned int pcpus = 2; pcpus <= 50; pcpus += pcpus / 4 + 1 )
        all_busy(pcpus);
}

/* A stretch that is too long when its ticks go idle has new ones. */
TEST(ticks_move_to_the_pcpus_that_work)
{
    uint64_t before[32];

    ticker_begin(32, "nmi");
    for ( unsigned int i = 0; i < 32; i++ )
        ticker_busy(i);
    kit_done("start");
    ticker_run(1);
    for ( unsigned int round = 0; round < 3; round++ )
    {
        bool idle[32];

        for ( unsigned int i = 0; i < 32; i++ )
            if ( (idle[i] = process_pcpu(i)->timer != 0) )
                process_set_idle(i);
        ticker_run(1);
        for ( unsigned int i = 0; i < 32; i++ )
        {
            CHECK(!idle[i] || !process_pcpu(i)->timer);
            before[i] = ticker_sent(i);
        }
        CHECK(ticker_armed() >= 4 && ticker_armed() <= 6);
        ticker_run(1);
        for ( unsigned int i = 0; i < 32; i++ )
            if ( !process_pcpu(i)->current.idle )
                ticker_near(ticker_sent(i) - before[i], 100, 2);
        for ( unsigned int i = 0; i < 32; i++ )
            ticker_busy(i);
    }
    ticker_end();
}

TEST(two_busy_kick_each_other_and_idle_ones_park)
{
    ticker_begin(4, "nmi");
    ticker_busy(1);
    ticker_busy(3);
    kit_done("start");
    CHECK_EQ(ticker_armed(), 4);
    ticker_run(10);
    CHECK_EQ(ticker_armed(), 2);
    ticker_near(ticker_sent(1), 1000, 3);
    ticker_near(ticker_sent(3), 1000, 3);
    CHECK(process_pcpu(0)->ticks < 3);
    CHECK(process_pcpu(2)->ticks < 3);
    /* An eighth of the frequency, and nothing recorded of the idle ones. */
    ticker_near(ticker_sent(0), 125, 2);
    ticker_near(ticker_sent(2), 125, 2);
    kit_done("stop");
    ticker_near(kit_status()->counters.idle, 250, 4);
    CHECK_EQ(kit_status()->counters.missed, kit_status()->counters.idle);
    kit_done("start");
    ticker_end();
}

TEST(one_busy_is_kicked_by_an_idle_one)
{
    for ( unsigned int who = 0; who < 4; who++ )
    {
        ticker_begin(4, "nmi");
        ticker_busy(who);
        kit_done("start");
        ticker_run(10);
        CHECK_EQ(ticker_armed(), 2);
        ticker_near(ticker_sent(who), 1000, 3);
        for ( unsigned int i = 0; i < 4; i++ )
            if ( i != who )
                ticker_near(ticker_sent(i), 125, 3);
        ticker_end();
    }
}

TEST(all_idle_two_go_on_ticking)
{
    ticker_begin(4, "nmi");
    kit_done("start");
    ticker_run(10);
    CHECK_EQ(ticker_armed(), 2);
    ticker_near(ticks_of_all(), 2000, 8);
    CHECK_EQ(kit_status()->counters.made, 0);
    /* The other pCPU notices each pCPU that wakes up. */
    for ( unsigned int who = 0; who < 4; who++ )
    {
        uint64_t before = ticker_sent(who);

        ticker_busy(who);
        ticker_run(5);
        ticker_near(ticker_sent(who) - before, 500, 4);
        CHECK_EQ(ticker_armed(), 2);
        process_set_idle(who);
        ticker_run(1);
        CHECK_EQ(ticker_armed(), 2);
    }
    ticker_end();
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
        ticker_busy(pcpu);
}

/* So many standard deviations of a number of random events. */
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

    ticker_begin(pcpus, sampler);
    kit_done("start");
    for ( unsigned int step = 0; step < 200000; step++ )
    {
        process_run_until(process_now() + BURST_STEP);
        for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
            burst(&bursts, pcpu, permille);
        if ( step % 400 == 0 )
            kit_drain_all(&ticker_read);
    }
    kit_done("stop");
    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_of(XENOPROF_RING_VCPU,
                                                            5, pcpu);

        /* A look each 10 ms. */
        uint64_t wanted = bursts.worked[pcpu] / (10 * KIT_MILLISECOND);

        ticker_near(ring->made, wanted, deviations(5, wanted));
        made += ring->made;
        worked += wanted;
    }
    ticker_near(made, worked, deviations(4, worked));
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
    ticker_begin(4, "nmi");
    ticker_busy(0);
    ticker_busy(1);
    /* Idle pCPU 2 does Xen's own work, all the time. */
    process_pcpu(2)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    ticker_run(10);
    kit_done("stop");
    memset(&ticker_read, 0, sizeof(ticker_read));
    kit_drain(kit_ring_of(XENOPROF_RING_PCPU, 0, 2), true, &ticker_read);
    ticker_near(kit_ring_of(XENOPROF_RING_PCPU, 0, 2)->committed * 8, 1000, 16);
    kit_done("start");
    ticker_run(1);
    kit_done("stop");
    kit_check_sums();
}

TEST(weight_of_one_idle_sample)
{
    ticker_begin(2, "nmi");
    ticker_busy(0);
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND / 5);
    kit_drain(kit_ring_of(XENOPROF_RING_PCPU, 0, 1), true, &ticker_read);
    CHECK(ticker_read.samples > 0);
    CHECK_EQ(ticker_read.last.sample.weight, 8);
    ticker_end();
}

/* Waves of work over the pCPUs: a busy pCPU is kicked at the frequency. */
TEST(work_that_moves_about)
{
    uint64_t before[16];

    ticker_begin(16, "nmi");
    kit_done("start");
    for ( unsigned int mask = 1; mask < 65536; mask = mask * 3 + 1 )
    {
        for ( unsigned int i = 0; i < 16; i++ )
        {
            if ( mask & 1u << i )
                ticker_busy(i);
            else
                process_set_idle(i);
        }
        ticker_run(1);
        for ( unsigned int i = 0; i < 16; i++ )
            before[i] = ticker_sent(i);
        ticker_run(4);
        for ( unsigned int i = 0; i < 16; i++ )
            ticker_near(ticker_sent(i) - before[i], mask & 1u << i ? 400 : 50,
                        4);
    }
    ticker_end();
}

/* An NMI from its own tick would find the tick. */
TEST(one_pcpu_samples_what_its_tick_interrupted)
{
    const struct xenoprof_ring_page *ring;
    struct process_pcpu *pcpu;
    uint64_t made;

    ticker_begin(1, "nmi");
    ticker_busy(0);
    pcpu = process_pcpu(0);
    pcpu->frame.at.mode = XENOPROF_MODE_XEN;
    pcpu->frame.entry = (struct xenoprof_entry){.kind = XENOPROF_ENTRY_SVM,
                                                .code = 0x72};
    kit_done("start");
    ticker_run(10);
    ring = kit_ring_of(XENOPROF_RING_VCPU, 5, 0);
    ticker_near(ring->committed, 1000, 2);
    CHECK_EQ(ticker_read.last.sample.marks, XENOPROF_MARK_NO_IP);
    CHECK_EQ(ticker_read.last.sample.ip, 0);
    pcpu->frame.at.mode = XENOPROF_MODE_KERNEL;
    ticker_run(1);
    CHECK_EQ(ticker_read.last.sample.marks, 0);
    CHECK_EQ(ticker_read.last.sample.ip, pcpu->frame.at.ip);
    made = ring->committed;
    process_set_idle(0);
    ticker_run(1);
    CHECK_EQ(ring->committed, made);
    CHECK_EQ(ticker_armed(), 1);
    ticker_busy(0);
    ticker_run(1);
    ticker_near(ring->committed, made + 100, 3);
    CHECK_EQ(ticker_sent(0), 0);
    ticker_end();
}

TEST(one_pcpu_in_the_set_samples_itself)
{
    ticker_begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("pcpus set=2");
    kit_done("start");
    ticker_run(2);
    CHECK_EQ(ticker_armed(), 1);
    ticker_near(kit_ring_of(XENOPROF_RING_VCPU, 5, 2)->committed, 200, 2);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        CHECK_EQ(ticker_sent(i), 0);
        CHECK_EQ(process_pcpu(i)->ticks != 0, i == 2);
    }
    CHECK_EQ(kit_status()->pcpus, 1);
    ticker_end();
}

TEST(only_the_set_is_touched)
{
    ticker_begin(8, "nmi");
    for ( unsigned int i = 0; i < 8; i++ )
        ticker_busy(i);
    kit_done("pcpus set=1-2,5");
    kit_done("start");
    ticker_run(2);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        bool chosen = i == 1 || i == 2 || i == 5;

        ticker_near(ticker_sent(i), chosen ? 200 : 0, 2);
        CHECK_EQ(!process_pcpu(i)->ticks, !chosen);
    }
    ticker_end();
}

/* When each of the four ticked last, and what lay between; two of them tick. */
struct phases {
    uint64_t last[4];
    uint64_t shortest, longest;
    unsigned int ticks, close;
};

static void look_at_timer(struct phases *phases, unsigned int who)
{
    uint64_t *last = phases->last;
    uint64_t timer = process_pcpu(who)->timer, gap = timer - last[who];

    if ( last[who] && timer && gap )
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

    ticker_begin(4, "nmi");
    for ( unsigned int i = 0; i < 4; i++ )
        ticker_busy(i);
    kit_done("start");
    for ( unsigned int step = 0; step < 40000; step++ )
    {
        process_run_until(process_now() + KIT_MILLISECOND / 20);
        for ( unsigned int i = 0; i < 4; i++ )
            look_at_timer(&phases, i);
    }
    /* 10 ms on average, between 7.5 and 12.5. */
    ticker_near(phases.ticks, 400, 8);
    CHECK(phases.shortest >= 7500000 && phases.shortest < 9000000);
    CHECK(phases.longest <= 12500000 && phases.longest > 11000000);
    /* No two of them tick in the same 10 us, except by chance. */
    CHECK(phases.close < phases.ticks / 50);
    kit_done("stop");
    kit_check_sums();
}

TEST(timer_sampler_samples_its_own_pcpu)
{
    ticker_begin(4, "timer");
    ticker_busy(0);
    ticker_busy(2);
    process_pcpu(2)->frame.at.mode = XENOPROF_MODE_XEN;
    kit_done("start");
    ticker_run(10);
    CHECK_EQ(ticker_armed(), 2);
    CHECK_EQ(ticker_sent(0) + ticker_sent(1) + ticker_sent(2) + ticker_sent(3),
             0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    ticker_near(kit_ring_of(XENOPROF_RING_VCPU, 5, 0)->committed, 1000, 2);
    ticker_near(kit_ring_of(XENOPROF_RING_VCPU, 5, 2)->committed, 1000, 2);
    memset(&ticker_read, 0, sizeof(ticker_read));
    process_run_until(process_now() + KIT_SECOND / 20);
    kit_drain(kit_ring_of(XENOPROF_RING_VCPU, 5, 2), true, &ticker_read);
    CHECK_EQ(ticker_read.last.sample.marks, XENOPROF_MARK_NO_IP);
    CHECK_EQ(ticker_read.last.sample.ip, 0);
    CHECK_EQ(ticker_read.last.sample.head.parts,
             XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS);
    kit_drain(kit_ring_of(XENOPROF_RING_VCPU, 5, 0), true, &ticker_read);
    CHECK_EQ(ticker_read.last.sample.marks, 0);
    CHECK_EQ(ticker_read.last.sample.ip, process_pcpu(0)->frame.at.ip);
    kit_done("stop");
    kit_check_sums();
}

TEST(timer_sampler_claims_no_nmi)
{
    ticker_begin(2, "timer");
    ticker_busy(0);
    kit_done("start");
    CHECK(!process_interrupt(0, NULL));
    process_pcpu(0)->nmis_passed = 0;
    ticker_run(1);
    ticker_end();
}

/* With windows of guests' stacks, of which the reader has more work, it is
 * lower. */
TEST(host_has_a_ceiling)
{
    ticker_begin(64, "nmi");
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=5000 mask=0 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_status()->frequency, 4062);
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=1000 mask=11 pages=1 queue=0 "
             "lease=0 budget=0 window=64 user-window=0");
    CHECK_EQ(kit_status()->frequency, 781);
    CHECK_EQ(kit_status()->asked, 1000);
    kit_done("pcpus set=0-3");
    kit_done("start");
    CHECK_EQ(kit_status()->frequency, 1000);
    kit_done("stop");
    kit_done("reset");
}

/* At so many samples a second of each pCPU, with windows. */
static void begin_at_ceiling(unsigned int pcpus, const char *frequency)
{
    ticker_begin(pcpus, "nmi");
    kit_done("reset");
    CHECK_EQ(kit_command("reserve sampler=nmi frequency=%s mask=11 pages=64 "
                         "queue=0 lease=0 budget=0 window=64 user-window=0",
                         frequency),
             0);
    for ( unsigned int i = 0; i < pcpus; i++ )
        ticker_busy(i);
    kit_done("start");
}

/* The host's rate stays below its ceiling while pCPUs come and go. */
TEST(ceiling_follows_the_online_map)
{
    begin_at_ceiling(100, "1000");
    CHECK_EQ(kit_status()->frequency, 500);
    for ( unsigned int i = 50; i < 100; i++ )
        process_set_offline(i);
    process_run_until(process_now() + KIT_SECOND / 5);
    CHECK_EQ(kit_status()->frequency, 1000);
    CHECK_EQ(kit_status()->pcpus, 50);
    for ( unsigned int i = 50; i < 75; i++ )
        process_pcpu(i)->online = true;
    process_run_until(process_now() + KIT_SECOND / 5);
    CHECK_EQ(kit_status()->frequency, 666);
    kit_done("stop");
    kit_check_sums();
}

TEST(many_pcpus_at_a_ceiling)
{
    begin_at_ceiling(200, "500");
    CHECK_EQ(kit_status()->frequency, 250);
    process_run_until(process_now() + 4 * KIT_SECOND / 10);
    for ( unsigned int i = 0; i < 200; i++ )
        ticker_near(ticker_sent(i), 100, 2);
    kit_done("stop");
    kit_check_sums();
}

static uint64_t stood_for[64]; /* ns of each pCPU */

static void add_up(const struct kit_sample *sample)
{
    CHECK(sample->sample.pcpu < 64);
    stood_for[sample->sample.pcpu] += (uint64_t)sample->sample.weight *
                                      sample->sample.period;
}

/* The frequency is halved and doubled up to four times, at any moment between
 * two looks: samples stand for all of the time, those around a change too. */
static void changing(const char *sampler, unsigned int pcpus)
{
    /* All of them in gcc's build; each length of time everywhere. */
    const unsigned int looks = test_share() > 2 ? 100 : 1000;
    uint64_t began, time;

    memset(stood_for, 0, sizeof(stood_for));
    ticker_begin(pcpus, sampler);
    ticker_read.each = add_up;
    for ( unsigned int i = 0; i < pcpus; i++ )
        ticker_busy(i);
    kit_done("start");
    began = process_now();
    for ( unsigned int i = 0; i < looks; i++ )
    {
        session_current()->budget.pace.slowed = i * i % 5;
        process_run_until(process_now() + (200 + i % 97) * KIT_MILLISECOND);
        kit_drain_all(&ticker_read);
    }
    time = process_now() - began;
    CHECK_EQ(kit_status()->counters.missed, 0);
    kit_done("stop");
    kit_drain_all(&ticker_read);
    for ( unsigned int i = 0; i < pcpus; i++ )
        ticker_near(stood_for[i], time, 200 * KIT_MILLISECOND);
    ticker_end();
}

TEST(samples_stand_for_all_time_while_the_frequency_changes)
{
    changing("nmi", 2);
    changing("nmi", 3);
    changing("nmi", 40);
    changing("timer", 1);
    changing("timer", 7);
}
