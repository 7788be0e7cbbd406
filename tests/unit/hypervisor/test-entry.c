/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the guest entered Xen, on its way from the NMI to a ring: what the first
 * half saw, of the vCPU that it saw, or nothing.
 */
#include <string.h>

#include "sample-kit.h"

#define EVENT_CHECK 0xfc

static const struct xenoprof_entry port_exit = {
    .kind = XENOPROF_ENTRY_SVM, .code = 0x7b, .detail = 0x3f80001};

/* pCPU 1 is in Xen since its guest did this; an NMI comes. */
static void interrupt_in_xen(const struct xenoprof_entry *entry)
{
    sample_ask();
    sample_in_xen(true);
    sample_pcpu()->frame.entry = *entry;
    CHECK(process_interrupt(1, NULL));
}

static bool has_entry(const struct kit_sample *sample)
{
    return sample->sample.head.parts & XENOPROF_PART_ENTRY;
}

TEST(entry_is_what_the_first_half_saw)
{
    const struct kit_sample *got;

    sample_begin();
    interrupt_in_xen(&port_exit);
    /* The guest ran on, and left for something else. */
    sample_pcpu()->frame.entry = (struct xenoprof_entry){
        .kind = XENOPROF_ENTRY_SVM, .code = 0x78};
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK(has_entry(got));
    CHECK(!memcmp(&got->entry, &port_exit, sizeof(port_exit)));
    sample_end();
}

TEST(entry_of_a_guest_that_moved_stays)
{
    const struct kit_sample *got;

    sample_begin();
    interrupt_in_xen(&port_exit);
    sample_pcpu()->frame.guest.sp += 64;
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_MOVED);
    CHECK_EQ(got->entry.code, 0x7b);
    sample_end();
}

/* Also where an NMI ended its run: then the control block says so. */
TEST(entry_a_guest_that_runs_has_none)
{
    sample_begin();
    sample_ask();
    sample_pcpu()->frame.entry = port_exit;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    CHECK(!has_entry(sample_in(VCPU_RING(5, 1))));
    sample_end();
}

/* It is known as soon as the guest is in Xen, and until it has left. */
TEST(entry_of_a_pv_guest_does_without_its_words)
{
    static const struct xenoprof_entry fault = {.kind = XENOPROF_ENTRY_PV,
                                                .code = 0x0d};
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_in_xen(false);
    sample_pcpu()->frame.entry = fault;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK(has_entry(got));
    CHECK_EQ(got->entry.code, 0x0d);
    CHECK(got->sample.marks & XENOPROF_MARK_UNKNOWN);
    sample_end();
}

TEST(entry_of_an_exit_without_the_guests_words_is_not_known)
{
    sample_begin();
    sample_ask();
    sample_in_xen(false);
    sample_pcpu()->frame.entry = port_exit;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    CHECK(!has_entry(sample_in(VCPU_RING(5, 1))));
    sample_end();
}

TEST(entry_that_the_port_does_not_know)
{
    static const struct xenoprof_entry none = {.kind = XENOPROF_ENTRY_NONE,
                                               .code = 5};

    sample_begin();
    interrupt_in_xen(&none);
    process_commit(1);
    CHECK(!has_entry(sample_in(VCPU_RING(5, 1))));
    sample_end();
}

TEST(entry_the_idle_vcpu_has_none)
{
    sample_begin();
    sample_ask();
    process_set_idle(1);
    sample_in_xen(true);
    sample_pcpu()->frame.entry = port_exit;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    CHECK(!has_entry(sample_in(PCPU_RING(1))));
    sample_end();
}

/* The control block may be that of a guest which the guest runs. */
TEST(entry_of_a_nested_guest_is_not_known)
{
    sample_begin();
    sample_pcpu()->marks = XENOPROF_MARK_NESTED;
    interrupt_in_xen(&port_exit);
    process_commit(1);
    CHECK(!has_entry(sample_in(VCPU_RING(5, 1))));
    sample_end();
}

TEST(entry_of_a_vcpu_that_was_switched_is_left_out)
{
    const struct kit_sample *got;

    sample_begin();
    interrupt_in_xen(&port_exit);
    process_set_current(1, 5, 0);
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_SWITCHED);
    CHECK(!has_entry(got));
    sample_end();
}

TEST(entry_of_a_domain_that_is_not_profiled_is_left_out)
{
    const struct kit_sample *got;

    sample_begin();
    process_set_current(1, 9, 3);
    interrupt_in_xen(&port_exit);
    process_commit(1);
    got = sample_in(PCPU_RING(1));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK(!has_entry(got));
    sample_end();
}

TEST(entry_was_not_asked_for)
{
    memset(&sample_read, 0, sizeof(sample_read));
    process_reset(2);
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    sample_in_xen(true);
    sample_pcpu()->frame.entry = port_exit;
    kit_done("start");
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    kit_done("stop");
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK(sample_read.samples > 2);
    CHECK(!has_entry(&sample_read.last));
    kit_done("reset");
}

/* The flags of the sample that is taken after these two. */
static unsigned int flags_after(bool guest_before, uint32_t code, uint16_t vcpu)
{
    const struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_PV,
                                         .code = code};
    unsigned int flags;

    sample_begin();
    process_set_current(1, 5, vcpu);
    sample_ask();
    if ( !guest_before )
        sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_set_current(1, 5, 1);
    process_pass(100 * KIT_MILLISECOND);
    interrupt_in_xen(&entry);
    process_pass(100 * KIT_MILLISECOND);
    interrupt_in_xen(&entry);
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK(has_entry(&sample_read.last));
    flags = sample_read.last.entry.flags;
    sample_end();
    return flags;
}

/* An NMI took a PV guest, and Xen asked itself to look at the softirq: so it
 * does, until the second half is done. */
TEST(entry_by_the_interrupt_that_our_own_nmi_caused)
{
    CHECK_EQ(flags_after(true, EVENT_CHECK, 1), XENOPROF_ENTRY_PROFILER);
    CHECK_EQ(flags_after(true, EVENT_CHECK - 2, 1), 0);
    CHECK_EQ(flags_after(false, EVENT_CHECK, 1), 0);
    CHECK_EQ(flags_after(true, EVENT_CHECK, 0), 0);
}

TEST(entry_by_an_interrupt_after_the_second_half)
{
    const struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_PV,
                                         .code = EVENT_CHECK};

    sample_begin();
    sample_ask();
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    process_pass(100 * KIT_MILLISECOND);
    interrupt_in_xen(&entry);
    process_commit(1);
    kit_drain(VCPU_RING(5, 1), true, &sample_read);
    CHECK_EQ(sample_read.samples, 2);
    CHECK_EQ(sample_read.last.entry.flags, 0);
    sample_end();
}
