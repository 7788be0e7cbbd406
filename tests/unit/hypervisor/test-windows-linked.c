/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second window of guest stack, and what a guest can do with the links
 * between its stacks that lead there.
 */
#include <string.h>

#include "window-kit.h"

static void begin_linked(const char *links)
{
    window_kit_begin();
    window_kit_map(IRQ, 4);
    window_kit_map(TASK, 4);
    CHECK_EQ(kit_command("link id=5 at=%s", links), 0);
    window_kit_set_sp(IRQ_END - 1000);
}

TEST(second_window_begins_where_the_link_leads)
{
    const struct kit_sample *got;

    begin_linked("8,16");
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    got = window_kit_sample();
    CHECK_EQ(window_kit_count(got), 2);
    CHECK_EQ(got->window.head.address, IRQ_END - 1000);
    CHECK_EQ(got->window.head.length, 1000);
    window_kit_check(&got->window2, KERNEL_SP, 1000);
    window_kit_end();
}

/* As on Linux' exception stacks: ss is at the end, sp before it. */
TEST(second_link_is_tried_after_the_first)
{
    begin_linked("8,16");
    window_kit_put_word(IRQ_END - 8, 0x18);
    window_kit_put_word(IRQ_END - 16, KERNEL_SP);
    window_kit_check(&window_kit_sample()->window2, KERNEL_SP, 1000);
    window_kit_end();
}

TEST(second_window_has_what_is_left_of_the_budget)
{
    begin_linked("8");
    window_kit_set_sp(IRQ_END - 5000);
    window_kit_put_word(IRQ_END - 8, TASK + 8);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    CHECK_EQ(window_kit_read.last.window.head.length, 5000);
    window_kit_check(&window_kit_read.last.window2, TASK + 8,
                     WINDOW_KERNEL_USUAL - 5000);
    window_kit_end();
}

/* The stack's end, where the link is, was not in the window. */
TEST(no_second_window_if_the_budget_ended_the_first)
{
    begin_linked("8");
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    window_kit_set_sp(IRQ_END - WINDOW_KERNEL_USUAL);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_set_sp(IRQ_END - WINDOW_KERNEL_USUAL - 8);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_end();
}

TEST(no_second_window_without_links)
{
    begin_linked("");
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    kit_done("link id=5 at=8");
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    kit_done("link id=5 at=");
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_end();
}

/* A link below the stack pointer is stale. */
TEST(no_link_that_is_not_in_the_window)
{
    begin_linked("4096");
    window_kit_put_word(IRQ_END - 4096, KERNEL_SP);
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_set_sp(IRQ_END - 4096);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    window_kit_set_sp(IRQ_END - 4);
    kit_done("link id=5 at=8,16,24,32");
    CHECK_EQ(window_kit_count(window_kit_sample()), 1);
    window_kit_end();
}

TEST(links_that_lead_nowhere)
{
    static const uint64_t links[] = {
        0,
        8,
        USER,
        0x7fffffffffffffff,
        IRQ_END - 1000,            /* itself, from its start */
        IRQ_END - 8,               /* to its last word */
        IRQ_END,                   /* what is not there */
        KERNEL_SP + 4,             /* no stack pointer */
        TASK - 8,                  /* not there */
        0x8000000000000000,        /* not canonical */
        0xfeffffffffffffff & ~7ul, /* nor with five levels of tables */
    };

    begin_linked("8");
    window_kit_map(USER, 1);
    window_kit_map(0, 1);
    for ( unsigned int i = 0; i < sizeof(links) / sizeof(*links); i++ )
    {
        window_kit_put_word(IRQ_END - 8, links[i]);
        CHECK_EQ(window_kit_count(window_kit_sample()), 1);
        CHECK_EQ(window_kit_read.last.sample.marks, 0);
    }
    window_kit_end();
}

TEST(link_to_the_end_of_the_address_space)
{
    begin_linked("8");
    window_kit_map(LAST_PAGE, 1);
    window_kit_map(0, 1);
    window_kit_put_word(IRQ_END - 8, LAST_PAGE + PAGE - 8);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    window_kit_check(&window_kit_read.last.window2, LAST_PAGE + PAGE - 8, 8);
    window_kit_end();
}

/* A place below the first window is not in it; the two may overlap. */
TEST(link_below_the_first_window)
{
    begin_linked("8");
    window_kit_put_word(IRQ_END - 8, IRQ_END - 1008);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    CHECK_EQ(window_kit_read.last.window2.head.address, IRQ_END - 1008);
    CHECK_EQ(window_kit_read.last.window2.head.length, 1008);
    window_kit_end();
}

TEST(no_second_window_unless_asked_for)
{
    memset(&window_kit_read, 0, sizeof(window_kit_read));
    begin_linked("8");
    window_kit_put_word(IRQ_END - 8, KERNEL_SP);
    CHECK_EQ(window_kit_count(window_kit_sample()), 2);
    for ( int i = 0; i < 2; i++ )
        process_pcpu(i)->hold_nmis = process_pcpu(i)->hold_softirqs = false;
    kit_done("stop");
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=100 mask=11 pages=16 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("link id=5 at=8");
    kit_done("start");
    memset(&window_kit_read, 0, sizeof(window_kit_read));
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    kit_done("stop");
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK(window_kit_read.samples > 1);
    CHECK_EQ(window_kit_count(&window_kit_read.last), 1);
    kit_done("reset");
}

TEST(links_that_are_refused)
{
    window_kit_begin();
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=8,16,24,32,40");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=8-16");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=4104");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=0");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=12");
    kit_refused(22, "at= takes a list such as 8,16", "link id=5 at=8;16");
    kit_refused(2, "domain 6 is not profiled", "link id=6 at=8");
    kit_refused(22, "link needs at=", "link id=5");
    kit_refused(34, "user= takes a multiple of 8, to 4096",
                "link id=5 at=8 user=12");
    kit_refused(34, "user=4104 is not between 0 and 4096",
                "link id=5 at=8 user=4104");
    window_kit_end();
}
