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

TEST(presence_elsewhere_is_seen)
{
    process_reset(4);
    for ( unsigned int half = 0; half < PRESENCE_HALVES; half++ )
    {
        CHECK(!presence_elsewhere(half));
        CHECK(presence_enter(half, 3));
        CHECK(presence_elsewhere(half));
        presence_leave(half, 3);
        CHECK(!presence_elsewhere(half));
    }
}

/* What a pCPU does itself while it asks. */
TEST(presence_here_is_not_elsewhere)
{
    process_reset(2);
    CHECK(presence_enter(PRESENCE_TICK, 0));
    CHECK(!presence_elsewhere(PRESENCE_TICK));
    presence_leave(PRESENCE_TICK, 0);
}

/* Nothing is written behind the array (the sanitizers look). */
TEST(presence_of_a_pcpu_that_is_too_high)
{
    CHECK(presence_enter(PRESENCE_FIRST, PORT_PCPUS_MAX - 1));
    presence_leave(PRESENCE_FIRST, PORT_PCPUS_MAX - 1);
    CHECK(!presence_enter(PRESENCE_FIRST, PORT_PCPUS_MAX));
    CHECK(!presence_enter(PRESENCE_SECOND, 16383));
    CHECK(!presence_enter(PRESENCE_TICK, ~0u));
}
