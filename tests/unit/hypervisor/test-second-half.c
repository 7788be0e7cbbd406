/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample-kit.h"

TEST(sample_whose_guest_state_is_not_complete)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_in_xen(false);
    CHECK(process_interrupt(1, NULL));
    sample_pcpu()->frame.complete = true;
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_UNKNOWN);
    CHECK_EQ(got->sample.head.parts, 0);
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    sample_end();
}

static void moves(void (*change)(struct port_state *), bool hvm, bool in_guest,
                  bool moved)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_pcpu()->frame.at.hvm = sample_pcpu()->frame.guest.hvm = hvm;
    if ( !in_guest )
        sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    change(&sample_pcpu()->frame.guest);
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.marks, moved ? XENOPROF_MARK_MOVED : 0);
    CHECK_EQ(!got->sample.head.parts, moved);
    sample_end();
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

            sample_begin();
            sample_ask();
            sample_pcpu()->marks = late ? 0 : marks[i];
            CHECK(process_interrupt(1, NULL));
            sample_pcpu()->marks = late ? marks[i] : 0;
            process_commit(1);
            got = sample_in(VCPU_RING(5, 1));
            CHECK_EQ(got->sample.marks, marks[i]);
            CHECK_EQ(got->sample.head.parts, 0);
            sample_end();
        }
}

/* Queued in the scheduler, while the vCPU already runs elsewhere (F2). */
TEST(sample_whose_vcpu_was_switched_goes_to_the_pcpu)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 0, 1);
    process_commit(1);
    CHECK_EQ(VCPU_RING(5, 1)->producer, 0);
    CHECK_EQ(VCPU_RING(0, 1)->producer, 0);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_SWITCHED);
    CHECK_EQ(got->sample.domain, 5);
    CHECK_EQ(got->sample.vcpu, 1);
    CHECK_EQ(got->sample.head.parts, 0);
    sample_end();
    sample_begin();
    sample_ask();
    sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_set_idle(1);
    process_commit(1);
    CHECK_EQ(sample_in(PCPU_RING(1))->sample.marks, XENOPROF_MARK_SWITCHED);
    sample_end();
}

TEST(switched_to_another_vcpu_of_the_same_domain)
{
    sample_begin();
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 5, 0);
    process_commit(1);
    CHECK_EQ(VCPU_RING(5, 0)->producer, 0);
    CHECK_EQ(sample_in(PCPU_RING(1))->sample.marks, XENOPROF_MARK_SWITCHED);
    sample_end();
}

TEST(several_samples_of_one_stay)
{
    sample_begin();
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_pass(100 * KIT_MILLISECOND);
    sample_ask();
    sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK_EQ(sample_read.samples, 2);
    sample_end();
}

/* A domain that is not profiled: Xen's address is stored, the guest's is
 * not. */
TEST(sample_of_a_foreign_domain)
{
    const struct kit_sample *got;

    sample_begin();
    process_set_current(1, 9, 3);
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(got->sample.domain, 9);
    CHECK_EQ(got->sample.ip, 0);
    CHECK_EQ(got->sample.sp, 0);
    CHECK_EQ(got->sample.flags, 0);
    CHECK_EQ(got->sample.head.parts, 0);
    sample_end();
    sample_begin();
    process_set_current(1, 9, 3);
    sample_ask();
    sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    CHECK_EQ(got->sample.head.parts, 0);
    sample_end();
}

TEST(foreign_sample_that_was_switched)
{
    const struct kit_sample *got;

    sample_begin();
    process_set_current(1, 9, 3);
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 5, 0);
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN | XENOPROF_MARK_SWITCHED);
    CHECK_EQ(got->sample.ip, 0);
    CHECK_EQ(got->sample.domain, 9);
    sample_end();
}

/* vCPU 2 of domain 5 was hot-plugged: it uses its pCPU's ring. */
TEST(vcpu_without_a_ring)
{
    const struct kit_sample *got;

    sample_begin();
    process_set_current(1, 5, 2);
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.vcpu, 2);
    CHECK_EQ(got->sample.ip, sample_pcpu()->frame.at.ip);
    CHECK_EQ(got->sample.head.parts, XENOPROF_PART_REGISTERS);
    sample_end();
}

/* The number came back as another domain. */
TEST(reused_domain_number_never_reaches_the_old_ring)
{
    static const uint8_t other[16] = {9, 9, 9};
    const struct xenoprof_ring_page *ring;

    sample_begin();
    sample_ask();
    process_set_uuid(5, other);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    ring = VCPU_RING(5, 1);
    CHECK_EQ(ring->producer, 0);
    CHECK_EQ(ring->made, 0);
    CHECK_EQ(sample_in(PCPU_RING(1))->sample.marks, XENOPROF_MARK_FOREIGN);
    /* Closed by the next tick that looks around. */
    process_pass(100 * KIT_MILLISECOND);
    sample_ask();
    CHECK_EQ(ring->state, XENOPROF_RING_CLOSED);
    sample_end();
}
