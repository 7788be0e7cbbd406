/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's chain in a sample: which samples have one, and what a session needs
 * for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/hypervisor/core-kit.h"
#include "hypervisor/xen-stack/xen-chain.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define VCPU_RING kit_ring_of(XENOPROF_RING_VCPU, 5, 1)
#define PCPU_RING kit_ring_of(XENOPROF_RING_PCPU, 0, 0)

static struct kit_table table;
static struct kit_stack stack;
static struct kit_read read;

static void use_table(void)
{
    if ( !table.head )
        table = kit_table_make(64);
    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
}

static int reserve(unsigned int mask, const char *sampler)
{
    return kit_command("reserve sampler=%s frequency=100 mask=%u pages=4 "
                       "queue=0 lease=0 budget=0",
                       sampler, mask);
}

/* Xen at work: two frames, and entry code. */
static void in_xen(void)
{
    struct port_frame *frame = &process_pcpu(0)->frame;

    frame->at = (struct port_state){
        .ip = kit_in(KIT_SMALL),
        .sp = stack.root - 48,
        .cs = KIT_XEN_CS,
        .mode = XENOPROF_MODE_XEN,
    };
    frame->xen = (struct port_xen_stack){
        .ip = frame->at.ip,
        .sp = frame->at.sp,
        .root = stack.root,
    };
    frame->on_xen_stack = true;
    kit_put(stack.root - 32, kit_in(KIT_SMALL));
    kit_put(stack.root - 8, kit_after(KIT_REGS));
}

/* Sampling with domain 5 in Xen on pCPU 0, which pCPU 1 kicks. */
static void begin_here(unsigned int mask)
{
    memset(&read, 0, sizeof(read));
    stack = kit_stack_make();
    CHECK_EQ(reserve(mask, "nmi"), 0);
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    process_set_current(0, 5, 1);
    in_xen();
    kit_done("start");
    process_pcpu(0)->hold_softirqs = true;
    process_pcpu(0)->hold_nmis = true;
}

static void begin(unsigned int mask)
{
    process_reset(2);
    use_table();
    begin_here(mask);
}

/* An NMI of ours is outstanding after this. */
static void ask(void)
{
    process_pcpu(0)->hold_softirqs = false;
    process_run_until(process_now() + 15 * KIT_MILLISECOND);
    CHECK(process_pcpu(0)->nmis_pending > 0);
    process_pcpu(0)->nmis_pending = 0;
}

/* Lets the NMI come.  Returns the sample that it leaves in the ring. */
static const struct kit_sample *take(const struct xenoprof_ring_page *ring)
{
    uint64_t before = read.samples;

    CHECK(process_interrupt(0, NULL));
    process_commit(0);
    CHECK(ring);
    kit_drain(ring, true, &read);
    CHECK_EQ(read.samples, before + 1);
    return &read.last;
}

static const struct kit_sample *sample(const struct xenoprof_ring_page *ring)
{
    ask();
    return take(ring);
}

static void end(void)
{
    process_pcpu(0)->hold_nmis = false;
    process_pcpu(0)->hold_softirqs = false;
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
}

static void check_frames(const struct kit_sample *got)
{
    CHECK(got->sample.head.parts & XENOPROF_PART_XEN_STACK);
    CHECK_EQ(got->xen_stack.count, 3);
    CHECK_EQ(got->frames[0], kit_in(KIT_SMALL));
    CHECK_EQ(got->frames[1], kit_in(KIT_SMALL));
    CHECK_EQ(got->frames[2], kit_after(KIT_REGS));
}

TEST(chain_of_xen_at_work_for_a_guest)
{
    const struct kit_sample *got;

    begin(7);
    got = sample(VCPU_RING);
    check_frames(got);
    CHECK_EQ(got->sample.head.parts, 7);
    CHECK_EQ(got->sample.marks, 0);
    end();
}

TEST(no_chain_that_nobody_asked_for)
{
    begin(3);
    CHECK_EQ(sample(VCPU_RING)->sample.head.parts, 3);
    end();
}

TEST(no_chain_of_a_guest)
{
    begin(7);
    process_set_current(0, 5, 1);
    CHECK_EQ(sample(VCPU_RING)->sample.head.parts, XENOPROF_PART_REGISTERS);
    end();
}

TEST(chain_that_is_truncated)
{
    const struct kit_sample *got;

    begin(4);
    kit_put(stack.root - 32, 0x5ec7e7);
    got = sample(VCPU_RING);
    CHECK_EQ(got->xen_stack.count, 1);
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_TRUNCATED);
    end();
}

/* Where a system call comes in there is nothing of Xen's on any stack. */
TEST(chain_on_the_guests_stack)
{
    const struct kit_sample *got;

    begin(4);
    process_pcpu(0)->frame.on_xen_stack = false;
    got = sample(VCPU_RING);
    CHECK_EQ(got->xen_stack.count, 1);
    CHECK_EQ(got->sample.marks, 0);
    end();
}

TEST(chain_of_the_idle_vcpu_at_work)
{
    const struct kit_sample *got;

    begin(7);
    ask();
    process_set_idle(0);
    in_xen();
    got = take(PCPU_RING);
    check_frames(got);
    CHECK_EQ(got->sample.head.parts, XENOPROF_PART_XEN_STACK);
    CHECK_EQ(got->sample.domain, 0x7fff);
    end();
}

/* Xen's own chain is kept also for a domain that is not profiled. */
TEST(chain_for_a_domain_that_is_not_profiled)
{
    const struct kit_sample *got;

    begin(7);
    process_set_current(0, 9, 0);
    in_xen();
    got = sample(PCPU_RING);
    check_frames(got);
    CHECK_EQ(got->sample.head.parts, XENOPROF_PART_XEN_STACK);
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_FOREIGN);
    kit_put(stack.root - 8, 0);
    got = sample(PCPU_RING);
    CHECK_EQ(got->xen_stack.count, 2);
    CHECK_EQ(got->sample.marks,
             XENOPROF_MARK_FOREIGN | XENOPROF_MARK_TRUNCATED);
    end();
}

TEST(chain_of_a_vcpu_that_has_left)
{
    begin(7);
    ask();
    CHECK(process_interrupt(0, NULL));
    process_set_current(0, 5, 0);
    process_commit(0);
    kit_drain(PCPU_RING, true, &read);
    CHECK_EQ(read.samples, 1);
    check_frames(&read.last);
    CHECK_EQ(read.last.sample.marks, XENOPROF_MARK_SWITCHED);
    end();
}

/* By the time that the timer samples, the interrupted frames are gone. */
TEST(no_chain_without_an_nmi)
{
    process_reset(2);
    memset(&read, 0, sizeof(read));
    use_table();
    CHECK_EQ(reserve(7, "timer"), 0);
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    process_set_current(0, 5, 1);
    in_xen();
    kit_done("start");
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    kit_done("stop");
    kit_drain(VCPU_RING, true, &read);
    CHECK(read.samples > 2);
    CHECK(!(read.last.sample.head.parts & XENOPROF_PART_XEN_STACK));
    kit_done("reset");
}

#define REFUSED                                                                \
    "mask=4 has part 4, Xen's stacks; the module's unwind table is damaged: "  \
    "rebuild the module, or leave that part out"

/* Too little of this hypervisor's code could be followed. */
TEST(chain_without_a_table_is_its_leaf)
{
    const struct kit_sample *got;

    process_reset(2);
    use_table();
    CHECK_EQ(kit_state().lacks, 0);
    process_host()->unwind_table = NULL;
    CHECK_EQ(kit_state().lacks, XENOPROF_LACK_XEN_STACKS);
    begin_here(7);
    got = sample(VCPU_RING);
    CHECK_EQ(got->xen_stack.count, 1);
    CHECK_EQ(got->frames[0], kit_in(KIT_SMALL));
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_TRUNCATED);
    end();
}

TEST(table_that_is_damaged)
{
    process_reset(2);
    use_table();
    table.first_rows[1]++;
    CHECK_EQ(reserve(4, "nmi"), -95);
    CHECK_TEXT(kit_state().message, REFUSED);
    table.first_rows[1]--;
    CHECK_EQ(reserve(4, "nmi"), 0);
    kit_done("reset");
}

TEST(own_text_is_in_the_status)
{
    process_reset(2);
    use_table();
    process_host()->own_text = KIT_TEXT;
    CHECK_EQ(reserve(4, "nmi"), 0);
    CHECK_EQ(kit_status()->module_text, KIT_TEXT);
    CHECK_EQ(kit_status()->module_size, table.regions[0].length);
    kit_done("reset");
    CHECK_EQ(reserve(3, "nmi"), 0);
    CHECK_EQ(kit_status()->module_size, 0);
    kit_done("reset");
    process_host()->own_text = 0;
}

/* An entry with its frames, and how much that is for each pCPU: the figures
 * in the documentation. */
TEST(memory_of_a_queue)
{
    struct queue queue;

    CHECK_EQ(xen_chain_room(3), 0);
    CHECK_EQ(xen_chain_room(4), XEN_CHAIN_FRAMES);
    process_reset(2);
    CHECK(queue_open(&queue, 0, queue_depth_for(97), XEN_CHAIN_FRAMES));
    printf("# %u entries of %u bytes at 97 Hz, %u at 5000\n", queue.depth,
           queue.stride, queue_depth_for(5000));
    CHECK(queue.stride <= 384);
    CHECK(queue.stride * queue.depth <= 12288);
    CHECK(queue.stride * queue_depth_for(5000) <= 98304);
    queue_close(&queue);
}
