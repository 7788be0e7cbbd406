/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/backoff.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

TEST(backoff_doubles_up_to_its_bound)
{
    static const uint64_t seconds[] = {1, 2, 4, 8, 10, 10, 10};
    struct backoff backoff = {.first = SECOND, .most = 10 * SECOND};

    for ( size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++ )
    {
        struct backoff least = backoff;

        backoff_fail(&least, 5, 0, 0);
        CHECK_EQ(least.next, 5 + seconds[i] * SECOND / 2);
        backoff_fail(&backoff, 5, 0, seconds[i] * SECOND / 2);
        CHECK_EQ(backoff.next, 5 + seconds[i] * SECOND);
    }
    for ( unsigned int i = 0; i < 100; i++ )
        backoff_fail(&backoff, 5, 0, 7);
    CHECK_EQ(backoff.next, 5 + 5 * SECOND + 7);
}

TEST(backoff_stays_in_the_second_half)
{
    for ( uint64_t random = 1; random; random *= 2 )
    {
        struct backoff backoff = {.first = SECOND, .most = SECOND};

        backoff_fail(&backoff, 0, 0, random - 1);
        CHECK(backoff.next >= SECOND / 2 && backoff.next <= SECOND);
    }
}

TEST(backoff_obeys_a_receiver_up_to_a_bound)
{
    struct backoff backoff = {.first = SECOND, .most = 10 * SECOND};

    backoff_fail(&backoff, 5, 100 * SECOND, 0);
    CHECK_EQ(backoff.next, 5 + 100 * SECOND);
    backoff_fail(&backoff, 5, UINT64_MAX, 0);
    CHECK_EQ(backoff.next, 5 + BACKOFF_ASKED_MAX);
    /* What it asks for is no less than what there would be without. */
    backoff_fail(&backoff, 5, 1, 2 * SECOND);
    CHECK_EQ(backoff.next, 5 + 4 * SECOND);
}

TEST(backoff_begins_anew)
{
    struct backoff backoff = {.first = SECOND, .most = 10 * SECOND};

    backoff_rest(&backoff, 0, 0);
    CHECK_EQ(backoff.next, 5 * SECOND);
    backoff_clear(&backoff);
    CHECK_EQ(backoff.next, 0);
    backoff_fail(&backoff, 0, 0, 0);
    CHECK_EQ(backoff.next, SECOND / 2);
}
