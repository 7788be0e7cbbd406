/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a table of rows that an agent sent: what is accepted has a rule
 * for each address, and is put as it was got. */
#include <string.h>

#include "rows/row-builder.h"
#include "fuzz.h"

#define TEXT 0x401000ull

static void look(const struct row_table *table, uint64_t address)
{
    const struct row_rule *rule = row_table_find(table, address);

    FUZZ_CHECK(rule >= table->rule && rule < table->rule + table->rules);
    FUZZ_CHECK(row_rule_sound(rule));
}

/* Each row holds from its place to the next one's. */
static void look_around(const struct row_table *table)
{
    for ( uint32_t page = 0; page < table->pages; page++ )
    {
        uint64_t start = table->base + ((uint64_t)page << ROW_PAGE_SHIFT);

        for ( uint32_t place = 0; place < ROW_PAGE; place += 0x55 )
            look(table, start + place);
        FUZZ_CHECK(
            row_table_find(table, start) ==
            &table->rule[row_table_number(table, table->page[page].first)]);
        FUZZ_CHECK(row_table_find(table, start + ROW_PAGE - 1) ==
                   &table->rule[row_table_number(
                       table, table->page[page + 1].first - 1)]);
    }
    for ( unsigned int shift = 0; shift < 64; shift++ )
        look(table, 1ull << shift);
}

static void send_on(const struct row_table *table)
{
    struct buffer bytes = {NULL, 0, 0};
    struct row_table *got;

    FUZZ_CHECK(row_table_put(table, &bytes));
    got = row_table_get(bytes.bytes, bytes.used);
    FUZZ_CHECK(got && got->rows == table->rows);
    row_table_close(got);
    buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* aligned, and of this size */
    struct row_table *table;

    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    table = row_table_get(copy, size);
    if ( table )
    {
        look_around(table);
        send_on(table);
    }
    row_table_close(table);
    free(copy);
    return 0;
}

/* Tables of one and of three pages. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct row_segment segment = {0x1000, TEXT, number ? 0x20000 : 0x100};
    struct row_builder builder;
    struct row_table *table;
    struct buffer put = {NULL, 0, 0};
    size_t size;

    if ( number > 1 )
        return 0;
    FUZZ_CHECK(row_builder_init(&builder, &segment, 1));
    for ( uint32_t i = 0; i < 12; i++ )
    {
        const struct row_rule rule = {.kind = RULE_SP + i % 4,
                                      .offset = (int16_t)i,
                                      .bp = i % 2,
                                      .bp_offset = i % 2 ? -2 : 0};
        uint64_t from = TEXT + i * (number ? 0x2800 : 0x10);

        row_builder_function(&builder, from, from + 8);
        row_builder_row(&builder, from, &rule);
    }
    table = row_builder_make(&builder);
    FUZZ_CHECK(table && row_table_put(table, &put) && put.used <= FUZZ_MAX);
    memcpy(bytes, put.bytes, put.used);
    size = put.used;
    buffer_free(&put);
    row_table_close(table);
    row_builder_free(&builder);
    return size;
}
