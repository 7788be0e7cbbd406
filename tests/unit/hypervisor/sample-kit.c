/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sample-kit.h"

struct kit_read sample_read;

/* Sampling, with every NMI and softirq in the test's hands: pCPU 1 is asked
 * for one NMI, which waits. */
void sample_begin(void)
{
    memset(&sample_read, 0, sizeof(sample_read));
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
void sample_ask(void)
{
    process_pcpu(0)->hold_softirqs = false;
    process_run_until(process_now() + 15 * KIT_MILLISECOND);
    process_pcpu(0)->hold_softirqs = true;
    CHECK(process_pcpu(1)->nmis_pending > 0);
    process_pcpu(1)->nmis_pending = 0;
}

struct process_pcpu *sample_pcpu(void)
{
    return process_pcpu(1);
}

void sample_end(void)
{
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = false;
        process_pcpu(i)->hold_softirqs = false;
    }
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&sample_read);
    CHECK_EQ(sample_read.samples, kit_status()->counters.committed);
    kit_done("reset");
}

const struct kit_sample *sample_in(const struct xenoprof_ring_page *ring)
{
    uint64_t before = sample_read.samples;

    CHECK(ring);
    kit_drain(ring, true, &sample_read);
    CHECK_EQ(sample_read.samples, before + 1);
    return &sample_read.last;
}

void sample_in_xen(bool complete)
{
    sample_pcpu()->frame.at = (struct port_state){
        .ip = 0xffff82d040200000,
        .sp = 0xffff8300bf000000,
        .flags = 0x2,
        .cs = 0xe008,
        .mode = XENOPROF_MODE_XEN,
    };
    sample_pcpu()->frame.complete = complete;
}
