/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/sort-rows.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

#define ROWS 10000u

struct sorted_row {
    uint32_t first, second, place;
};

static struct sorted_row rows[ROWS];

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random;
}

/* Numbers of so many bits, the upper ones. */
static void make_rows(unsigned int bits)
{
    uint32_t random = bits;

    for ( uint32_t i = 0; i < ROWS; i++ )
    {
        rows[i].first = next_random(&random) >> 25;
        rows[i].second = next_random(&random) >> (32 - bits);
        rows[i].place = i;
    }
}

static bool is_before(const struct sorted_row *a, const struct sorted_row *b)
{
    if ( a->first != b->first )
        return a->first < b->first;
    if ( a->second != b->second )
        return a->second < b->second;
    return a->place < b->place;
}

TEST(rows_of_numbers_of_any_length)
{
    for ( unsigned int bits = 1; bits <= 32; bits++ )
    {
        bool seen[ROWS] = {false};

        make_rows(bits);
        CHECK(sort_rows(&rows[0].first, ROWS, 3, 2));
        for ( uint32_t i = 0; i < ROWS; i++ )
        {
            CHECK(!i || is_before(&rows[i - 1], &rows[i]));
            CHECK(!seen[rows[i].place]);
            seen[rows[i].place] = true;
        }
    }
}

/* Whatever digits all have. */
TEST(rows_that_differ_in_some_bits_only)
{
    for ( unsigned int bit = 0; bit < 28; bit++ )
    {
        make_rows(4);
        for ( uint32_t i = 0; i < ROWS; i++ )
            rows[i].second = (0xabcdef01u & ~(0xfu << bit)) | rows[i].second
                                                                  << bit;
        CHECK(sort_rows(&rows[0].first, ROWS, 3, 2));
        for ( uint32_t i = 1; i < ROWS; i++ )
            CHECK(is_before(&rows[i - 1], &rows[i]));
    }
}

/* Few are put in order in another way than many. */
TEST(any_number_of_rows)
{
    for ( uint32_t count = 1; count < 200; count++ )
    {
        make_rows(5);
        CHECK(sort_rows(&rows[0].first, count, 3, 2));
        for ( uint32_t i = 1; i < count; i++ )
            CHECK(is_before(&rows[i - 1], &rows[i]));
    }
}

TEST(no_row_and_one_row)
{
    uint32_t row[] = {7, 5};

    CHECK(sort_rows(row, 0, 2, 1));
    CHECK(sort_rows(row, 1, 2, 2));
    CHECK_EQ(row[0], 7);
    CHECK_EQ(row[1], 5);
}

TEST(rows_stay_when_there_is_no_memory_to_sort_them)
{
    uint32_t numbers[64];

    for ( uint32_t i = 0; i < 64; i++ )
        numbers[i] = 7 * (64 - i);
    fail_allocation(1);
    CHECK(!sort_rows(numbers, 64, 1, 1));
    CHECK_EQ(fail_allocation(0), 0);
    for ( uint32_t i = 0; i < 64; i++ )
        CHECK_EQ(numbers[i], 7 * (64 - i));
    CHECK(sort_rows(numbers, 64, 1, 1));
    for ( uint32_t i = 0; i < 64; i++ )
        CHECK_EQ(numbers[i], 7 * (i + 1));
}
