/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/triple-table.h"
#include "tests/harness.h"

#define SIDE 19u

static uint32_t find(const struct triple_table *calls, uint32_t number)
{
    const uint32_t nodes[TRIPLE] = {number % SIDE, number / SIDE % SIDE,
                                    number / SIDE / SIDE};

    return triple_find(calls, nodes, triple_hash(calls, nodes));
}

TEST(each_three_nodes_are_one_call)
{
    const uint32_t count = SIDE * SIDE * SIDE;
    struct triple_table calls;

    triple_table_init(&calls);
    CHECK_EQ(find(&calls, 0), TRIPLE_NONE);
    for ( uint32_t i = 0; i < count; i++ )
    {
        const uint32_t nodes[TRIPLE] = {i % SIDE, i / SIDE % SIDE,
                                        i / SIDE / SIDE};

        CHECK_EQ(find(&calls, i), TRIPLE_NONE);
        CHECK(triple_add(&calls, nodes, 3 * i));
    }
    for ( uint32_t i = 0; i < count; i++ )
        CHECK_EQ(find(&calls, i), 3 * i);
    CHECK_EQ(find(&calls, count), TRIPLE_NONE);
    triple_table_clear(&calls);
    CHECK_EQ(find(&calls, 1), TRIPLE_NONE);
}
