/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that grow, numbers in them, and a cursor that is lied to. */
#include <string.h>

#include "base/buffer.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

TEST(buffer_keeps_its_bytes_while_it_grows)
{
    struct buffer buffer = {0};
    uint8_t piece[100];

    for ( unsigned int i = 0; i < 1000; i++ )
    {
        memset(piece, (int)i, sizeof(piece));
        CHECK(buffer_append(&buffer, piece, sizeof(piece)));
    }
    CHECK_EQ(buffer.used, 100000);
    for ( size_t i = 0; i < buffer.used; i++ )
        CHECK_EQ(buffer.bytes[i], i / 100 % 256);
    buffer_free(&buffer);
    CHECK(!buffer.bytes);
    CHECK_EQ(buffer.used, 0);
}

TEST(buffer_gives_room_back)
{
    struct buffer buffer = {0};

    buffer_fit(&buffer);
    CHECK(buffer_append(&buffer, "kept", 4) && buffer.room > 4);
    buffer_fit(&buffer);
    CHECK_EQ(buffer.room, 4);
    CHECK(buffer_append(&buffer, " too", 4));
    CHECK(!memcmp(buffer.bytes, "kept too", 8));
    buffer_free(&buffer);
}

TEST(buffer_that_cannot_grow_is_as_before)
{
    struct buffer buffer = {0};
    uint8_t *before;

    CHECK(!buffer_reserve(&buffer, SIZE_MAX));
    CHECK(buffer_append(&buffer, "kept", 4));
    before = buffer.bytes;
    /* No power of two is larger than these. */
    CHECK(!buffer_reserve(&buffer, SIZE_MAX));
    CHECK(!buffer_reserve(&buffer, SIZE_MAX / 2 + 2));
    fail_allocation(1);
    CHECK(!buffer_reserve(&buffer, 1 << 20));
    CHECK_EQ(fail_allocation(0), 0);
    CHECK(buffer.bytes == before);
    CHECK_EQ(buffer.used, 4);
    CHECK(!memcmp(buffer.bytes, "kept", 4));
    buffer_free(&buffer);
}

/* Returns how many bytes the number takes. */
static size_t there_and_back(uint64_t value)
{
    uint8_t bytes[NUMBER_BYTES];
    struct cursor cursor = {bytes, put_number(bytes, value), false};
    size_t size = cursor_left(&cursor);

    CHECK_EQ(get_number(&cursor), value);
    CHECK(!cursor.bad);
    CHECK_EQ(cursor_left(&cursor), 0);
    return size;
}

/* Whatever comes behind it. */
static void there_and_back_before(uint64_t value, uint8_t next)
{
    uint8_t bytes[2 * NUMBER_BYTES];
    struct cursor cursor = {bytes, bytes + sizeof(bytes), false};
    const uint8_t *end;

    memset(bytes, next, sizeof(bytes));
    end = put_number(bytes, value);
    CHECK_EQ(get_number(&cursor), value);
    CHECK(!cursor.bad);
    CHECK(cursor.at == end);
}

TEST(numbers_come_back_from_the_middle_of_others)
{
    for ( unsigned int bit = 0; bit < 64; bit++ )
        for ( unsigned int next = 0; next < 256; next += 51 )
        {
            there_and_back_before((uint64_t)1 << bit, (uint8_t)next);
            there_and_back_before(((uint64_t)1 << bit) - 1, (uint8_t)next);
        }
    there_and_back_before(UINT64_MAX, 0xff);
}

TEST(numbers_come_back_in_as_few_bytes_as_they_need)
{
    for ( unsigned int bit = 0; bit < 64; bit++ )
    {
        uint64_t value = (uint64_t)1 << bit;

        CHECK_EQ(there_and_back(value), bit / 7 + 1);
        CHECK_EQ(there_and_back(value | 1), bit / 7 + 1);
        CHECK_EQ(there_and_back(value - 1), bit ? (bit - 1) / 7 + 1 : 1);
    }
    CHECK_EQ(there_and_back(UINT64_MAX), NUMBER_BYTES);
}

TEST(signed_numbers_near_zero_are_short)
{
    static const int64_t values[] = {0,  1,   -1,        63,       -64,
                                     64, -65, INT64_MAX, INT64_MIN};
    static const size_t sizes[] = {1, 1, 1, 1, 1, 2, 2, 10, 10};

    for ( size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++ )
    {
        uint8_t bytes[NUMBER_BYTES];
        struct cursor cursor = {bytes, put_signed(bytes, values[i]), false};

        CHECK_EQ(cursor_left(&cursor), sizes[i]);
        CHECK_EQ(get_signed(&cursor), values[i]);
    }
}

/* The number in these bytes cannot be: 0, bad, and nothing behind is read. */
static void no_number(const char *bytes, size_t size)
{
    struct cursor cursor = {(const uint8_t *)bytes,
                            (const uint8_t *)bytes + size, false};

    CHECK_EQ(get_number(&cursor), 0);
    CHECK(cursor.bad);
    CHECK(cursor.at <= cursor.end);
}

TEST(numbers_that_are_cut_or_too_long_are_bad)
{
    no_number("", 0);
    no_number("\x80", 1);
    no_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    /* 65 bits, and a row of bytes without an end. */
    no_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
    no_number("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12);
}

TEST(limits_are_held_and_what_is_bad_stays_bad)
{
    static const uint8_t bytes[] = {5, 6, 7, 8};
    struct cursor cursor = {bytes, bytes + sizeof(bytes), false};

    CHECK_EQ(get_bounded(&cursor, 5), 5);
    CHECK(!cursor.bad);
    CHECK_EQ(get_bounded(&cursor, 5), 0);
    CHECK(cursor.bad);
    CHECK_EQ(get_bounded(&cursor, 7), 7);
    CHECK(cursor.bad);
}

TEST(bytes_are_given_whole_or_not_at_all)
{
    static const uint8_t bytes[] = {1, 2, 3, 4};
    struct cursor cursor = {bytes, bytes + sizeof(bytes), false};

    CHECK(get_bytes(&cursor, 3) == bytes);
    CHECK(get_bytes(&cursor, 0) == bytes + 3);
    CHECK(!cursor.bad);
    CHECK(!get_bytes(&cursor, 2));
    CHECK(cursor.bad);
    CHECK(cursor.at == bytes + 3);
    CHECK(!get_bytes(&cursor, SIZE_MAX));
    CHECK(get_bytes(&cursor, 1) == bytes + 3);
}
