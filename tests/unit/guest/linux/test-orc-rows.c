/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The different entries of a table, which decide on its layout. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/orc-rows.h"
#include "tests/harness.h"

#define LENGTH 512u

static uint8_t entries[LENGTH][ORC_ENTRY_SIZE];
static uint16_t numbers[LENGTH];
static size_t count;

static void clear(void)
{
    memset(entries, 0, sizeof(entries));
    count = 0;
}

static void add(unsigned int cfa_offset, unsigned int flags)
{
    uint8_t *entry = entries[count++];

    entry[0] = (uint8_t)cfa_offset;
    entry[4] = (uint8_t)flags;
    entry[5] = (uint8_t)(flags >> 8);
}

/* Plain functions, as in most of any table, so that the layout shows. */
static void add_calls(unsigned int flags, unsigned int number)
{
    for ( unsigned int i = 0; i < number; i++ )
        add(8 + 8 * (i % 20), flags);
}

static struct orc_rows *rows_of(enum orc_layout layout)
{
    return orc_rows_make(entries[0], count, layout, numbers);
}

TEST(each_different_entry_is_kept_once)
{
    struct orc_rows *rows;

    clear();
    add_calls(0x205, 400);
    rows = rows_of(ORC_LAYOUT_6_4);
    CHECK(rows);
    CHECK_EQ(rows->count, 20);
    for ( size_t i = 0; i < count; i++ )
    {
        CHECK(numbers[i] < rows->count);
        CHECK_EQ(rows->rows[numbers[i]].cfa_offset, 8 + 8 * (i % 20));
    }
    free(rows);
}

/* How a layout says "a call, CFA from the stack pointer". */
static const unsigned int plain[ORC_LAYOUTS] = {
    [ORC_LAYOUT_4_14] = 0x005,
    [ORC_LAYOUT_6_3] = 0x005,
    [ORC_LAYOUT_6_4] = 0x205,
    [ORC_LAYOUT_7_1] = 0x203,
};

/* An entry that the layout does not have. */
static const unsigned int bad[ORC_LAYOUTS] = {
    [ORC_LAYOUT_4_14] = 0x025,
    [ORC_LAYOUT_6_3] = 0x1005,
    [ORC_LAYOUT_6_4] = 0x8205,
    [ORC_LAYOUT_7_1] = 0x2a3,
};

/* And "the stack ends". */
static const unsigned int end[ORC_LAYOUTS] = {
    [ORC_LAYOUT_4_14] = 0x400,
    [ORC_LAYOUT_6_3] = 0x800,
    [ORC_LAYOUT_6_4] = 0x100,
    [ORC_LAYOUT_7_1] = 0x100,
};

TEST(a_bad_entry_among_good_ones_has_no_frame)
{
    for ( int layout = ORC_LAYOUT_4_14; layout < ORC_LAYOUTS; layout++ )
    {
        struct orc_rows *rows;

        clear();
        add(16, bad[layout]);
        for ( unsigned int i = 0; i < 3; i++ )
            add(0, end[layout]);
        add_calls(plain[layout], 200);
        rows = rows_of(layout);
        CHECK(rows);
        CHECK_EQ(rows->layout, layout);
        CHECK_EQ(rows->rows[numbers[0]].kind, ROW_UNDEFINED);
        CHECK_EQ(rows->rows[numbers[1]].kind, ROW_END);
        free(rows);
    }
}

TEST(too_many_bad_entries_are_no_table)
{
    clear();
    add_calls(0x205, 90);
    for ( int i = 0; i < 4; i++ )
        add(16, 0xf000);
    CHECK(!rows_of(ORC_LAYOUT_6_4));
    clear();
    add_calls(0xffff, 90);
    CHECK(!rows_of(ORC_LAYOUT_6_4));
}

/* As a vendor's kernel that calls itself 5.14 and has rows of 6.4. */
TEST(rows_count_more_than_what_the_version_says)
{
    static const unsigned int registers[] = {0, 0x105, 0x505, 0xb05, 0xb03};

    for ( int real = ORC_LAYOUT_4_14; real < ORC_LAYOUTS; real++ )
        for ( int given = ORC_LAYOUT_UNKNOWN; given < ORC_LAYOUTS; given++ )
        {
            struct orc_rows *rows;

            clear();
            for ( int i = 0; i < 4; i++ )
            {
                add(0, registers[real]);
                add(0, end[real]);
            }
            add_calls(plain[real], 100);
            rows = rows_of(given);
            CHECK(rows);
            CHECK_EQ(rows->layout, real);
            free(rows);
        }
}

/* A kernel has some hundreds of different rows, not one for each function. */
/* More kinds than are remembered as met lately, each as often as any. */
TEST(many_kinds_in_turn)
{
    enum { KINDS = 3000, TIMES = 4 };
    uint8_t *bytes = calloc(KINDS * TIMES, ORC_ENTRY_SIZE);
    uint16_t *which = calloc(KINDS * TIMES, sizeof(*which));
    struct orc_rows *rows;

    CHECK(bytes && which);
    for ( size_t i = 0; i < KINDS * TIMES; i++ )
    {
        const uint16_t words[] = {(uint16_t)(8 + 8 * (i % KINDS)), 0, 0x205};

        memcpy(bytes + i * ORC_ENTRY_SIZE, words, sizeof(words));
    }
    rows = orc_rows_make(bytes, KINDS * TIMES, ORC_LAYOUT_6_4, which);
    CHECK(rows);
    CHECK_EQ(rows->count, KINDS);
    for ( size_t i = 0; i < KINDS * TIMES; i++ )
        CHECK_EQ(rows->rows[which[i]].cfa_offset, 8 + 8 * (i % KINDS));
    free(rows);
    free(which);
    free(bytes);
}

TEST(rows_that_are_all_different_are_no_table)
{
    const size_t most = ORC_ROWS_MAX;
    uint8_t *bytes = calloc(most + 1, ORC_ENTRY_SIZE);
    uint16_t *which = calloc(most + 1, sizeof(*which));
    struct orc_rows *rows;

    CHECK(bytes && which);
    for ( size_t i = 0; i <= most; i++ )
    {
        const uint8_t entry[] = {(uint8_t)i, (uint8_t)(i >> 8), 0, 0, 5, 2};

        memcpy(bytes + ORC_ENTRY_SIZE * i, entry, sizeof(entry));
    }
    rows = orc_rows_make(bytes, most, ORC_LAYOUT_6_4, which);
    CHECK(rows);
    CHECK_EQ(rows->count, most);
    free(rows);
    CHECK(!orc_rows_make(bytes, most + 1, ORC_LAYOUT_6_4, which));
    free(bytes);
    free(which);
}
