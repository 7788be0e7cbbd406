/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/queue.h"
#include <string.h>

#include "core-kit.h"

#define VCPU_RING(domain, vcpu) kit_ring_of(XENOPROF_RING_VCPU, domain, vcpu)
#define PCPU_RING(pcpu)         kit_ring_of(XENOPROF_RING_PCPU, 0, pcpu)

static struct kit_read read;

/* Sampling, with every NMI and softirq in the test's hands: pCPU 1 is asked
 * for one NMI, which waits. */
static void begin(void)
{
    memset(&read, 0, sizeof(read));
    kit_session(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = true;
        process_pcpu(i)->hold_softirqs = true;
    }
    kit_done("start");
}

/* One NMI for pCPU 1 is outstanding after this, and no other. */
static void ask(void)
{
    process_pcpu(0)->hold_softirqs = false;
    process_run_until(process_now() + 15 * KIT_MILLISECOND);
    process_pcpu(0)->hold_softirqs = true;
    CHECK(process_pcpu(1)->nmis_pending > 0);
    process_pcpu(1)->nmis_pending = 0;
}

static struct process_pcpu *one(void)
{
    return process_pcpu(1);
}

static void end(void)
{
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = false;
        process_pcpu(i)->hold_softirqs = false;
    }
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&read);
    CHECK_EQ(read.samples, kit_status()->counters.committed);
    kit_done("reset");
}

static const struct kit_sample *in_ring(const struct xenoprof_ring_page *ring)
{
    uint64_t before = read.samples;

    CHECK(ring);
    kit_drain(ring, true, &read);
    CHECK_EQ(read.samples, before + 1);
    return &read.last;
}

static void in_xen(bool complete)
{
    one()->frame.at = (struct port_state){
        .ip = 0xffff82d040200000,
        .sp = 0xffff8300bf000000,
        .flags = 0x2,
        .cs = 0xe008,
        .mode = XENOPROF_MODE_XEN,
    };
    one()->frame.complete = complete;
}

TEST(sample_of_a_guest)
{
    const struct kit_sample *got;

    begin();
    ask();
    one()->registers.rax = 77;
    one()->registers.cr3 = 88;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.ip, one()->frame.at.ip);
    CHECK_EQ(got->sample.sp, one()->frame.at.sp);
    CHECK_EQ(got->sample.flags, one()->frame.at.flags);
    CHECK_EQ(got->sample.domain, 5);
    CHECK_EQ(got->sample.vcpu, 1);
    CHECK_EQ(got->sample.pcpu, 1);
    CHECK_EQ(got->sample.mode, XENOPROF_MODE_KERNEL);
    CHECK_EQ(got->sample.weight, 1);
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.period, 10 * KIT_MILLISECOND);
    CHECK_EQ(got->sample.time, process_now());
    CHECK_EQ(got->sample.head.parts, XENOPROF_PART_REGISTERS);
    CHECK_EQ(got->registers.rax, 77);
    CHECK_EQ(got->registers.cr3, 88);
    end();
}

TEST(sample_of_xen_on_behalf_of_a_guest)
{
    const struct kit_sample *got;

    begin();
    ask();
    in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    CHECK_EQ(got->sample.mode, XENOPROF_MODE_XEN);
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.head.parts,
             XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS);
    CHECK_EQ(got->guest.ip, one()->frame.guest.ip);
    CHECK_EQ(got->guest.sp, one()->frame.guest.sp);
    CHECK_EQ(got->guest.cs, 0xe033);
    CHECK_EQ(got->guest.ss, 0xe02b);
    CHECK_EQ(got->guest.mode, XENOPROF_MODE_KERNEL);
    end();
}

/* The time is that of the first half, however late the second comes. */
TEST(sample_has_the_time_of_the_nmi)
{
    uint64_t then;

    begin();
    ask();
    then = process_now();
    CHECK(process_interrupt(1, NULL));
    process_pass(30 * KIT_MILLISECOND);
    process_commit(1);
    CHECK_EQ(in_ring(VCPU_RING(5, 1))->sample.time, then);
    end();
}

TEST(sample_whose_guest_state_is_not_complete)
{
    const struct kit_sample *got;

    begin();
    ask();
    in_xen(false);
    CHECK(process_interrupt(1, NULL));
    one()->frame.complete = true;
    process_commit(1);
    got = in_ring(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_UNKNOWN);
    CHECK_EQ(got->sample.head.parts, 0);
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    end();
}

static void moves(void (*change)(struct port_state *), bool hvm, bool in_guest,
                  bool moved)
{
    const struct kit_sample *got;

    begin();
    ask();
    one()->frame.at.hvm = one()->frame.guest.hvm = hvm;
    if ( !in_guest )
        in_xen(true);
    CHECK(process_interrupt(1, NULL));
    change(&one()->frame.guest);
    process_commit(1);
    got = in_ring(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.marks, moved ? XENOPROF_MARK_MOVED : 0);
    CHECK_EQ(!got->sample.head.parts, moved);
    end();
}

static void change_sp(struct port_state *guest)
{
    guest->sp -= 8;
}

static void change_cs(struct port_state *guest)
{
    guest->cs = 0xe02b;
}

static void go_on(struct port_state *guest)
{
    guest->ip += 15;
}

static void go_back(struct port_state *guest)
{
    guest->ip -= 2;
}

static void go_elsewhere(struct port_state *guest)
{
    guest->ip += 16;
}

static void go_far_back(struct port_state *guest)
{
    guest->ip -= 16;
}

static void change_flags(struct port_state *guest)
{
    guest->flags ^= 0x200;
}

TEST(guest_moved_between_the_halves)
{
    for ( int in_guest = 0; in_guest < 2; in_guest++ )
        for ( int hvm = 0; hvm < 2; hvm++ )
        {
            moves(change_sp, hvm, in_guest, true);
            moves(change_cs, hvm, in_guest, true);
            moves(go_on, hvm, in_guest, hvm);
            moves(go_back, hvm, in_guest, hvm);
            moves(go_elsewhere, hvm, in_guest, true);
            moves(go_far_back, hvm, in_guest, true);
            moves(change_flags, hvm, in_guest, false);
        }
}

TEST(sample_with_a_mark_has_no_guest_half)
{
    static const uint32_t marks[] = {
        XENOPROF_MARK_NESTED,
        XENOPROF_MARK_DYING,
        XENOPROF_MARK_EVENT,
        XENOPROF_MARK_UNKNOWN,
    };

    for ( unsigned int i = 0; i < 4; i++ )
        for ( int late = 0; late < 2; late++ )
        {
            const struct kit_sample *got;

            begin();
            ask();
            one()->marks = late ? 0 : marks[i];
            CHECK(process_interrupt(1, NULL));
            one()->marks = late ? marks[i] : 0;
            process_commit(1);
            got = in_ring(VCPU_RING(5, 1));
            CHECK_EQ(got->sample.marks, marks[i]);
            CHECK_EQ(got->sample.head.parts, 0);
            end();
        }
}

/* Queued in the scheduler, while the vCPU already runs elsewhere (F2). */
TEST(sample_whose_vcpu_was_switched_goes_to_the_pcpu)
{
    const struct kit_sample *got;

    begin();
    ask();
    in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 0, 1);
    process_commit(1);
    CHECK_EQ(VCPU_RING(5, 1)->producer, 0);
    CHECK_EQ(VCPU_RING(0, 1)->producer, 0);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_SWITCHED);
    CHECK_EQ(got->sample.domain, 5);
    CHECK_EQ(got->sample.vcpu, 1);
    CHECK_EQ(got->sample.head.parts, 0);
    end();
    begin();
    ask();
    in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_set_idle(1);
    process_commit(1);
    CHECK_EQ(in_ring(PCPU_RING(1))->sample.marks, XENOPROF_MARK_SWITCHED);
    end();
}

TEST(switched_to_another_vcpu_of_the_same_domain)
{
    begin();
    ask();
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 5, 0);
    process_commit(1);
    CHECK_EQ(VCPU_RING(5, 0)->producer, 0);
    CHECK_EQ(in_ring(PCPU_RING(1))->sample.marks, XENOPROF_MARK_SWITCHED);
    end();
}

TEST(several_samples_of_one_stay)
{
    begin();
    ask();
    CHECK(process_interrupt(1, NULL));
    process_pass(100 * KIT_MILLISECOND);
    ask();
    in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &read);
    CHECK_EQ(read.samples, 2);
    end();
}

/* Not profiled: Xen's address is Xen's own, the guest's stays with it. */
TEST(sample_of_a_foreign_domain)
{
    const struct kit_sample *got;

    begin();
    process_set_current(1, 9, 3);
    ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(got->sample.domain, 9);
    CHECK_EQ(got->sample.ip, 0);
    CHECK_EQ(got->sample.sp, 0);
    CHECK_EQ(got->sample.flags, 0);
    CHECK_EQ(got->sample.head.parts, 0);
    end();
    begin();
    process_set_current(1, 9, 3);
    ask();
    in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    CHECK_EQ(got->sample.head.parts, 0);
    end();
}

TEST(foreign_sample_that_was_switched)
{
    const struct kit_sample *got;

    begin();
    process_set_current(1, 9, 3);
    ask();
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 5, 0);
    process_commit(1);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN | XENOPROF_MARK_SWITCHED);
    CHECK_EQ(got->sample.ip, 0);
    CHECK_EQ(got->sample.domain, 9);
    end();
}

/* vCPU 2 of domain 5 was hot-plugged: it uses its pCPU's ring. */
TEST(vcpu_without_a_ring)
{
    const struct kit_sample *got;

    begin();
    process_set_current(1, 5, 2);
    ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.vcpu, 2);
    CHECK_EQ(got->sample.ip, one()->frame.at.ip);
    CHECK_EQ(got->sample.head.parts, XENOPROF_PART_REGISTERS);
    end();
}

/* The number came back as another domain. */
TEST(reused_domain_number_never_reaches_the_old_ring)
{
    static const uint8_t other[16] = {9, 9, 9};
    const struct xenoprof_ring_page *ring;

    begin();
    ask();
    process_set_uuid(5, other);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    ring = VCPU_RING(5, 1);
    CHECK_EQ(ring->producer, 0);
    CHECK_EQ(ring->made, 0);
    CHECK_EQ(in_ring(PCPU_RING(1))->sample.marks, XENOPROF_MARK_FOREIGN);
    /* Closed by the next tick that looks around. */
    process_pass(100 * KIT_MILLISECOND);
    ask();
    CHECK_EQ(ring->state, XENOPROF_RING_CLOSED);
    end();
}

TEST(idle_routine_makes_no_sample)
{
    begin();
    ask();
    process_set_idle(1);
    CHECK(process_interrupt(1, NULL));
    CHECK(!one()->softirq_pending);
    process_commit(1);
    CHECK_EQ(PCPU_RING(1)->made, 0);
    end();
}

TEST(idle_vcpu_at_work)
{
    const struct kit_sample *got;

    begin();
    ask();
    process_set_idle(1);
    one()->frame.at.mode = XENOPROF_MODE_XEN;
    one()->frame.at.ip = 0xffff82d040300000;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = in_ring(PCPU_RING(1));
    CHECK_EQ(got->sample.ip, 0xffff82d040300000);
    CHECK_EQ(got->sample.mode, XENOPROF_MODE_XEN);
    CHECK_EQ(got->sample.domain, 0x7fff);
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.weight, 1);
    end();
}

TEST(queue_that_is_full_is_told)
{
    uint64_t made;

    begin();
    for ( unsigned int i = 0; i < QUEUE_DEPTH_MIN + 4; i++ )
    {
        ask();
        CHECK(process_interrupt(1, NULL));
        process_pass(20 * KIT_MILLISECOND);
    }
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &read);
    CHECK_EQ(read.samples, QUEUE_DEPTH_MIN);
    made = PCPU_RING(1)->made;
    CHECK_EQ(made, 4);
    CHECK_EQ(PCPU_RING(1)->lost[XENOPROF_LOST_QUEUE], 4);
    /* Told before the next record in the pCPU's ring. */
    process_set_current(1, 9, 0);
    ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(PCPU_RING(1), true, &read);
    CHECK_EQ(read.lost[XENOPROF_LOST_QUEUE], 4);
    CHECK_EQ(read.samples, QUEUE_DEPTH_MIN + 1);
    end();
}

TEST(mask_says_what_a_sample_carries)
{
    for ( unsigned int mask = 0; mask < 4; mask++ )
    {
        memset(&read, 0, sizeof(read));
        process_reset(2);
        CHECK_EQ(kit_command("reserve sampler=nmi frequency=100 mask=%u "
                             "pages=4 queue=0 lease=0 budget=0",
                             mask),
                 0);
        kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
        process_set_current(0, 0, 0);
        process_set_current(1, 5, 1);
        in_xen(true);
        process_pcpu(0)->hold_nmis = true;
        kit_done("start");
        process_run_until(process_now() + 50 * KIT_MILLISECOND);
        process_pcpu(0)->hold_nmis = false;
        kit_done("stop");
        kit_drain(VCPU_RING(5, 1), true, &read);
        CHECK(read.samples > 2);
        CHECK_EQ(read.last.sample.head.parts, mask);
        kit_check_sums();
    }
}

TEST(nmi_that_nobody_asked_for_is_not_ours)
{
    begin();
    CHECK(!process_interrupt(0, NULL));
    CHECK(!process_interrupt(1, NULL));
    end();
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
    begin();
    ask();
    process_pass(101 * KIT_MILLISECOND);
    ask(); /* writes off the first, asks for another */
    CHECK(process_interrupt(1, NULL));
    CHECK(process_interrupt(1, NULL));
    CHECK(!process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &read);
    CHECK_EQ(read.samples, 1);
    end();
}

TEST(second_nmi_is_not_sent_while_one_is_outstanding)
{
    uint64_t sent;

    begin();
    ask();
    sent = one()->nmis_sent;
    CHECK_EQ(sent, 1);
    process_pcpu(0)->hold_softirqs = false;
    process_run_until(process_now() + 80 * KIT_MILLISECOND);
    CHECK_EQ(one()->nmis_sent, sent);
    one()->nmis_pending = 1;
    end();
    CHECK_EQ(one()->nmis_passed, 0);
}
