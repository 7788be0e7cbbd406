/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pair-counts.h"
#include "tests/harness.h"

#define WHOS  37u
#define CALLS 211u

static struct pair_count *find(const struct pair_counts *counts, uint32_t who,
                               uint32_t call)
{
    uint64_t pair = pair_of(who, call);

    return pair_find(counts, pair, pair_expect(counts, pair));
}

TEST(each_pair_has_a_slot_of_its_own)
{
    struct pair_counts counts;
    uint64_t sum = 0;

    pair_counts_init(&counts);
    CHECK(!find(&counts, 0, 0));
    for ( uint32_t i = 0; i < WHOS * CALLS; i++ )
    {
        struct pair_count *slot;

        CHECK(!find(&counts, i % WHOS, i / WHOS));
        slot = pair_add(&counts, pair_of(i % WHOS, i / WHOS), i);
        CHECK(slot);
        slot->count = 2 * i;
    }
    for ( uint32_t i = 0; i < WHOS * CALLS; i++ )
    {
        const struct pair_count *slot = find(&counts, i % WHOS, i / WHOS);

        CHECK(slot);
        CHECK_EQ(slot->number, i + 1);
        CHECK_EQ(slot->count, 2 * i);
    }
    CHECK(!find(&counts, WHOS, 0));
    /* Who goes through all slots finds each once. */
    for ( size_t i = 0; i <= counts.mask; i++ )
        sum += counts.slots[i].count;
    CHECK_EQ(sum, (uint64_t)WHOS * CALLS * (WHOS * CALLS - 1));
    pair_counts_free(&counts);
    CHECK(!find(&counts, 0, 0));
}

TEST(a_pair_is_its_two_numbers)
{
    CHECK_EQ(pair_left(pair_of(7, UINT32_MAX)), 7);
    CHECK_EQ(pair_right(pair_of(7, UINT32_MAX)), UINT32_MAX);
    CHECK_EQ(pair_left(pair_of(UINT32_MAX, 7)), UINT32_MAX);
    CHECK_EQ(pair_right(pair_of(UINT32_MAX, 7)), 7);
}
