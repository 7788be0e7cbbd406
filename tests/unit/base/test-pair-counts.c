/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pair-counts.h"
#include "tests/harness.h"

#define WHOS  37u
#define CALLS 211u

static struct pair_count *find(const struct pair_counts *counts, uint32_t who,
                               uint32_t call)
{
    return pair_find(counts, who, call, pair_expect(counts, who, call));
}

TEST(each_pair_has_a_slot_of_its_own)
{
    struct pair_counts counts;

    pair_counts_init(&counts);
    CHECK(!find(&counts, 0, 0));
    for ( uint32_t i = 0; i < WHOS * CALLS; i++ )
    {
        struct pair_count *slot;

        CHECK(!find(&counts, i % WHOS, i / WHOS));
        slot = pair_add(&counts, i % WHOS, i / WHOS, i);
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
    pair_counts_free(&counts);
    CHECK(!find(&counts, 0, 0));
}
