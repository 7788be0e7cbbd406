/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ORC tables: every layout, every lie, every address. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/orc.h"
#include "tests/harness.h"

#define TEXT   0xffffffff81000000ull /* what the tables are about */
#define TABLE  0xffffffff82c00000ull /* where their offsets lie */
#define LENGTH 512u

static uint8_t entries[LENGTH][6];
static int32_t ips[LENGTH];
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

/* Plain functions, as most of any table, so that a layout can be seen. */
static void add_calls(unsigned int flags, unsigned int number)
{
    for ( unsigned int i = 0; i < number; i++ )
        add(TEXT + 0x100 * (i + 1), 8 + 8 * (i % 20), 0, flags);
}

static const struct {
    enum orc_layout layout;
    unsigned int flags;
    struct unwind_row row;
} known[] = {
    {ORC_LAYOUT_4_14, 0x0000, {.kind = ROW_UNDEFINED}},
    {ORC_LAYOUT_4_14, 0x0400, {.kind = ROW_END}},
    {ORC_LAYOUT_4_14, 0x0005, {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14,
     0x0015,
     {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14,
     0x0014,
     {ROW_CALL, ROW_BASE_BP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14,
     0x0048,
     {ROW_CALL, ROW_BASE_BP, ROW_AT_SUM, 40, .bp_base = ROW_BASE_BP}},
    {ORC_LAYOUT_4_14,
     0x0019,
     {ROW_CALL, ROW_BASE_SP, ROW_AT_BASE, 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14, 0x0006, {ROW_CALL, ROW_BASE_R10, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14, 0x0007, {ROW_CALL, ROW_BASE_R13, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14, 0x0003, {ROW_CALL, ROW_BASE_DI, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14,
     0x0105,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_4_14,
     0x0109,
     {ROW_REGISTERS, ROW_BASE_SP, ROW_AT_SUM, 40, .signal = true}},
    {ORC_LAYOUT_4_14,
     0x0202,
     {ROW_INTERRUPT, ROW_BASE_DX, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_3, 0x0800, {.kind = ROW_END}},
    {ORC_LAYOUT_6_3, 0x0105, {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_6_3,
     0x0605,
     {ROW_INTERRUPT, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_4, 0x0000, {.kind = ROW_UNDEFINED}},
    {ORC_LAYOUT_6_4, 0x0100, {.kind = ROW_END}},
    {ORC_LAYOUT_6_4,
     0x0214,
     {ROW_CALL, ROW_BASE_BP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_6_4,
     0x0b05,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_4, 0x0405, {ROW_INTERRUPT, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_7_1,
     0x0283,
     {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_7_1, 0x0201, {ROW_CALL, ROW_BASE_AX, .cfa_offset = 40}},
    {ORC_LAYOUT_7_1,
     0x024a,
     {ROW_CALL, ROW_BASE_BP, ROW_AT_SUM, 40, .bp_base = ROW_BASE_BP}},
    {ORC_LAYOUT_7_1,
     0x0289,
     {ROW_CALL, ROW_BASE_SP, ROW_AT_BASE, 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_7_1,
     0x0b03,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
};

/* How a layout says "a call, CFA from the stack pointer". */
static const unsigned int plain[ORC_LAYOUTS] = {
    [ORC_LAYOUT_4_14] = 0x005,
    [ORC_LAYOUT_6_3] = 0x005,
    [ORC_LAYOUT_6_4] = 0x205,
    [ORC_LAYOUT_7_1] = 0x203,
};

TEST(entries_mean_what_their_layout_says)
{
    for ( size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
    {
        const struct unwind_row *wanted = &known[i].row;
        struct orc_table *table;
        struct unwind_row got;

        clear();
        add(TEXT, wanted->cfa_offset, 0, known[i].flags);
        add_calls(plain[known[i].layout], 80);
        table = table_of(known[i].layout);
        CHECK(table && find(table, TEXT, &got));
        CHECK_EQ(orc_layout(table), known[i].layout);
        orc_close(table);
        if ( got.kind != wanted->kind || got.cfa_base != wanted->cfa_base ||
             got.cfa_way != wanted->cfa_way ||
             got.cfa_offset != wanted->cfa_offset ||
             got.bp_base != wanted->bp_base || got.signal != wanted->signal )
            test_fail(__FILE__, __LINE__, "flags 0x%x of layout %d are wrong",
                      known[i].flags, known[i].layout);
    }
}

/* Flags that no kernel of that layout has. */
static const struct {
    enum orc_layout layout;
    unsigned int flags;
} bad[] = {
    {ORC_LAYOUT_4_14, 0x0001}, {ORC_LAYOUT_4_14, 0x000a},
    {ORC_LAYOUT_4_14, 0x0025}, {ORC_LAYOUT_4_14, 0x0305},
    {ORC_LAYOUT_4_14, 0x0405}, {ORC_LAYOUT_4_14, 0x0805},
    {ORC_LAYOUT_4_14, 0x0115}, {ORC_LAYOUT_4_14, 0x0100},
    {ORC_LAYOUT_6_3, 0x0c05},  {ORC_LAYOUT_6_3, 0x0400},
    {ORC_LAYOUT_6_3, 0x1005},  {ORC_LAYOUT_6_4, 0x0505},
    {ORC_LAYOUT_6_4, 0x0005},  {ORC_LAYOUT_6_4, 0x0105},
    {ORC_LAYOUT_6_4, 0x0200},  {ORC_LAYOUT_6_4, 0x0900},
    {ORC_LAYOUT_6_4, 0x0285},  {ORC_LAYOUT_6_4, 0x8205},
    {ORC_LAYOUT_7_1, 0x0208},  {ORC_LAYOUT_7_1, 0x020b},
    {ORC_LAYOUT_7_1, 0x0213},  {ORC_LAYOUT_7_1, 0x02a3},
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
    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        struct orc_table *table;
        struct unwind_row got;

        clear();
        add(TEXT, 16, 0, bad[i].flags);
        for ( unsigned int j = 1; j < 4; j++ )
            add(TEXT + j, 0, 0, end[bad[i].layout]);
        add_calls(plain[bad[i].layout], 200);
        table = table_of(bad[i].layout);
        CHECK(table && find(table, TEXT, &got));
        if ( got.kind != ROW_UNDEFINED || orc_layout(table) != bad[i].layout )
            test_fail(__FILE__, __LINE__, "flags 0x%x of layout %d are taken",
                      bad[i].flags, bad[i].layout);
        orc_close(table);
    }
}

TEST(too_many_bad_entries_are_no_table)
{
    clear();
    add_calls(0x205, 90);
    for ( int i = 0; i < 4; i++ )
        add(TEXT + 0x10000 + 16 * i, 16, 0, 0xf000);
    CHECK(!table_of(ORC_LAYOUT_6_4));
    clear();
    add_calls(0xffff, 90);
    CHECK(!table_of(ORC_LAYOUT_6_4));
}

/* As a vendor's kernel that calls itself 5.14 and has rows of 6.4. */
TEST(rows_count_more_than_what_the_version_says)
{
    for ( int real = ORC_LAYOUT_4_14; real < ORC_LAYOUTS; real++ )
        for ( int told = ORC_LAYOUT_UNKNOWN; told < ORC_LAYOUTS; told++ )
        {
            static const unsigned int registers[] = {0, 0x105, 0x505, 0xb05,
                                                     0xb03};
            struct orc_table *table;

            clear();
            for ( int i = 0; i < 4; i++ )
            {
                add(TEXT + 32 * i, 0, 0, registers[real]);
                add(TEXT + 32 * i + 16, 0, 0, end[real]);
            }
            add_calls(plain[real], 100);
            table = table_of(told);
            CHECK(table);
            CHECK_EQ(orc_layout(table), real);
            orc_close(table);
        }
}

TEST(versions_and_headers_name_a_layout)
{
    static const uint8_t of_6_4[20] = {0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6,
                                       0x3b, 0x2c, 0xa9, 0xa5, 0xc6, 0x5b, 0xa5,
                                       0xa6, 0x25, 0xea, 0xb3, 0xfe, 0x24};
    static const uint8_t of_nobody[20] = {1, 2, 3};

    CHECK_EQ(orc_layout_of(4, 13, NULL), ORC_LAYOUT_UNKNOWN);
    CHECK_EQ(orc_layout_of(4, 14, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(5, 0, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(6, 2, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(6, 3, NULL), ORC_LAYOUT_6_3);
    CHECK_EQ(orc_layout_of(6, 4, NULL), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(7, 0, NULL), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(7, 1, NULL), ORC_LAYOUT_7_1);
    CHECK_EQ(orc_layout_of(9, 0, NULL), ORC_LAYOUT_7_1);
    CHECK_EQ(orc_layout_of(5, 14, of_6_4), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(5, 14, of_nobody), ORC_LAYOUT_UNKNOWN);
}

/* Each address of a table with rows at uneven places, against a plain
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
        CHECK(find(table, address, &row));
        CHECK_EQ(row.cfa_offset, 8 * ((int)at % 30 + 1));
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

/* As far apart as offsets can say. */
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

/* A kernel has some hundreds of different rows, not a different one each. */
TEST(rows_that_are_all_different_are_no_table)
{
    size_t many = 20000;
    uint8_t *rows = calloc(many, 6);
    int32_t *offsets = calloc(many, sizeof(*offsets));

    for ( size_t i = 0; i < many; i++ )
    {
        rows[6 * i] = i;
        rows[6 * i + 1] = i >> 8;
        rows[6 * i + 4] = 5;
        rows[6 * i + 5] = 2;
    }
    CHECK(!orc_open(offsets, rows, many, TABLE, ORC_LAYOUT_6_4));
    free(offsets);
    free(rows);
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
