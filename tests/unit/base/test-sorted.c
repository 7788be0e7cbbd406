/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sorted.h"
#include "tests/harness.h"

struct item {
    char before;
    uint64_t number;
};

static const struct item items[] = {
    {0, 0}, {0, 4}, {0, 4}, {0, 4}, {0, 9}, {0, UINT64_MAX},
};

static size_t until(size_t count, uint64_t last)
{
    return sorted_until(items, count, number, last);
}

static size_t below(size_t count, uint64_t limit)
{
    return sorted_below(items, count, number, limit);
}

TEST(numbers_up_to_one)
{
    CHECK_EQ(until(6, 0), 1);
    CHECK_EQ(until(6, 3), 1);
    CHECK_EQ(until(6, 4), 4);
    CHECK_EQ(until(6, 8), 4);
    CHECK_EQ(until(6, 9), 5);
    CHECK_EQ(until(6, UINT64_MAX - 1), 5);
    CHECK_EQ(until(6, UINT64_MAX), 6);
    CHECK_EQ(until(0, UINT64_MAX), 0);
}

TEST(numbers_below_one)
{
    CHECK_EQ(below(6, 0), 0);
    CHECK_EQ(below(6, 1), 1);
    CHECK_EQ(below(6, 4), 1);
    CHECK_EQ(below(6, 5), 4);
    CHECK_EQ(below(6, UINT64_MAX), 5);
    CHECK_EQ(below(0, UINT64_MAX), 0);
}

TEST(numbers_in_arrays_of_each_length)
{
    for ( size_t count = 0; count <= 6; count++ )
        for ( uint64_t last = 0; last < 12; last++ )
        {
            size_t wanted = 0;

            while ( wanted < count && items[wanted].number <= last )
                wanted++;
            CHECK_EQ(until(count, last), wanted);
        }
}
