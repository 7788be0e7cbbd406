/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns come back as they were, and what is none is refused. */
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/column.h"
#include "tests/harness.h"

#define ROWS 3000u

static struct column_packer packer;
static struct column_reader reader;
static struct buffer packed;
static uint64_t values[ROWS];

static void begin(void)
{
    memset(&reader, 0, sizeof(reader));
    CHECK(column_packer_init(&packer));
    reader.zstd = ZSTD_createDCtx();
    packed.used = 0;
    srandom(1);
}

static void end(void)
{
    column_packer_free(&packer);
    column_reader_free(&reader);
    buffer_free(&packed);
}

static struct cursor all_packed(void)
{
    return (struct cursor){packed.bytes, packed.bytes + packed.used, false};
}

/* Packs values[] and reads them again; returns how many bytes they take. */
static size_t there_and_back(enum column_coding coding, size_t rows)
{
    uint64_t copy[ROWS], got[ROWS];
    struct cursor cursor;

    memcpy(copy, values, sizeof(copy));
    packed.used = 0;
    CHECK(column_put(&packer, coding, copy, rows, &packed));
    cursor = all_packed();
    CHECK_EQ(column_get(&reader, &cursor, rows, got), COLUMN_OK);
    CHECK_EQ(cursor_left(&cursor), 0);
    CHECK(!memcmp(got, values, rows * sizeof(*got)));
    cursor = all_packed();
    CHECK_EQ(column_skip(&cursor), COLUMN_OK);
    CHECK_EQ(cursor_left(&cursor), 0);
    return packed.used;
}

TEST(numbers_of_every_width_come_back_in_every_coding)
{
    begin();
    for ( unsigned int bits = 0; bits <= 64; bits++ )
        for ( unsigned int coding = 0; coding <= COLUMN_EITHER; coding++ )
        {
            for ( size_t i = 0; i < ROWS; i++ )
            {
                values[i] = (uint64_t)random() << 33 ^
                            (uint64_t)random() << 11 ^ (uint64_t)random();
                values[i] = bits ? values[i] >> (64 - bits) : 0;
            }
            there_and_back((enum column_coding)coding, ROWS);
            there_and_back((enum column_coding)coding, 1);
            there_and_back((enum column_coding)coding, 2);
        }
    end();
}

TEST(what_is_the_same_takes_a_few_bytes)
{
    begin();
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = 1000;
    CHECK(there_and_back(COLUMN_PLAIN, ROWS) <= 3);
    /* A row of steps, too. */
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = 7 * (i + 1);
    CHECK(there_and_back(COLUMN_DIFFERENCES, ROWS) <= 3);
    /* Only the lowest byte differs. */
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = 0x123456789abcde00u | (uint64_t)random() % 256;
    CHECK(there_and_back(COLUMN_PLAIN, ROWS) < ROWS + 40);
    end();
}

TEST(each_plane_is_packed_for_itself)
{
    size_t mixed;

    begin();
    /* Eight bits that nothing foresees, below eight of which two are used. */
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = (uint64_t)random() % 256 | (uint64_t)(random() % 4) << 8;
    mixed = there_and_back(COLUMN_PLAIN, ROWS);
    CHECK(mixed < ROWS + ROWS / 4 + 150);
    end();
}

TEST(differences_are_written_where_they_are_much_smaller)
{
    size_t plain;

    begin();
    /* One after the other. */
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = 100000 + 3 * i + (uint64_t)random() % 4;
    CHECK_EQ(there_and_back(COLUMN_EITHER, ROWS),
             there_and_back(COLUMN_DIFFERENCES, ROWS));
    /* Of one thing most often. */
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = (uint64_t)random() % 8 ? 70000
                                           : (uint64_t)random() % 100000;
    plain = there_and_back(COLUMN_PLAIN, ROWS);
    CHECK_EQ(there_and_back(COLUMN_EITHER, ROWS), plain);
    CHECK(plain < there_and_back(COLUMN_DIFFERENCES, ROWS));
    end();
}

/* Matches take nothing on disk: it is counted what they take. */
TEST(what_few_bytes_unpack_to_takes_steps)
{
    begin();
    memset(values, 0, sizeof(values));
    values[7] = 1;
    there_and_back(COLUMN_PLAIN, ROWS);
    CHECK(reader.steps > 2 * ROWS && reader.steps <= 3 * ROWS);
    reader.steps = 0;
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = (uint64_t)random() % 32;
    there_and_back(COLUMN_PLAIN, ROWS);
    CHECK_EQ(reader.steps, ROWS);
    end();
}

TEST(bytes_come_back)
{
    uint8_t bytes[1000];
    struct cursor cursor;

    begin();
    for ( size_t size = 0; size <= sizeof(bytes); size += 37 )
    {
        for ( size_t i = 0; i < size; i++ )
            bytes[i] = (uint8_t)random();
        packed.used = 0;
        CHECK(column_put_bytes(&packer, bytes, size, &packed));
        cursor = all_packed();
        CHECK_EQ(column_get_bytes(&reader, &cursor), COLUMN_OK);
        CHECK_EQ(reader.bytes.used, size);
        CHECK(!size || !memcmp(reader.bytes.bytes, bytes, size));
        CHECK_EQ(cursor_left(&cursor), 0);
        cursor = all_packed();
        CHECK_EQ(column_skip(&cursor), COLUMN_OK);
        CHECK_EQ(cursor_left(&cursor), 0);
    }
    end();
}

TEST(a_column_that_is_cut_or_too_long_is_none)
{
    uint64_t got[ROWS];
    size_t whole;

    begin();
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = (uint64_t)random() % 100000;
    there_and_back(COLUMN_SIGNED, ROWS);
    whole = packed.used;
    for ( size_t cut = 0; cut < whole; cut++ )
    {
        struct cursor cursor = {packed.bytes, packed.bytes + cut, false};

        CHECK_EQ(column_get(&reader, &cursor, ROWS, got), COLUMN_BAD);
        cursor = (struct cursor){packed.bytes, packed.bytes + cut, false};
        CHECK_EQ(column_skip(&cursor), COLUMN_BAD);
    }
    /* Of another number of rows. */
    for ( size_t rows = ROWS - 2; rows < ROWS; rows++ )
    {
        struct cursor cursor = all_packed();

        CHECK_EQ(column_get(&reader, &cursor, rows, got), COLUMN_BAD);
    }
    end();
}

TEST(no_byte_of_a_column_can_do_harm)
{
    uint64_t got[ROWS];

    begin();
    for ( size_t i = 0; i < ROWS; i++ )
        values[i] = (uint64_t)random() % 1000;
    there_and_back(COLUMN_DIFFERENCES, ROWS);
    for ( size_t at = 0; at < packed.used; at++ )
        for ( unsigned int byte = 0; byte < 256; byte += 5 * test_share() )
        {
            struct cursor cursor = all_packed();
            uint8_t was = packed.bytes[at];

            packed.bytes[at] = (uint8_t)byte;
            column_get(&reader, &cursor, ROWS, got);
            cursor = all_packed();
            column_skip(&cursor);
            cursor = all_packed();
            column_get_bytes(&reader, &cursor);
            packed.bytes[at] = was;
        }
    end();
}
