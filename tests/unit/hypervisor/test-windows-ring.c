/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows that are read straight into a ring: wherever that has room for them,
 * and where it has not.
 */
#include <string.h>

#include "window-kit.h"
#include "hypervisor/core.h"

#define RING_BYTES (16u * PAGE)

/* Bytes of the last record in the ring, which is read to there. */
static uint64_t taken(uint64_t before)
{
    return VCPU_RING->producer - before;
}

TEST(windows_lie_anywhere_in_the_ring)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    for ( uint64_t i = 0; i < 600; i++ )
    {
        uint64_t sp = TASK + i * 1237 % (4 * PAGE);
        uint64_t length = TASK_END - sp;

        if ( length > WINDOW_KERNEL_USUAL )
            length = WINDOW_KERNEL_USUAL;
        window_kit_set_sp(sp);
        window_kit_check(&window_kit_sample()->window, sp, length);
        CHECK_EQ(window_kit_read.last.sample.marks, 0);
    }
    CHECK(window_kit_read.pads > 5);
    window_kit_end();
}

/* Of the most that they may be, and of what they are in the end. */
TEST(ring_with_room_for_less_than_the_most)
{
    uint64_t record, samples = 0;

    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_sample();
    record = taken(0);
    CHECK(record > 1000 && record < 2000);
    do
    {
        window_kit_take_nmi();
        process_commit(1);
        samples++;
    } while ( !VCPU_RING->lost[XENOPROF_LOST_RING] );
    /* A pad may take what is left at the ring's end. */
    CHECK(samples - 1 >= RING_BYTES / record - WINDOW_KERNEL_USUAL / record);
    CHECK(samples - 1 <= RING_BYTES / record);
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(window_kit_read.samples, samples);
    /* The next one says what was lost, and those after it are as usual. */
    window_kit_check(&window_kit_sample()->window, KERNEL_SP, 1000);
    CHECK_EQ(window_kit_read.lost[XENOPROF_LOST_RING], 1);
    window_kit_check(&window_kit_sample()->window, KERNEL_SP, 1000);
    CHECK_EQ(window_kit_read.lost[XENOPROF_LOST_RING], 1);
    window_kit_end();
}

/* Nothing is known from one stay to the next. */
TEST(stack_that_changes_from_stay_to_stay)
{
    static const uint8_t *(*memory)(unsigned int, uint64_t);
    const struct kit_sample *got;
    uint64_t word;

    window_kit_begin();
    window_kit_map(TASK, 4);
    for ( uint64_t i = 1; i < 20; i++ )
    {
        window_kit_put_word(KERNEL_SP + 8, i);
        got = window_kit_sample();
        CHECK_EQ(got->window.head.length, 1000);
        memcpy(&word, got->window.bytes + 8, sizeof(word));
        CHECK_EQ(word, i);
    }
    memory = process_host()->memory;
    process_host()->memory = NULL; /* no page is mapped any more */
    got = window_kit_sample();
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_NO_STACK);
    CHECK_EQ(window_kit_count(got), 0);
    process_host()->memory = memory;
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_end();
}

/* The number of a domain that is gone is another's, which is not profiled. */
TEST(no_window_of_the_next_domain_with_that_number)
{
    static const uint8_t other[16] = {7};
    unsigned int reads;

    window_kit_begin();
    window_kit_map(TASK, 4);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    reads = window_kit_page_reads;
    process_set_uuid(5, other);
    window_kit_take_nmi();
    process_commit(1);
    CHECK_EQ(window_kit_page_reads, reads);
    CHECK_EQ(VCPU_RING->committed, 1);
    window_kit_end();
}

/* A session that follows begins with nothing of the last one. */
TEST(sessions_one_after_the_other)
{
    for ( int i = 0; i < 3; i++ )
    {
        window_kit_begin();
        window_kit_map(TASK, 4);
        window_kit_set_sp(KERNEL_SP + 8 * i);
        window_kit_check(&window_kit_sample()->window, KERNEL_SP + 8 * i,
                         1000 - 8 * i);
        window_kit_end();
    }
}

static const uint8_t *(*memory_below)(unsigned int pcpu, uint64_t address);

static const uint8_t *memory_with_an_nmi(unsigned int pcpu, uint64_t address)
{
    if ( window_kit_one()->nmis_pending )
    {
        window_kit_one()->nmis_pending = 0;
        CHECK(process_interrupt(1, NULL));
    }
    return memory_below(pcpu, address);
}

static unsigned int with_window;

static void count_windows(const struct kit_sample *got)
{
    CHECK_EQ(got->sample.marks, 0);
    window_kit_check(&got->window, KERNEL_SP, 1000);
    with_window++;
}

/* A sample that is queued while a stack is read is of the same stay, and the
 * bytes that it needs are in the ring. */
TEST(nmi_while_a_stack_is_read)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_take_nmi();
    process_pcpu(0)->hold_softirqs = false;
    while ( !window_kit_one()->nmis_pending )
        process_run_until(process_now() + KIT_MILLISECOND);
    process_pcpu(0)->hold_softirqs = true;
    memory_below = process_host()->memory;
    process_host()->memory = memory_with_an_nmi;
    window_kit_read.each = count_windows;
    with_window = 0;
    process_commit(1);
    process_host()->memory = memory_below;
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(with_window, 2);
    window_kit_read.each = NULL;
    window_kit_end();
}

/* The words that lead on lie where a page of the ring ends, too. */
TEST(linked_stacks_anywhere_in_the_ring)
{
    window_kit_begin_with("", "active");
    window_kit_map(TASK, 4);
    window_kit_map(IRQ, 4);
    window_kit_map(USER, 2);
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    window_kit_put_word(TASK_END - 16, USER + PAGE);
    kit_done("link id=5 at=8,16 user=16");
    for ( uint64_t i = 0; i < 600; i++ )
    {
        const struct kit_sample *got;

        /* Odd ones, too: then a word is in two pages now and then. */
        window_kit_set_sp(IRQ_END - 16 - i * 1237 % PAGE);
        got = window_kit_sample();
        CHECK_EQ(window_kit_count(got), 3);
        CHECK_EQ(got->window.head.length, 16 + i * 1237 % PAGE);
        CHECK_EQ(got->window2.head.address, KERNEL_SP);
        CHECK_EQ(got->window2.head.length, 1000);
        window_kit_check(&got->user_window, USER + PAGE - 128, 128 + PAGE);
    }
    CHECK(window_kit_read.pads > 5);
    window_kit_end();
}
