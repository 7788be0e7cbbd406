/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is true of what clocks of processes say. */
#include "cage/process-work.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

static struct process_work work;
static uint64_t own, ran;

/* Seconds in each of which ours say that they worked so many ms, while dom0 ran
 * for so many. */
static void pass(unsigned int seconds, uint64_t worked, uint64_t dom0)
{
    for ( unsigned int i = 0; i < seconds; i++ )
    {
        own += worked * 1000000 / 2;
        process_work_add(&work, worked * 1000000 / 2);
        ran += dom0 * 1000000;
        process_work_look(&work, own, ran);
    }
}

static void begin(void)
{
    work = (struct process_work){0};
    own = 5 * SECOND;
    ran = 100 * SECOND;
    process_work_look(&work, own, ran);
}

/* Returns ms that are true of a second that a clock says. */
static uint64_t true_of_a_second(void)
{
    struct process_work copy = work;

    return process_work_add(&copy, SECOND) / 1000000;
}

TEST(clocks_are_believed_where_dom0_ran_for_longer)
{
    begin();
    CHECK_EQ(true_of_a_second(), 1000);
    pass(10, 900, 1000);
    CHECK_EQ(true_of_a_second(), 1000);
    pass(10, 1000, 1000);
    CHECK_EQ(true_of_a_second(), 1000);
}

TEST(all_together_worked_no_longer_than_dom0_ran)
{
    begin();
    pass(10, 2000, 100);
    CHECK(true_of_a_second() >= 48 && true_of_a_second() <= 52);
    /* Its own clocks are what they say. */
    CHECK_EQ(work.spent, 10 * SECOND);
}

TEST(what_was_is_forgotten_soon)
{
    begin();
    pass(100, 2000, 100);
    pass(8, 500, 2000);
    CHECK_EQ(true_of_a_second(), 1000);
    pass(8, 2000, 100);
    CHECK(true_of_a_second() <= 60);
}

/* Not even what would be true of nothing. */
TEST(nothing_is_free)
{
    begin();
    pass(100, 2000, 0);
    CHECK(process_work_add(&work, SECOND) >= SECOND / 1024);
}

TEST(who_does_not_know_believes_the_clocks)
{
    begin();
    for ( unsigned int i = 1; i < 10; i++ )
        process_work_look(&work, own + i * SECOND, 0);
    CHECK_EQ(true_of_a_second(), 1000);
    /* Xen booted anew below us, or its count is another's. */
    process_work_look(&work, own + 11 * SECOND, 50);
    process_work_look(&work, own + 12 * SECOND, 40);
    CHECK_EQ(true_of_a_second(), 1000);
}
