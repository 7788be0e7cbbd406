/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "libxenoprof/nameless.h"
#include "tests/harness.h"

TEST(has_nothing_at_first)
{
    struct nameless nameless = {0};

    CHECK(!nameless_may_have(&nameless, 1, 0x1000));
    nameless_remove(&nameless, 1, 0x1000);
    CHECK(!nameless_may_have(&nameless, 1, 0x1000));
    nameless_free(&nameless);
}

TEST(what_was_added_is_there_until_it_is_removed)
{
    struct nameless nameless = {0};

    for ( uint64_t i = 0; i < 1000; i++ )
        CHECK(nameless_add(&nameless, i % 3, i << 12));
    for ( uint64_t i = 0; i < 1000; i++ )
        CHECK(nameless_may_have(&nameless, i % 3, i << 12));
    for ( uint64_t i = 0; i < 1000; i++ )
        nameless_remove(&nameless, i % 3, i << 12);
    for ( uint64_t i = 0; i < 1000; i++ )
        CHECK(!nameless_may_have(&nameless, i % 3, i << 12));
    nameless_free(&nameless);
}

/* The same addresses, of another space. */
TEST(few_others_look_as_if_they_were_there)
{
    struct nameless nameless = {0};
    unsigned int alike = 0;

    for ( uint64_t i = 0; i < 1000; i++ )
        CHECK(nameless_add(&nameless, 1, 0xffffffff81000000ull + i));
    for ( uint64_t i = 0; i < 1000; i++ )
        alike += nameless_may_have(&nameless, 2, 0xffffffff81000000ull + i);
    CHECK(alike < 20);
    nameless_free(&nameless);
}

/* A count that is full says nothing any more: none is lost. */
TEST(a_full_count_stays)
{
    struct nameless nameless = {0};

    for ( unsigned int i = 0; i < 1000; i++ )
        CHECK(nameless_add(&nameless, 1, 0x1000));
    for ( unsigned int i = 0; i < 2000; i++ )
        nameless_remove(&nameless, 1, 0x1000);
    CHECK(nameless_may_have(&nameless, 1, 0x1000));
    nameless_free(&nameless);
}
