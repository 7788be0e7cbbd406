/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ORC tables: every address, and tables that cannot be. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/orc.h"
#include "tests/harness.h"

#define TEXT   0xffffffff81000000ull /* what the tables are about */
#define TABLE  0xffffffff82c00000ull /* where their offsets lie */
#define LENGTH 512u
#define LARGE  5000u

static uint8_t entries[LARGE][6];
static int32_t ips[LARGE];
static size_t count;

static void clear(void)
{
    memset(entries, 0, sizeof(entries));
    count = 0;
}

static void add(uint64_t address, int cfa_offset, int bp_offset,
                unsigned int flags)
{
    uint8_t *entry = entries[count];

    ips[count] = (int32_t)(address - (TABLE + 4 * count));
    entry[0] = cfa_offset;
    entry[1] = cfa_offset >> 8;
    entry[2] = bp_offset;
    entry[3] = bp_offset >> 8;
    entry[4] = flags;
    entry[5] = flags >> 8;
    count++;
}

static struct orc_table *table_of(enum orc_layout layout)
{
    return orc_open(ips, entries, count, TABLE, layout);
}

static bool find(const struct orc_table *table, uint64_t address,
                 struct unwind_row *ret)
{
    memset(ret, 0xa5, sizeof(*ret));
    return orc_find(table, address, ret);
}

/* Plain functions, as in most of any table, so that the layout shows. */
static void add_calls(unsigned int flags, unsigned int number)
{
    for ( unsigned int i = 0; i < number; i++ )
        add(TEXT + 0x100 * (i + 1), 8 + 8 * (i % 20), 0, flags);
}

/* Compares each address of a table, with rows at uneven places, with a plain
 * search. */
static void compare_all(const uint64_t *starts, uint64_t end)
{
    struct orc_table *table = table_of(ORC_LAYOUT_6_4);
    struct unwind_row row;
    size_t at = 0;

    CHECK(table);
    CHECK(!find(table, starts[0] - 1, &row));
    CHECK(!find(table, 0, &row));
    CHECK(!find(table, end + (1ull << 32), &row));
    for ( uint64_t address = starts[0]; address <= end; address++ )
    {
        while ( at + 1 < count && starts[at + 1] <= address )
            at++;
        /* What was just found is remembered. */
        for ( unsigned int i = 0; i < 2; i++ )
        {
            CHECK(find(table, address, &row));
            CHECK_EQ(row.cfa_offset, 8 * ((int)at % 30 + 1));
        }
    }
    orc_close(table);
}

TEST(every_address_finds_the_row_before_it)
{
    uint64_t starts[LENGTH], at = TEXT;

    clear();
    for ( size_t i = 0; i < LENGTH; i++ )
    {
        starts[i] = at;
        add(at, 8 * (i % 30 + 1), 0, 0x205);
        at += 1 + i * i % 37 + (i % 100 == 99) * 5000;
    }
    compare_all(starts, starts[LENGTH - 1]);
}

/* A kernel's table remembers some hundred addresses, and these are more. */
TEST(addresses_of_a_large_table_find_their_rows_again)
{
    struct orc_table *table;
    struct unwind_row row;

    clear();
    for ( size_t i = 0; i < LARGE; i++ )
        add(TEXT + 32 * i, 8 * (i % 30 + 1), 0, 0x205);
    table = table_of(ORC_LAYOUT_6_4);
    CHECK(table);
    for ( size_t i = 0; i < 8 * LARGE; i++ )
    {
        /* Every third time one of a few, as on stacks. */
        size_t at = i % 3 ? i * 7919 % (32 * LARGE) : i % 50 * 1000;

        CHECK(find(table, TEXT + at, &row));
        CHECK_EQ(row.cfa_offset, 8 * (int)(at / 32 % 30 + 1));
        CHECK(row.usual);
    }
    CHECK(!find(table, UINT64_MAX, &row));
    CHECK(!find(table, 0, &row));
    CHECK(!find(table, TEXT - 1, &row));
    orc_close(table);
}

TEST(a_table_that_is_not_sorted_is_sorted)
{
    uint64_t starts[LENGTH];

    clear();
    for ( size_t i = 0; i < LENGTH; i++ )
    {
        size_t shuffled = i * 205 % LENGTH; /* 205 and 512: no factor */

        starts[i] = TEXT + 24 * i;
        add(TEXT + 24 * shuffled, 8 * (shuffled % 30 + 1), 0, 0x205);
    }
    compare_all(starts, starts[LENGTH - 1]);
}

/* The end of one section's code is where the next one's begins. */
TEST(of_two_rows_for_one_address_the_one_with_a_frame_counts)
{
    for ( int first = 0; first < 2; first++ )
    {
        struct orc_table *table;
        struct unwind_row row;

        clear();
        add(TEXT, 16, 0, first ? 0x205 : 0);
        add(TEXT, 16, 0, first ? 0 : 0x205);
        add_calls(0x205, 50);
        table = table_of(ORC_LAYOUT_6_4);
        CHECK(table && find(table, TEXT, &row));
        CHECK_EQ(row.kind, ROW_CALL);
        orc_close(table);
    }
}

/* As far apart as offsets can express. */
TEST(a_table_may_span_four_gigabytes)
{
    struct orc_table *table;
    struct unwind_row row;

    clear();
    add(TABLE - 0x80000000, 16, 0, 0x205);
    add(TABLE + 0x7fffffff, 24, 0, 0x205);
    table = table_of(ORC_LAYOUT_6_4);
    CHECK(table);
    CHECK(find(table, TABLE, &row));
    CHECK_EQ(row.cfa_offset, 16);
    CHECK(find(table, TABLE + 0x7fffffff, &row));
    CHECK_EQ(row.cfa_offset, 24);
    CHECK(orc_size(table) < 1u << 20);
    orc_close(table);
}

TEST(lengths_that_cannot_be_are_refused)
{
    clear();
    CHECK(!table_of(ORC_LAYOUT_6_4));
    CHECK(!orc_open(ips, entries, SIZE_MAX, TABLE, ORC_LAYOUT_6_4));
    CHECK(!orc_open(ips, entries, (1u << 22) + 1, TABLE, ORC_LAYOUT_6_4));
    orc_close(NULL);
}

TEST(a_table_of_many_rows_takes_six_bytes_each_at_most)
{
    size_t many = 400000;
    uint8_t *rows = calloc(many, 6);
    int32_t *offsets = calloc(many, sizeof(*offsets));
    struct orc_table *table;
    struct unwind_row row;

    for ( size_t i = 0; i < many; i++ )
    {
        rows[6 * i] = 8 * (i % 30 + 1);
        rows[6 * i + 4] = 5;
        rows[6 * i + 5] = 2;
        offsets[i] = (int32_t)(TEXT + 40 * i - (TABLE + 4 * i));
    }
    table = orc_open(offsets, rows, many, TABLE, ORC_LAYOUT_6_4);
    free(offsets);
    free(rows);
    CHECK(table);
    CHECK_EQ(orc_count(table), many);
    CHECK(orc_size(table) <= 6 * many);
    CHECK(find(table, TEXT + 40 * 1234 + 39, &row));
    CHECK_EQ(row.cfa_offset, 8 * (1234 % 30 + 1));
    orc_close(table);
}
