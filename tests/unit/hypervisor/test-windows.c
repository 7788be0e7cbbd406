/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows of guest stack: which samples have them, and where they end.
 */
#include <string.h>

#include "window-kit.h"

/* Where a window ends ---------------------------------------------------- */

TEST(window_ends_with_the_budget)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_set_sp(TASK + 16);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 1);
    CHECK_EQ(got->sample.marks, 0);
    window_kit_check(&got->window, TASK + 16, WINDOW_KERNEL_USUAL);
    window_kit_end();
}

TEST(window_ends_with_the_last_page_of_the_stack)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(TASK, 4);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 1);
    CHECK_EQ(got->sample.marks, 0);
    window_kit_check(&got->window, KERNEL_SP, 1000);
    window_kit_end();
}

/* The part is filled up: the kit checks with what. */
TEST(window_of_an_odd_stack_pointer)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    for ( uint64_t odd = 1; odd < 8; odd++ )
    {
        window_kit_set_sp(TASK_END - 100 + odd);
        window_kit_check(&window_kit_sample()->window, TASK_END - 100 + odd,
                         100 - odd);
    }
    window_kit_end();
}

TEST(window_ends_with_the_address_space)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(LAST_PAGE, 1);
    window_kit_map(0, 1);
    kit_done("link id=5 at=8");
    window_kit_set_sp(LAST_PAGE + 8);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 1);
    window_kit_check(&got->window, LAST_PAGE + 8, PAGE - 8);
    window_kit_end();
}

TEST(sample_of_a_stack_that_is_not_there)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(TASK, 3);
    got = window_kit_sample();
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_NO_STACK);
    CHECK_EQ(window_kit_count(got), 0);
    CHECK(window_kit_has(got, XENOPROF_PART_REGISTERS));
    window_kit_end();
}

TEST(sample_where_no_memory_can_be_read)
{
    window_kit_begin();
    process_host()->memory = NULL;
    CHECK_EQ(window_kit_sample()->sample.marks, XENOPROF_MARK_NO_STACK);
    window_kit_end();
}

static void set_hvm(uint8_t hvm)
{
    window_kit_one()->frame.at.hvm = window_kit_one()->frame.guest.hvm = hvm;
}

/* It says that no sample of such guests can have one. */
TEST(sample_where_facts_are_missing)
{
    uint32_t marks = XENOPROF_MARK_NO_STACK;

    window_kit_begin();
    process_host()->memory = NULL;
    process_host()->lacks = XENOPROF_LACK_HVM_STACKS;
    CHECK_EQ(window_kit_sample()->sample.marks, marks);
    set_hvm(1);
    marks |= XENOPROF_MARK_NO_FACTS;
    CHECK_EQ(window_kit_sample()->sample.marks, marks);
    process_host()->lacks = XENOPROF_LACK_PV_STACKS;
    set_hvm(0);
    CHECK_EQ(window_kit_sample()->sample.marks, marks);
    window_kit_end();
}

/* Which samples have one -------------------------------------------------- */

TEST(window_below_xen)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_in_xen();
    got = window_kit_sample();
    CHECK(window_kit_has(got, XENOPROF_PART_GUEST));
    window_kit_check(&got->window, KERNEL_SP, 1000);
    window_kit_end();
}

TEST(no_window_of_a_passive_domains_process)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(USER, 4);
    window_kit_set_mode(XENOPROF_MODE_USER);
    window_kit_set_sp(USER + 8);
    for ( int i = 0; i < 2; i++, window_kit_in_xen() )
    {
        got = window_kit_sample();
        CHECK_EQ(got->sample.marks, 0);
        CHECK_EQ(window_kit_count(got), 0);
    }
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

TEST(window_of_an_active_domains_process)
{
    const struct kit_sample *got;

    window_kit_begin_with("", "active");
    window_kit_map(USER, 4);
    window_kit_set_mode(XENOPROF_MODE_USER);
    window_kit_set_sp(USER + 136);
    for ( int i = 0; i < 2; i++, window_kit_in_xen() )
    {
        got = window_kit_sample();
        CHECK_EQ(window_kit_count(got), 1);
        window_kit_check(&got->window, USER + 8, WINDOW_USER_USUAL);
    }
    window_kit_end();
}

/* A process's stack may begin in any place of a page, with another page below
 * or without. */
TEST(window_of_a_process_begins_below_its_stack_pointer)
{
    static const struct {
        uint64_t sp, address;
        uint32_t length;
    } cases[] = {
        {USER + 2 * PAGE, USER + 2 * PAGE - 128, 128 + 2 * PAGE},
        {USER + PAGE + 40, USER + PAGE - 88, 88 + 3 * PAGE},
        {USER + 128, USER, WINDOW_USER_USUAL},
        {USER + 127, USER, WINDOW_USER_USUAL},
        {USER + 1, USER, WINDOW_USER_USUAL},
        {USER, USER, WINDOW_USER_USUAL},
        {USER + 4 * PAGE, USER + 4 * PAGE - 128, 128},
        {127, 0, PAGE},
        {0, 0, PAGE},
    };

    window_kit_begin_with("", "active");
    window_kit_map(USER, 4);
    window_kit_map(0, 1);
    window_kit_set_mode(XENOPROF_MODE_USER);
    for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        uint32_t length = cases[i].length;

        window_kit_set_sp(cases[i].sp);
        window_kit_check(&window_kit_sample()->window, cases[i].address,
                         length < WINDOW_USER_USUAL ? length
                                                    : WINDOW_USER_USUAL);
    }
    window_kit_set_sp(USER - 1);
    CHECK_EQ(window_kit_sample()->sample.marks, XENOPROF_MARK_NO_STACK);
    window_kit_end();
}

/* A process may write what it likes where its stack ends. */
TEST(no_link_is_followed_from_a_process)
{
    const struct kit_sample *got;

    window_kit_begin_with("", "active");
    window_kit_map(USER, 1);
    window_kit_map(TASK, 4);
    window_kit_put_word(USER + PAGE - 8, TASK);
    kit_done("link id=5 at=8");
    window_kit_set_mode(XENOPROF_MODE_USER);
    window_kit_set_sp(USER + 136);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 1);
    CHECK_EQ(got->window.head.length, PAGE - 8);
    window_kit_end();
}

TEST(no_window_if_the_guest_moved)
{
    const struct kit_sample *got;

    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_take_nmi();
    window_kit_one()->frame.guest.sp -= 8;
    process_commit(1);
    kit_drain(VCPU_RING, true, &window_kit_read);
    got = &window_kit_read.last;
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_MOVED);
    CHECK_EQ(window_kit_count(got), 0);
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

TEST(no_window_where_nothing_may_be_read)
{
    static const uint32_t marks[] = {
        XENOPROF_MARK_NESTED,
        XENOPROF_MARK_DYING,
        XENOPROF_MARK_EVENT,
        XENOPROF_MARK_UNKNOWN,
    };

    window_kit_begin();
    window_kit_map(TASK, 4);
    for ( unsigned int i = 0; i < sizeof(marks) / sizeof(*marks); i++ )
    {
        window_kit_one()->marks = marks[i];
        CHECK_EQ(window_kit_sample()->sample.marks, marks[i]);
        CHECK_EQ(window_kit_count(&window_kit_read.last), 0);
    }
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

TEST(no_window_of_a_domain_that_is_not_profiled)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_one()->current.domain = 6;
    window_kit_take_nmi();
    process_commit(1);
    kit_drain_all(&window_kit_read);
    CHECK_EQ(window_kit_read.last.sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(window_kit_count(&window_kit_read.last), 0);
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

/* Budgets ----------------------------------------------------------------- */

TEST(window_of_as_many_bytes_as_asked_for)
{
    window_kit_begin_with("window=24 user-window=16384", "active");
    window_kit_map(TASK, 4);
    window_kit_set_sp(TASK);
    window_kit_check(&window_kit_sample()->window, TASK, 24);
    window_kit_map(USER, 5);
    window_kit_set_mode(XENOPROF_MODE_USER);
    window_kit_set_sp(USER + 4000);
    window_kit_check(&window_kit_sample()->window, USER + 3872, 16384);
    window_kit_end();
}

TEST(no_window_of_no_bytes)
{
    window_kit_begin_with("window=0 user-window=0", "active");
    window_kit_map(TASK, 4);
    CHECK_EQ(window_kit_sample()->sample.marks, 0);
    CHECK_EQ(window_kit_count(&window_kit_read.last), 0);
    window_kit_set_mode(XENOPROF_MODE_USER);
    CHECK_EQ(window_kit_sample()->sample.marks, 0);
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

TEST(windows_that_are_refused)
{
#define RESERVE "reserve sampler=nmi frequency=100 mask=27 queue=0 lease=0 "
    process_reset(1);
    kit_refused(34, "window=16392 is not between 0 and 16384",
                RESERVE "budget=0 pages=16 window=16392");
    kit_refused(34, "user-window=32776 is not between 0 and 32768",
                RESERVE "budget=0 pages=16 user-window=32776");
    kit_refused(22, "windows must be multiples of 8 bytes",
                RESERVE "budget=0 pages=16 window=100");
    kit_refused(34, "rings of 4 pages are too small for windows of 8192 bytes",
                RESERVE "budget=0 pages=4");
    kit_done(RESERVE "budget=0 pages=4 user-window=0");
    kit_done("reset");
}

/* One stay ---------------------------------------------------------------- */

static unsigned int carried, same;

static void look_at_stay(const struct kit_sample *got)
{
    CHECK(window_kit_has(got, XENOPROF_PART_GUEST));
    if ( window_kit_count(got) )
    {
        CHECK_EQ(got->sample.marks, 0);
        CHECK_EQ(got->window.head.length, 1000);
        for ( int i = 0; i < 1000; i++ )
            CHECK_EQ(got->window.bytes[i], 1);
        CHECK_EQ(same, 0);
        carried++;
        return;
    }
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_SAME_STACK);
    same++;
}

TEST(one_reading_serves_all_samples_of_a_stay)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_restless = true;
    carried = same = 0;
    window_kit_read.each = look_at_stay;
    window_kit_in_xen();
    for ( int i = 0; i < 6; i++ )
        window_kit_take_nmi();
    process_commit(1);
    CHECK_EQ(window_kit_page_reads,
             2); /* the one, and the one that is not there */
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(carried, 4);
    CHECK_EQ(same, 2);
    window_kit_read.each = NULL;
    CHECK_EQ(window_kit_sample()->window.bytes[0], 3);
    window_kit_end();
}

static void must_carry(const struct kit_sample *got)
{
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(window_kit_count(got), 1);
}

/* What was lost cannot be pointed to. */
TEST(no_sample_points_to_windows_that_were_lost)
{
    window_kit_begin();
    window_kit_map(TASK, 4);
    window_kit_set_sp(TASK);
    window_kit_in_xen();
    window_kit_read.each = must_carry;
    for ( int i = 0; i < 10; i++ )
    {
        window_kit_take_nmi();
        process_commit(1);
    }
    for ( int i = 0; i < 6; i++ )
        window_kit_take_nmi();
    process_commit(1);
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK(window_kit_read.samples < 12);
    CHECK_EQ(VCPU_RING->made, 16);
    window_kit_end();
}
