/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sample-kit.h"

TEST(sample_of_a_guest)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_pcpu()->registers.rax = 77;
    sample_pcpu()->registers.cr3 = 88;
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.ip, sample_pcpu()->frame.at.ip);
    CHECK_EQ(got->sample.sp, sample_pcpu()->frame.at.sp);
    CHECK_EQ(got->sample.flags, sample_pcpu()->frame.at.flags);
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
    sample_end();
}

TEST(sample_of_xen_on_behalf_of_a_guest)
{
    const struct kit_sample *got;

    sample_begin();
    sample_ask();
    sample_in_xen(true);
    CHECK(process_interrupt(1, NULL));
    process_commit(1);
    got = sample_in(VCPU_RING(5, 1));
    CHECK_EQ(got->sample.ip, 0xffff82d040200000);
    CHECK_EQ(got->sample.mode, XENOPROF_MODE_XEN);
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(got->sample.head.parts,
             XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS);
    CHECK_EQ(got->guest.ip, sample_pcpu()->frame.guest.ip);
    CHECK_EQ(got->guest.sp, sample_pcpu()->frame.guest.sp);
    CHECK_EQ(got->guest.cs, 0xe033);
    CHECK_EQ(got->guest.ss, 0xe02b);
    CHECK_EQ(got->guest.mode, XENOPROF_MODE_KERNEL);
    sample_end();
}

TEST(mask_says_what_a_sample_carries)
{
    for ( unsigned int mask = 0; mask < 4; mask++ )
    {
        memset(&sample_read, 0, sizeof(sample_read));
        process_reset(2);
        CHECK_EQ(kit_command("reserve sampler=nmi frequency=100 mask=%u "
                             "pages=4 queue=0 lease=0 budget=0",
                             mask),
                 0);
        kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
        process_set_current(0, 0, 0);
        process_set_current(1, 5, 1);
        sample_in_xen(true);
        process_pcpu(0)->hold_nmis = true;
        kit_done("start");
        process_run_until(process_now() + 50 * KIT_MILLISECOND);
        process_pcpu(0)->hold_nmis = false;
        kit_done("stop");
        kit_drain(VCPU_RING(5, 1), true, &sample_read);
        CHECK(sample_read.samples > 2);
        CHECK_EQ(sample_read.last.sample.head.parts, mask);
        kit_check_sums();
    }
}
