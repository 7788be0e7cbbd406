/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors grow, keep their contents, and refuse impossible sizes. */
#include <stdint.h>

#include "base/vector.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

struct numbers {
    VECTOR(uint32_t);
};

TEST(vector_keeps_its_items_while_it_grows)
{
    struct numbers numbers = {0};

    for ( uint32_t i = 0; i < 1000; i++ )
    {
        uint32_t *item = vector_add(&numbers);

        CHECK(item);
        CHECK_EQ(*item, 0);
        *item = i;
    }
    CHECK_EQ(numbers.count, 1000);
    for ( uint32_t i = 0; i < 1000; i++ )
        CHECK_EQ(numbers.items[i], i);
    vector_free(&numbers);
    CHECK(!numbers.items);
    CHECK_EQ(numbers.count, 0);
}

TEST(vector_makes_room_for_many_at_once)
{
    struct numbers numbers = {0};

    CHECK(vector_reserve(&numbers, 100));
    CHECK(numbers.room >= 100);
    CHECK_EQ(numbers.count, 0);
    CHECK(!vector_reserve(&numbers, SIZE_MAX / 2));
    CHECK(!vector_reserve(&numbers, SIZE_MAX / 4));
    CHECK(numbers.room >= 100);
    vector_free(&numbers);
}

TEST(vector_gives_room_back)
{
    struct numbers numbers = {0};

    vector_fit(&numbers);
    CHECK(vector_reserve(&numbers, 100));
    vector_fit(&numbers);
    for ( uint32_t i = 0; i < 3; i++ )
        *vector_add(&numbers) = i;
    fail_allocation(1);
    vector_fit(&numbers);
    CHECK(numbers.room >= 100);
    vector_fit(&numbers);
    CHECK_EQ(numbers.room, 3);
    for ( uint32_t i = 3; i < 100; i++ )
        *vector_add(&numbers) = i;
    for ( uint32_t i = 0; i < 100; i++ )
        CHECK_EQ(numbers.items[i], i);
    vector_free(&numbers);
}

TEST(vector_stays_when_there_is_no_memory_for_another)
{
    struct numbers numbers = {0};

    fail_allocation(1);
    CHECK(!vector_add(&numbers));
    CHECK_EQ(numbers.count, 0);
    fail_allocation(2);
    for ( uint32_t *item; (item = vector_add(&numbers)); )
        *item = (uint32_t)numbers.count;
    CHECK(numbers.count > 10);
    CHECK_EQ(numbers.count, numbers.room);
    for ( size_t i = 0; i < numbers.count; i++ )
        CHECK_EQ(numbers.items[i], i + 1);
    vector_free(&numbers);
}
