/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables as bytes: what was put is got, and what no table is is refused. */
#include <stdlib.h>
#include <string.h>

#include "table-kit.h"

/* Where the parts of the small table below lie. */
enum {
    AT_VERSION = 8,
    AT_PAGES = 12,
    AT_DENSE = 16,
    AT_ROWS = 20,
    AT_RARE = 24,
    AT_RULES = 28,
    AT_SEGMENTS = 32,
    AT_RESERVED = 36,
    AT_BASE = 40,
    AT_SEGMENT = 48,
    AT_PAGE = 72,
    AT_BLOCK = 112,
    AT_ADDRESS = 624, /* seven bytes, and one to a multiple of 8 */
    AT_NUMBER = 632,
    AT_RULE = 640,
    AT_END = 680
};

static struct buffer bytes;

/* Four pages, and in the second four rows, at 0, 0x10, 0x20, 0x30. */
static struct row_table *small_table(void)
{
    struct row_builder builder;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, 0xf010, 0xf020, rows_kit_sp(16));
    rows_kit_function(&builder, 0xf020, 0xf030, rows_kit_sp(24));
    return rows_kit_end(&builder);
}

static void put_small(void)
{
    struct row_table *table = small_table();

    buffer_free(&bytes);
    CHECK(row_table_put(table, &bytes));
    row_table_close(table);
}

static bool is_table(void)
{
    struct row_table *table = row_table_get(bytes.bytes, bytes.used);
    bool got = table;

    row_table_close(table);
    return got;
}

TEST(what_was_put_is_got)
{
    struct row_table *table;

    put_small();
    table = row_table_get(bytes.bytes, bytes.used);
    CHECK(table);
    CHECK_EQ(table->rows, 7);
    CHECK_EQ(table->rules, 5);
    CHECK_EQ(table->segments, 1);
    CHECK_EQ(table->segment[0].address, KIT_TEXT);
    CHECK_EQ(bytes.used, AT_END);
    CHECK_EQ(row_table_find(table, KIT_TEXT + 0xf01f)->offset, 2);
    CHECK_EQ(row_table_find(table, KIT_TEXT + 0xf020)->offset, 3);
    CHECK_EQ(row_table_find(table, KIT_TEXT + 0xf030)->kind, RULE_NONE);
    CHECK(table->address == bytes.bytes + AT_ADDRESS);
    CHECK(row_table_size(table) < bytes.used + sizeof(*table));
    row_table_close(table);
}

TEST(equal_code_makes_equal_bytes)
{
    struct buffer first;

    put_small();
    first = bytes;
    bytes = (struct buffer){NULL, 0, 0};
    put_small();
    CHECK_EQ(bytes.used, first.used);
    CHECK(!memcmp(bytes.bytes, first.bytes, first.used));
    buffer_free(&first);
}

TEST(neither_more_nor_less)
{
    put_small();
    for ( size_t size = 0; size < bytes.used; size++ )
        CHECK(!row_table_get(bytes.bytes, size));
    CHECK(buffer_append(&bytes, "12345678", 8));
    CHECK(!is_table());
}

/* With one value changed it is not a table. */
static void check_refused(size_t at, uint64_t value, size_t size)
{
    put_small();
    CHECK(is_table());
    memcpy(bytes.bytes + at, &value, size);
    if ( is_table() )
        test_fail(__FILE__, __LINE__, "a table with %#lx at %zu",
                  (unsigned long)value, at);
}

TEST(heads)
{
    check_refused(0, 1, 1);
    check_refused(AT_VERSION, 2, 4);
    check_refused(AT_PAGES, 0, 4);
    check_refused(AT_PAGES, 3, 4);
    check_refused(AT_PAGES, UINT32_MAX, 4);
    check_refused(AT_DENSE, 0, 4);
    check_refused(AT_DENSE, 2, 4);
    check_refused(AT_DENSE, UINT32_MAX, 4);
    check_refused(AT_ROWS, 3, 4);
    check_refused(AT_ROWS, 6, 4);
    check_refused(AT_ROWS, UINT32_MAX, 4);
    check_refused(AT_RARE, 1, 4);
    check_refused(AT_RARE, UINT32_MAX, 4);
    check_refused(AT_RULES, 0, 4);
    check_refused(AT_RULES, 4, 4);
    check_refused(AT_RULES, UINT32_MAX, 4);
    check_refused(AT_SEGMENTS, 0, 4);
    check_refused(AT_SEGMENTS, 2, 4);
    check_refused(AT_RESERVED, 1, 4);
    check_refused(AT_BASE, 0x400001, 8);
    check_refused(AT_BASE, 0xffffffffffff0000, 8);
}

TEST(segments_are_in_the_pages)
{
    check_refused(AT_SEGMENT + 8, 0x3fffff, 8);
    check_refused(AT_SEGMENT + 8, 0x440000, 8);
    check_refused(AT_SEGMENT + 8, UINT64_MAX, 8);
    check_refused(AT_SEGMENT + 16, 0, 8);
    check_refused(AT_SEGMENT + 16, 0x3f001, 8);
    check_refused(AT_SEGMENT + 16, UINT64_MAX, 8);
    check_refused(AT_SEGMENT, UINT64_MAX, 8);
}

TEST(pages_follow_each_other)
{
    check_refused(AT_PAGE, 1, 4);
    check_refused(AT_PAGE + 8, 0, 4);
    check_refused(AT_PAGE + 8, 2, 4); /* two rows, without blocks */
    check_refused(AT_PAGE + 16, UINT32_MAX, 4);
    check_refused(AT_PAGE + 32, 6, 4);
    check_refused(AT_PAGE + 32, 8, 4);
    check_refused(AT_PAGE + 4, 1, 4); /* the number of its blocks */
    check_refused(AT_PAGE + 12, 1, 4);
    check_refused(AT_PAGE + 36, 0, 4);
}

TEST(rows_are_sorted)
{
    check_refused(AT_BLOCK, 1, 2);
    check_refused(AT_BLOCK + 2, 0, 2); /* the first has a row, at 0 */
    check_refused(AT_BLOCK + 2, 5, 2);
    check_refused(AT_BLOCK + 4, 3, 2); /* fewer than before */
    check_refused(AT_BLOCK + 510, UINT16_MAX, 2);
    check_refused(AT_ADDRESS, 1, 1);        /* of the first page */
    check_refused(AT_ADDRESS + 1, 1, 1);    /* of the second */
    check_refused(AT_ADDRESS + 3, 0x10, 1); /* as the one before it */
    check_refused(AT_ADDRESS + 3, 0x08, 1); /* below it */
    check_refused(AT_NUMBER + 2, 5, 1);
    check_refused(AT_NUMBER + 2, ROW_RARE, 1); /* in no list */
}

TEST(rules_are_known)
{
    check_refused(AT_RULE + 32, RULE_KINDS, 1);
    check_refused(AT_RULE + 33, 1, 1);
    check_refused(AT_RULE + 34, SAVED_WAYS, 1);
    check_refused(AT_RULE + 38, 1, 1);
    check_refused(AT_RULE, RULE_ROOT, 1); /* number 0 */
}

/* Of 300 rules, used once each, 45 and the three that always are have numbers
 * that are listed. */
static struct row_table *many_rules(void)
{
    struct row_builder builder;

    rows_kit_begin(&builder);
    for ( int i = 0; i < 300; i++ )
        rows_kit_function(&builder, 16ull * i, 16ull * i + 16,
                          rows_kit_sp(ROW_WORD * i));
    return rows_kit_end(&builder);
}

TEST(rare_rules_are_listed)
{
    struct row_table *table = many_rules();

    CHECK_EQ(table->rules, 303);
    CHECK_EQ(table->rare, 46);
    for ( int i = 0; i < 300; i++ )
    {
        CHECK_EQ(row_table_find(table, KIT_TEXT + 16 * i)->offset, i);
        CHECK_EQ(row_table_find(table, KIT_TEXT + 16 * i + 15)->offset, i);
    }
    row_table_close(table);
}

/* The list has the rows of that number, all and in order. */
static bool list_with(uint32_t at, uint32_t row, uint16_t number)
{
    struct row_table *table = many_rules();
    uint32_t *rows = (uint32_t *)table->rare_row;
    uint16_t *numbers = (uint16_t *)table->rare_number;
    bool sound;

    rows[at] += row;
    numbers[at] += number;
    buffer_free(&bytes);
    CHECK(row_table_put(table, &bytes));
    row_table_close(table);
    sound = is_table();
    return sound;
}

TEST(lists_of_rare_rules)
{
    CHECK(list_with(5, 0, 0));
    CHECK(!list_with(5, 1, 0));
    CHECK(!list_with(5, (uint32_t)-1, 0));
    CHECK(!list_with(45, 1000, 0));
    CHECK(!list_with(45, 0, 100));
    CHECK(list_with(5, 0, (uint16_t)-3)); /* another rule, which there is */
}

/* Each byte of a page begins a row: the fullest that there is. */
TEST(a_full_page)
{
    static const struct row_segment segment = {0, 0x10000, ROW_PAGE};
    struct row_builder builder;
    struct row_table *table;

    CHECK(row_builder_init(&builder, &segment, 1));
    row_builder_function(&builder, 0x10000, 0x20000);
    for ( uint32_t i = 0; i < ROW_PAGE; i++ )
    {
        struct row_rule rule = rows_kit_sp(i & 1 ? 8 : 16);

        row_builder_row(&builder, 0x10000 + i, &rule);
    }
    table = rows_kit_end(&builder);
    CHECK_EQ(table->rows, ROW_PAGE);
    for ( uint32_t i = 0; i < ROW_PAGE; i++ )
        CHECK_EQ(row_table_find(table, 0x10000 + i)->offset, i & 1 ? 1 : 2);
    row_table_close(table);
}

TEST(nothing_is_closed)
{
    row_table_close(NULL);
}
