/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window of the process that entered a kernel: which samples have it, and
 * what a guest can do with the word that leads there.
 */
#include <string.h>

#include "window-kit.h"

#define USER_SP (USER + 2 * PAGE - 1000)

/* In the kernel that this process has entered. */
static void begin_with(const char *words, const char *kind, const char *link)
{
    window_kit_begin_with(words, kind);
    window_kit_map(TASK, 4);
    window_kit_map(USER, 2);
    window_kit_put_word(TASK_END - 16, USER_SP);
    kit_done(link);
}

static void begin(void)
{
    begin_with("", "active", "link id=5 at=8,16 user=16");
}

static bool has_process(const struct kit_sample *got)
{
    return window_kit_has(got, XENOPROF_PART_USER_WINDOW);
}

TEST(window_of_the_process_below_a_kernel)
{
    const struct kit_sample *got;

    begin();
    for ( int i = 0; i < 2; i++, window_kit_in_xen() )
    {
        got = window_kit_sample();
        CHECK_EQ(got->sample.marks, 0);
        CHECK_EQ(window_kit_count(got), 2);
        CHECK_EQ(got->window.head.address, KERNEL_SP);
        CHECK_EQ(got->window.head.length, 1000);
        window_kit_check(&got->user_window, USER_SP - 128, 1128);
        CHECK_EQ(process_host()->rights, PORT_RIGHTS_USER);
    }
    window_kit_end();
}

TEST(window_of_the_process_below_two_stacks)
{
    const struct kit_sample *got;

    begin();
    window_kit_map(IRQ, 4);
    window_kit_set_sp(IRQ_END - 1000);
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 3);
    CHECK_EQ(got->window.head.length, 1000);
    CHECK_EQ(got->window2.head.address, KERNEL_SP);
    window_kit_check(&got->user_window, USER_SP - 128, 1128);
    window_kit_end();
}

/* As on a stack for exceptions, which a process entered the kernel by. */
TEST(window_of_the_process_that_an_exception_interrupted)
{
    begin();
    window_kit_map(IRQ, 4);
    window_kit_set_sp(IRQ_END - 1000);
    window_kit_put_word(IRQ_END - 8, 0x2b);
    window_kit_put_word(IRQ_END - 16, USER_SP + 8);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    window_kit_check(&window_kit_read.last.user_window, USER_SP - 120, 1120);
    window_kit_end();
}

/* Each stack has what it may, whatever the other takes. */
TEST(budgets_of_kernel_and_process)
{
    const struct kit_sample *got;

    begin_with("window=1008 user-window=64", "active", "link id=5 at= user=16");
    got = window_kit_sample();
    CHECK_EQ(got->window.head.length, 1000);
    CHECK_EQ(got->user_window.head.length, 64);
    window_kit_end();
    begin_with("window=16384 user-window=8192", "active",
               "link id=5 at= user=16");
    window_kit_map(USER + 2 * PAGE, 4);
    window_kit_set_sp(TASK);
    /* It ends with its budget, so its end is not in it. */
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    CHECK_EQ(window_kit_read.last.window.head.length, 4 * PAGE);
    window_kit_set_sp(TASK + 8);
    got = window_kit_sample();
    CHECK_EQ(got->window.head.length, 4 * PAGE - 8);
    window_kit_check(&got->user_window, USER_SP - 128, 8192);
    window_kit_end();
}

/* Not one reading more. */
static void check_none(const char *kind, const char *link)
{
    unsigned int reads;

    begin_with("", kind, link);
    CHECK(!has_process(window_kit_sample()));
    reads = window_kit_page_reads;
    /* The stack's page, the one that is not there, and two words. */
    CHECK_EQ(reads, 4);
    CHECK_EQ(process_host()->rights, PORT_RIGHTS_CURRENT);
    window_kit_end();
}

TEST(no_process_unless_it_is_asked_for)
{
    check_none("passive", "link id=5 at=8,16 user=16");
    check_none("active", "link id=5 at=8,16");
    check_none("active", "link id=5 at=8,16 user=0");
    begin_with("user-window=0", "active", "link id=5 at=8,16 user=16");
    CHECK(!has_process(window_kit_sample()));
    CHECK_EQ(window_kit_page_reads, 4);
    window_kit_end();
}

/* What leads nowhere costs this window, and no other. */
TEST(words_that_are_no_process)
{
    static const uint64_t words[] = {
        0,
        0xffffc90000100000, /* a kernel's */
        0x0100000000000000, /* above the user half of five levels */
        0x8000000000000000,
        USER - PAGE,     /* not there */
        USER + 3 * PAGE, /* the same */
        ~0ull,
    };

    begin();
    for ( unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++ )
    {
        window_kit_put_word(TASK_END - 16, words[i]);
        CHECK(!has_process(window_kit_sample()));
        CHECK_EQ(window_kit_read.last.sample.marks, 0);
        CHECK_EQ(window_kit_read.last.window.head.length, 1000);
    }
    /* The word is not in the window. */
    window_kit_put_word(TASK_END - 16, USER_SP);
    window_kit_set_sp(TASK_END - 8);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_set_sp(TASK_END - 16);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    window_kit_end();
}

/* No window of the kernel's: whose end would it be? */
TEST(no_process_without_a_kernels_stack)
{
    begin();
    CHECK(has_process(window_kit_sample()));
    window_kit_set_sp(TASK_END + 8);
    CHECK_EQ(window_kit_sample()->sample.marks, XENOPROF_MARK_NO_STACK);
    CHECK_EQ(window_kit_count(&window_kit_read.last), 0);
    window_kit_end();
}

static unsigned int carried;

static void look_at_stay(const struct kit_sample *got)
{
    carried += has_process(got);
}

TEST(one_reading_of_the_process_serves_a_stay)
{
    begin();
    carried = 0;
    window_kit_read.each = look_at_stay;
    window_kit_in_xen();
    for ( int i = 0; i < 6; i++ )
        window_kit_take_nmi();
    process_commit(1);
    /* Its kernel's stack: two, and three words; and two of the process's. */
    CHECK_EQ(window_kit_page_reads, 7);
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(carried, 4);
    window_kit_read.each = NULL;
    window_kit_end();
}

TEST(windows_of_both_that_are_refused)
{
#define RESERVE "reserve sampler=nmi frequency=100 mask=539 queue=0 lease=0 "
    process_reset(1);
    kit_refused(34, "rings of 4 pages are too small for windows of 8200 bytes",
                RESERVE "budget=0 pages=4 window=8 user-window=8192");
    kit_done(RESERVE "budget=0 pages=8 window=4096 user-window=8192");
    kit_done("reset");
}
