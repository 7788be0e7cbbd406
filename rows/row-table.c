/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of rows as bytes, which are checked before they are used. */
#include "row-table.h"

#include <stdlib.h>

#define TABLE_MAGIC   0x53574f524f525058u /* "XPROROWS" */
#define TABLE_VERSION 1u

/* Other sizes of rules or segments are another version. */
struct flat_table {
    uint64_t magic;
    uint32_t version;
    uint32_t pages, dense, rows, rare, rules, segments;
    uint32_t reserved;
    uint64_t base;
};

_Static_assert(sizeof(struct flat_table) == 48 &&
                   sizeof(struct row_rule) == 8 &&
                   sizeof(struct row_page) == 8 &&
                   sizeof(struct row_segment) == 24,
               "no padding in what is sent");

void row_table_close(struct row_table *table)
{
    if ( !table )
        return;
    free(table->owned);
    free(table);
}

size_t row_table_size(const struct row_table *table)
{
    return sizeof(*table) + table->segments * sizeof(*table->segment) +
           (table->pages + 1ul) * sizeof(*table->page) +
           table->dense * ROW_BLOCKS * sizeof(*table->block) +
           table->rows * (sizeof(*table->address) + sizeof(*table->number)) +
           table->rare *
               (sizeof(*table->rare_row) + sizeof(*table->rare_number)) +
           table->rules * sizeof(*table->rule);
}

bool row_table_put(const struct row_table *table, struct buffer *to)
{
    const struct flat_table head = {
        .magic = TABLE_MAGIC,
        .version = TABLE_VERSION,
        .pages = table->pages,
        .dense = table->dense,
        .rows = table->rows,
        .rare = table->rare,
        .rules = table->rules,
        .segments = table->segments,
        .base = table->base,
    };

    return flat_put(to, &head, 1, sizeof(head)) &&
           flat_put(to, table->segment, table->segments,
                    sizeof(*table->segment)) &&
           flat_put(to, table->page, table->pages + 1ul,
                    sizeof(*table->page)) &&
           flat_put(to, table->block, table->dense * (size_t)ROW_BLOCKS,
                    sizeof(*table->block)) &&
           flat_put(to, table->address, table->rows, sizeof(*table->address)) &&
           flat_put(to, table->number, table->rows, sizeof(*table->number)) &&
           flat_put(to, table->rare_row, table->rare,
                    sizeof(*table->rare_row)) &&
           flat_put(to, table->rare_number, table->rare,
                    sizeof(*table->rare_number)) &&
           flat_put(to, table->rule, table->rules, sizeof(*table->rule));
}

/* The row of a place in a page of more than one row: the last one of its block
 * that is not behind it, or the last one before the block. */
static uint32_t row_in_page(const struct row_table *table,
                            const struct row_page *page, uint16_t place)
{
    uint32_t number = place >> ROW_BLOCK_SHIFT;
    const uint16_t *block = table->block + page->dense * (size_t)ROW_BLOCKS +
                            number;
    uint32_t row = page->first + block[0];
    uint32_t end = number + 1 < ROW_BLOCKS ? page->first + block[1]
                                           : page[1].first;

    for ( uint32_t count = end - row; count; )
    {
        uint32_t half = count / 2;

        if ( table->address[row + half] <= (uint8_t)place )
        {
            row += half + 1;
            count -= half + 1;
        }
        else
            count = half;
    }
    return row - 1;
}

uint32_t row_table_number(const struct row_table *table, uint32_t row)
{
    uint32_t low = 0, high = table->rare;

    if ( table->number[row] != ROW_RARE )
        return table->number[row];
    while ( high - low > 1 )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( table->rare_row[middle] <= row )
            low = middle;
        else
            high = middle;
    }
    return table->rare_number[low];
}

const struct row_rule *row_table_find(const struct row_table *table,
                                      uint64_t address)
{
    uint64_t place = address - table->base;
    const struct row_page *page;
    uint32_t row;

    if ( place >> ROW_PAGE_SHIFT >= table->pages )
        return table->rule;
    page = &table->page[place >> ROW_PAGE_SHIFT];
    row = page[1].first - page->first == 1
              ? page->first
              : row_in_page(table, page, (uint16_t)place);
    return &table->rule[row_table_number(table, row)];
}

static bool head_sound(const struct flat_table *head)
{
    return head->magic == TABLE_MAGIC && head->version == TABLE_VERSION &&
           !head->reserved && head->pages && head->pages <= ROW_PAGES_MAX &&
           head->dense <= head->pages && head->rows >= head->pages &&
           head->rows <= ROW_ROWS_MAX && head->rare <= head->rows &&
           head->rules && head->rules <= ROW_RULES_MAX && head->segments &&
           head->segments <= ROW_SEGMENTS_MAX && head->base % ROW_PAGE == 0 &&
           head->base <= UINT64_MAX - ((uint64_t)head->pages << ROW_PAGE_SHIFT);
}

/* All in the table's pages, one after the other. */
static bool segments_sound(const struct row_table *table)
{
    uint64_t at = table->base;
    uint64_t end = at + ((uint64_t)table->pages << ROW_PAGE_SHIFT);

    for ( uint32_t i = 0; i < table->segments; i++ )
    {
        const struct row_segment *segment = &table->segment[i];

        if ( segment->address < at || segment->address >= end ||
             segment->size > end - segment->address || !segment->size ||
             segment->offset > UINT64_MAX - segment->size )
            return false;
        at = segment->address + segment->size;
    }
    return true;
}

/* Rows of a block, which may have none, are sorted. */
static bool block_sound(const struct row_table *table, uint32_t row,
                        uint32_t end)
{
    for ( ; row + 1 < end; row++ )
        if ( table->address[row + 1] <= table->address[row] )
            return false;
    return true;
}

/* Each block of a page begins behind its first row, and where the one before
 * it ends. */
static bool blocks_sound(const struct row_table *table,
                         const struct row_page *page)
{
    const uint16_t *block = table->block + page->dense * (size_t)ROW_BLOCKS;
    uint32_t count = page[1].first - page->first;

    if ( block[0] )
        return false;
    for ( uint32_t i = 0; i < ROW_BLOCKS; i++ )
    {
        uint32_t end = i + 1 < ROW_BLOCKS ? block[i + 1] : count;

        if ( !end || end > count || end < block[i] ||
             !block_sound(table, page->first + block[i], page->first + end) )
            return false;
    }
    return true;
}

static bool pages_sound(const struct row_table *table)
{
    uint32_t dense = 0;

    if ( table->page[0].first ||
         table->page[table->pages].first != table->rows )
        return false;
    for ( uint32_t i = 0; i < table->pages; i++ )
    {
        const struct row_page *page = &table->page[i];

        if ( page->first >= page[1].first || page[1].first > table->rows ||
             page->dense != dense || table->address[page->first] )
            return false;
        if ( page[1].first - page->first == 1 )
            continue;
        if ( dense++ == table->dense || !blocks_sound(table, page) )
            return false;
    }
    return dense == table->dense && table->page[table->pages].dense == dense;
}

/* Each row has a rule; those whose number is listed are those of the list. */
static bool numbers_sound(const struct row_table *table)
{
    uint32_t rare = 0;

    for ( uint32_t i = 0; i < table->rows; i++ )
    {
        if ( table->number[i] != ROW_RARE )
        {
            if ( table->number[i] >= table->rules )
                return false;
            continue;
        }
        if ( rare == table->rare || table->rare_row[rare] != i ||
             table->rare_number[rare] >= table->rules )
            return false;
        rare++;
    }
    return rare == table->rare;
}

static bool rules_sound(const struct row_table *table)
{
    for ( uint32_t i = 0; i < table->rules; i++ )
        if ( !row_rule_sound(&table->rule[i]) )
            return false;
    return table->rule[0].kind == RULE_NONE;
}

/* Returns whether there are as many bytes as the head says. */
static bool take_arrays(struct row_table *table, const struct flat_table *head,
                        struct cursor *from)
{
    table->base = head->base;
    table->pages = head->pages;
    table->dense = head->dense;
    table->rows = head->rows;
    table->rare = head->rare;
    table->rules = head->rules;
    table->segments = head->segments;
    table->segment = flat_get(from, head->segments, sizeof(*table->segment));
    table->page = flat_get(from, head->pages + 1ul, sizeof(*table->page));
    table->block = flat_get(from, head->dense * (size_t)ROW_BLOCKS,
                            sizeof(*table->block));
    table->address = flat_get(from, head->rows, sizeof(*table->address));
    table->number = flat_get(from, head->rows, sizeof(*table->number));
    table->rare_row = flat_get(from, head->rare, sizeof(*table->rare_row));
    table->rare_number = flat_get(from, head->rare,
                                  sizeof(*table->rare_number));
    table->rule = flat_get(from, head->rules, sizeof(*table->rule));
    return !from->bad && !cursor_left(from);
}

struct row_table *row_table_get(const void *bytes, size_t size)
{
    struct cursor from = {bytes, (const uint8_t *)bytes + size, false};
    const struct flat_table *head = flat_get(&from, 1, sizeof(*head));
    struct row_table *table;

    if ( !head || !head_sound(head) )
        return NULL;
    table = calloc(1, sizeof(*table));
    if ( table && take_arrays(table, head, &from) && segments_sound(table) &&
         pages_sound(table) && numbers_sound(table) && rules_sound(table) )
        return table;
    row_table_close(table);
    return NULL;
}
