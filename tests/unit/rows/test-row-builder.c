/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in any order, and one over another: each address has one rule. */
#include <stdlib.h>
#include <string.h>

#include "table-kit.h"

static struct row_builder builder;

static int32_t offset_at(const struct row_table *table, uint64_t place)
{
    const struct row_rule *rule = row_table_find(table, KIT_TEXT + place);

    return rule->kind == RULE_SP ? rule->offset * ROW_WORD
                                 : -(int32_t)rule->kind;
}

TEST(nothing_is_said_of_an_empty_table)
{
    struct row_table *table;

    rows_kit_begin(&builder);
    table = rows_kit_end(&builder);
    CHECK_EQ(table->pages, 4);
    CHECK_EQ(table->rows, 4);
    CHECK_EQ(table->base, 0x400000);
    for ( uint64_t place = 0; place < KIT_SIZE; place += 0x777 )
        CHECK_EQ(offset_at(table, place), RULE_NONE);
    row_table_close(table);
}

TEST(functions_come_in_any_order)
{
    struct row_table *table;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, 0x200, 0x300, rows_kit_sp(24));
    rows_kit_function(&builder, 0x100, 0x180, rows_kit_sp(16));
    rows_kit_function(&builder, 0x300, 0x400, rows_kit_sp(24));
    table = rows_kit_end(&builder);
    CHECK_EQ(offset_at(table, 0xff), 0);
    CHECK_EQ(offset_at(table, 0x100), 16);
    CHECK_EQ(offset_at(table, 0x17f), 16);
    CHECK_EQ(offset_at(table, 0x180), 0);
    CHECK_EQ(offset_at(table, 0x200), 24);
    CHECK_EQ(offset_at(table, 0x3ff), 24);
    CHECK_EQ(offset_at(table, 0x400), 0);
    /* The same rule goes on: there is no row for it. */
    CHECK_EQ(table->rows, table->pages + 4);
    row_table_close(table);
}

TEST(a_function_over_pages)
{
    struct row_table *table;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, 0x8000, KIT_SIZE, rows_kit_sp(16));
    row_builder_row(&builder, KIT_TEXT + 0x1f000,
                    &(struct row_rule){.kind = RULE_SP,
                                       .offset = 4}); /* the first of a page */
    table = rows_kit_end(&builder);
    CHECK_EQ(offset_at(table, 0x7fff), 0);
    CHECK_EQ(offset_at(table, 0x8000), 16);
    CHECK_EQ(offset_at(table, 0xf000), 16);
    CHECK_EQ(offset_at(table, 0x1efff), 16);
    CHECK_EQ(offset_at(table, 0x1f000), 32);
    CHECK_EQ(offset_at(table, KIT_SIZE - 1), 32);
    CHECK_EQ(row_table_find(table, KIT_TEXT + 0x100000)->kind, RULE_NONE);
    CHECK_EQ(row_table_find(table, 0)->kind, RULE_NONE);
    row_table_close(table);
}

TEST(of_rows_at_one_address_the_last_counts)
{
    const struct row_rule first = rows_kit_sp(8), last = rows_kit_sp(16);
    struct row_table *table;

    rows_kit_begin(&builder);
    row_builder_function(&builder, KIT_TEXT, KIT_TEXT + 0x10);
    row_builder_row(&builder, KIT_TEXT, &first);
    row_builder_row(&builder, KIT_TEXT, &last);
    row_builder_row(&builder, KIT_TEXT + 0x10, &first); /* beyond */
    table = rows_kit_end(&builder);
    CHECK_EQ(offset_at(table, 0), 16);
    CHECK_EQ(offset_at(table, 0xf), 16);
    CHECK_EQ(offset_at(table, 0x10), 0);
    row_table_close(table);
}

TEST(of_functions_that_overlap_the_first_counts)
{
    struct row_rule later = rows_kit_sp(40);
    struct row_table *table;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, 0x100, 0x200, rows_kit_sp(16));
    rows_kit_function(&builder, 0x180, 0x300, rows_kit_sp(24));
    row_builder_row(&builder, KIT_TEXT + 0x1a0, &later);
    row_builder_row(&builder, KIT_TEXT + 0x280, &later);
    rows_kit_function(&builder, 0x100, 0x380, rows_kit_sp(32));
    rows_kit_function(&builder, 0x120, 0x130, rows_kit_sp(48));
    table = rows_kit_end(&builder);
    CHECK_EQ(offset_at(table, 0x100), 16);
    CHECK_EQ(offset_at(table, 0x125), 16);
    CHECK_EQ(offset_at(table, 0x1ff), 16);
    CHECK_EQ(offset_at(table, 0x200), 32); /* it began before the other */
    CHECK_EQ(offset_at(table, 0x37f), 32);
    CHECK_EQ(offset_at(table, 0x380), 0);
    row_table_close(table);
}

TEST(what_is_outside_is_passed_over)
{
    struct row_table *table;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, KIT_SIZE - 8, KIT_SIZE + 8, rows_kit_sp(8));
    rows_kit_function(&builder, KIT_SIZE, KIT_SIZE + 8, rows_kit_sp(8));
    rows_kit_function(&builder, (uint64_t)-8, 8, rows_kit_sp(8));
    rows_kit_function(&builder, 16, 16, rows_kit_sp(8));
    rows_kit_function(&builder, 16, 8, rows_kit_sp(8));
    table = rows_kit_end(&builder);
    CHECK_EQ(table->rows, table->pages);
    row_table_close(table);
}

TEST(a_root_fills_what_nothing_is_said_of)
{
    struct row_table *table;

    rows_kit_begin(&builder);
    rows_kit_function(&builder, 0x120, 0x128, rows_kit_sp(8));
    row_builder_root(&builder, KIT_TEXT + 0x100, KIT_TEXT + 0x140);
    table = rows_kit_end(&builder);
    CHECK_EQ(offset_at(table, 0xff), 0);
    CHECK_EQ(offset_at(table, 0x100), -RULE_ROOT);
    CHECK_EQ(offset_at(table, 0x11f), -RULE_ROOT);
    CHECK_EQ(offset_at(table, 0x120), 8);
    CHECK_EQ(offset_at(table, 0x128), -RULE_ROOT);
    CHECK_EQ(offset_at(table, 0x13f), -RULE_ROOT);
    CHECK_EQ(offset_at(table, 0x140), 0);
    row_table_close(table);
}

/* A rule for each number: all offsets, of two kinds. */
static struct row_rule numbered(uint32_t number)
{
    return (struct row_rule){.kind = number & 1 ? RULE_SP : RULE_BP,
                             .offset = (int16_t)(number / 2)};
}

TEST(rules_beyond_the_last_number_are_unknown)
{
    const uint32_t before = 3; /* none, unknown, root */
    struct row_table *table;

    rows_kit_begin(&builder);
    row_builder_function(&builder, KIT_TEXT, KIT_TEXT + KIT_SIZE);
    for ( uint32_t i = 0; i < ROW_RULES_MAX; i++ )
    {
        struct row_rule rule = numbered(i);

        row_builder_row(&builder, KIT_TEXT + 2 * i, &rule);
    }
    table = rows_kit_end(&builder);
    CHECK_EQ(table->rules, ROW_RULES_MAX);
    CHECK(table->rare > ROW_RULES_MAX - 300);
    for ( uint32_t i = 0; i < ROW_RULES_MAX; i++ )
    {
        const struct row_rule *rule = row_table_find(table, KIT_TEXT + 2 * i);
        struct row_rule wanted = numbered(i);

        if ( i >= ROW_RULES_MAX - before )
            wanted = (struct row_rule){.kind = RULE_UNKNOWN};
        CHECK(!memcmp(rule, &wanted, sizeof(wanted)));
    }
    row_table_close(table);
}

static bool opens(const struct row_segment *segment, size_t count)
{
    bool opened = row_builder_init(&builder, segment, count);

    row_builder_free(&builder);
    return opened;
}

TEST(segments)
{
    struct row_segment segment[ROW_SEGMENTS_MAX + 1] = {{0, 0x1000, 0x1000},
                                                        {0x1000, 0x3000, 0x10}};

    CHECK(opens(segment, 1) && opens(segment, 2));
    CHECK(!opens(segment, 0) && !opens(segment, ROW_SEGMENTS_MAX + 1));
    segment[1].address = 0x1fff; /* overlap */
    CHECK(!opens(segment, 2));
    segment[1].address = 0x3000;
    segment[1].size = 0;
    CHECK(!opens(segment, 2));
    segment[1].size = UINT64_MAX;
    CHECK(!opens(segment, 2));
    segment[1] = (struct row_segment){0, 0xffff0000, 0x10000};
    CHECK(opens(segment, 2));
    segment[1].size++;
    CHECK(!opens(segment, 2));
}

/* Every address, of functions at random, against a map of all addresses. */
TEST(every_address)
{
    static int32_t wanted[0x4000], starts[0x4000];
    unsigned int seed = 1;
    struct row_table *table;

    rows_kit_begin(&builder);
    memset(starts, 0xff, sizeof(starts));
    for ( int i = 0; i < 400; i++ )
    {
        int32_t from = (int32_t)(rand_r(&seed) % 0x3f00);
        int32_t size = (int32_t)(rand_r(&seed) % 60);

        rows_kit_function(&builder, from, from + size,
                          rows_kit_sp(ROW_WORD * (i + 1)));
        /* Who began earlier, else who came first. */
        for ( int32_t at = from; at < from + size; at++ )
            if ( starts[at] < 0 )
            {
                wanted[at] = ROW_WORD * (i + 1);
                starts[at] = from;
            }
            else if ( from < starts[at] )
            {
                wanted[at] = ROW_WORD * (i + 1);
                starts[at] = from;
            }
    }
    table = rows_kit_end(&builder);
    for ( uint64_t at = 0; at < 0x4000; at++ )
        CHECK_EQ(offset_at(table, at), wanted[at]);
    row_table_close(table);
}
