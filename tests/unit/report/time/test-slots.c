/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/time/slots.h"
#include "tests/harness.h"

#include <libxenoprof.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND XENOPROF_SECOND
#define MS     (SECOND / 1000)

static uint32_t owner(struct slots *slots, uint32_t domain, uint32_t vcpu)
{
    const struct owner_key key = {.domain = domain, .vcpu = vcpu};
    uint32_t put = slots_put(slots, &key);

    CHECK(put);
    return put;
}

/* Returns an owner, web, that has nothing yet. */
static uint32_t begin(struct slots *slots)
{
    slots_init(slots, false);
    return owner(slots, 1, 0);
}

static void add_ticks(struct slots *slots, uint32_t of, uint64_t second,
                      uint64_t ticks)
{
    slots_add_ticks(slots, of, second, (double)ticks);
}

static void add_running(struct slots *slots, uint32_t of, uint64_t from,
                        uint64_t to, uint64_t running)
{
    slots_add_running(slots, of, from, to, running);
}

static void settle(struct slots *slots, uint64_t from, uint64_t to)
{
    const struct time_span span = {from, to};

    slots_settle(slots, &span);
}

static double rate(struct slots *slots, uint32_t of, uint64_t second)
{
    return slots_rate(slots, of, slots_of_second(slots, second));
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

TEST(samples_share_what_their_owner_ran_in_that_second)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    add_running(&slots, web, 0, SECOND, 900 * MS);
    add_running(&slots, web, SECOND, 2 * SECOND, 300 * MS);
    add_ticks(&slots, web, 0, 100 * MS); /* most were lost */
    add_ticks(&slots, web, 1, 300 * MS);
    settle(&slots, 0, 2 * SECOND);
    CHECK(is_near(rate(&slots, web, 0), 9));
    CHECK(is_near(rate(&slots, web, 1), 1));
    CHECK_EQ(slots_at(&slots, web)->time, 1200 * MS);
    CHECK_EQ(slots_at(&slots, web)->borrowed, 0);
    slots_free(&slots);
}

TEST(a_row_is_spread_over_its_seconds_and_adds_up)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    slots.origin = 10;
    add_running(&slots, web, 10 * SECOND + 500 * MS, 13 * SECOND, 1000000007);
    for ( uint64_t second = 10; second < 13; second++ )
        add_ticks(&slots, web, second, 10 * MS);
    settle(&slots, 10 * SECOND + 500 * MS, 13 * SECOND);
    CHECK_EQ(slots_at(&slots, web)->time, 1000000007);
    CHECK(fabs(rate(&slots, web, 10) - 20) < 1e-6);
    CHECK(fabs(rate(&slots, web, 12) - 40) < 1e-6);
    slots_free(&slots);
}

TEST(a_second_without_a_sample_borrows_the_nearest)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    for ( uint64_t second = 0; second < 6; second++ )
        add_running(&slots, web, second * SECOND, (second + 1) * SECOND,
                    100 * MS);
    add_ticks(&slots, web, 1, 100 * MS);
    add_ticks(&slots, web, 5, 100 * MS);
    settle(&slots, 0, 6 * SECOND);
    /* 0, 2 and 3 are the first one's: 3 is as near to both. */
    CHECK(is_near(rate(&slots, web, 1), 4));
    CHECK(is_near(rate(&slots, web, 5), 2));
    CHECK(is_near(rate(&slots, web, 3), 0));
    CHECK_EQ(slots_at(&slots, web)->time, 600 * MS);
    CHECK_EQ(slots_at(&slots, web)->borrowed, 400 * MS);
    slots_free(&slots);
}

TEST(an_owner_without_any_sample_is_unsampled)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    add_running(&slots, web, 0, SECOND, 5 * MS);
    settle(&slots, 0, SECOND);
    CHECK_EQ(slots_at(&slots, web)->unsampled, 5 * MS);
    CHECK_EQ(slots_at(&slots, web)->borrowed, 0);
    slots_free(&slots);
}

TEST(without_an_account_losses_are_made_up_for_when_they_were)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    add_ticks(&slots, web, 0, 100 * MS);
    add_ticks(&slots, web, 1, 100 * MS);
    slots_add_ring(&slots, web, 0, SECOND, 10, 0);
    slots_add_ring(&slots, web, SECOND, 2 * SECOND, 10, 30);
    settle(&slots, 0, 2 * SECOND);
    CHECK(is_near(rate(&slots, web, 0), 1));
    CHECK(is_near(rate(&slots, web, 1), 4));
    CHECK_EQ(slots_at(&slots, web)->time, 500 * MS);
    CHECK_EQ(slots_at(&slots, web)->estimated, 500 * MS);
    slots_free(&slots);
}

TEST(what_the_account_of_vcpus_lacks_is_scaled_to_that_of_pcpus)
{
    struct slots slots;
    const uint32_t web = begin(&slots), db = owner(&slots, 2, 0);

    slots_add_pcpu(&slots, 0, 0, SECOND, 0);
    add_running(&slots, web, 0, SECOND, 400 * MS);
    add_ticks(&slots, web, 0, 500 * MS);
    add_ticks(&slots, db, 0, 500 * MS); /* its account begins later */
    settle(&slots, 0, SECOND);
    CHECK_EQ(slots_at(&slots, web)->time, 400 * MS);
    CHECK_EQ(slots_at(&slots, db)->time, 600 * MS);
    CHECK_EQ(slots_at(&slots, db)->estimated, 600 * MS);
    CHECK_EQ(slots.gap, 0);
    slots_free(&slots);
}

TEST(accounts_that_differ_a_little_have_no_gap)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    slots_add_pcpu(&slots, 0, 0, SECOND, 500 * MS);
    add_running(&slots, web, 0, SECOND, 499 * MS);
    add_ticks(&slots, web, 0, 10 * MS);
    settle(&slots, 0, SECOND);
    CHECK_EQ(slots.gap, 0);
    slots_free(&slots);
}

TEST(work_of_which_nothing_else_is_known_is_a_gap)
{
    struct slots slots;

    begin(&slots);
    slots_add_pcpu(&slots, 0, 0, SECOND, 100 * MS);
    settle(&slots, 0, SECOND);
    CHECK_EQ(slots.gap, 900 * MS);
    slots_free(&slots);
}

TEST(slots_that_are_too_many_become_wider_and_keep_all)
{
    struct slots slots;
    const uint32_t web = begin(&slots), db = owner(&slots, 2, 3);
    double sum = 0;

    slots.most = 20;
    for ( uint64_t second = 0; second < 500; second++ )
    {
        add_running(&slots, web, second * SECOND, (second + 1) * SECOND,
                    second % 7 * MS);
        add_ticks(&slots, web, second, 10 * MS);
    }
    add_ticks(&slots, db, 3, 10 * MS); /* before what it had */
    settle(&slots, 0, 500 * SECOND);
    CHECK(slots.count <= 20);
    CHECK_EQ(slots.width, 100);
    for ( uint64_t second = 0; second < 500; second++ )
        sum += 10 * (double)MS * rate(&slots, web, second);
    CHECK(is_near(sum, (double)slots_at(&slots, web)->time));
    CHECK_EQ(slots_at(&slots, web)->time, 1494 * MS);
    slots_free(&slots);
}

TEST(no_owner_runs_for_longer_than_there_is_time)
{
    struct slots slots;
    const uint32_t web = begin(&slots);

    add_running(&slots, web, 0, 600 * MS, 600 * MS);
    add_ticks(&slots, web, 0, 2 * SECOND);
    settle(&slots, 0, SECOND);
    CHECK_EQ(slots_at(&slots, web)->time, SECOND);
    slots_free(&slots);
}

/* What a file says may be anything. */
TEST(slots_take_any_times_and_stay_small)
{
    static const uint64_t odd[] = {
        0, 1, SECOND, UINT64_MAX / 4, UINT64_MAX / 2, UINT64_MAX};

    for ( unsigned int seed = 1; seed < 100; seed++ )
    {
        struct slots slots;

        srandom(seed);
        begin(&slots);
        slots.most = 50;
        slots.origin = (uint64_t)random() % 3 * 1000;
        for ( unsigned int i = 0; i < 50; i++ )
        {
            uint64_t from = odd[random() % 6], to = odd[random() % 6];
            uint32_t of = owner(&slots, (uint32_t)random() % 80,
                                (uint32_t)random() % 3);

            add_ticks(&slots, of, odd[random() % 6] / SECOND,
                      (uint64_t)random());
            if ( from < to )
                add_running(&slots, of, from, to, (to - from) / 3);
        }
        settle(&slots, 0, UINT64_MAX);
        CHECK(slots.count <= 300);
        slots_free(&slots);
    }
}
