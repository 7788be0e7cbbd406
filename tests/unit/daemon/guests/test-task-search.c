/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests begin searches in turn, and not too many at a time. */
#include <string.h>

#include "daemon/guests/task-search.h"
#include "tests/harness.h"

#define NOBODY GUESTS_MAX

static struct guests guests;
static bool wants[GUESTS_MAX];

static bool may_begin(struct guests *all, const struct guest *guest)
{
    return wants[guest - all->guests];
}

static uint32_t turn(void)
{
    const struct guest *guest = task_searches_turn(&guests, &guests.origins, 2,
                                                   may_begin);

    return guest ? (uint32_t)(guest - guests.guests) : NOBODY;
}

static void begin(void)
{
    guests.origins = (struct task_searches){0};
    memset(wants, 0, sizeof(wants));
}

TEST(none_begins_twice_before_others)
{
    begin();
    CHECK_EQ(turn(), NOBODY);
    wants[3] = wants[7] = wants[GUESTS_MAX - 1] = true;
    for ( unsigned int i = 0; i < 3; i++ )
    {
        CHECK_EQ(turn(), 3);
        CHECK_EQ(turn(), 7);
        CHECK_EQ(turn(), GUESTS_MAX - 1);
    }
    /* One that came meanwhile is behind those that it is behind. */
    CHECK_EQ(turn(), 3);
    wants[0] = wants[5] = true;
    CHECK_EQ(turn(), 5);
    CHECK_EQ(turn(), 7);
    CHECK_EQ(turn(), GUESTS_MAX - 1);
    CHECK_EQ(turn(), 0);
    wants[3] = false;
    CHECK_EQ(turn(), 5);
}

TEST(no_more_than_there_may_be)
{
    begin();
    wants[3] = true;
    guests.origins.count = 2;
    CHECK_EQ(turn(), NOBODY);
    guests.origins.count = 1;
    CHECK_EQ(turn(), 3);
    CHECK_EQ(turn(), 3);
}
