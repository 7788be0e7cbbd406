/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core-kit.h"
#include "hypervisor/presence.h"

TEST(nobody_is_waited_for_outside)
{
    uint64_t before;

    process_reset(3);
    before = process_now();
    CHECK(presence_wait(PRESENCE_FIRST));
    presence_enter(PRESENCE_SECOND, 1);
    presence_leave(PRESENCE_SECOND, 1);
    CHECK(presence_wait(PRESENCE_SECOND));
    CHECK_EQ(process_now(), before);
}

/* What a half still uses is not freed, however long it takes. */
TEST(half_that_is_not_left_ends_the_wait)
{
    uint64_t before;

    process_reset(3);
    for ( unsigned int pcpu = 0; pcpu < 3; pcpu++ )
    {
        presence_enter(PRESENCE_SECOND, pcpu);
        before = process_now();
        CHECK(!presence_wait(PRESENCE_SECOND));
        CHECK_EQ(process_now() - before, 100 * KIT_MILLISECOND);
        presence_leave(PRESENCE_SECOND, pcpu);
        CHECK(presence_wait(PRESENCE_SECOND));
    }
}

TEST(halves_are_waited_for_apart)
{
    process_reset(3);
    presence_enter(PRESENCE_FIRST, 2);
    CHECK(presence_wait(PRESENCE_SECOND));
    CHECK(!presence_wait(PRESENCE_FIRST));
    presence_leave(PRESENCE_FIRST, 2);
}
