/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the rules that most rows have the low numbers, and rows two bytes. */
#include "row-pack.h"

#include <stdlib.h>

/* A rule in the making of its number. */
struct used_rule {
    uint32_t uses;
    uint32_t number; /* of the plain rows */
};

struct packing {
    const struct plain_rows *plain;
    struct used_rule *used; /* most used first, but for number 0 */
    uint16_t *numbers;      /* of each plain one: the new number */
    struct row_rule *rule;
    struct row_page *page;
    uint16_t *block;
    uint8_t *address, *number;
    uint32_t *rare_row;
    uint16_t *rare_number;
    uint32_t dense, rare;
};

static int compare_uses(const void *left, const void *right)
{
    const struct used_rule *a = left, *b = right;

    if ( !a->number != !b->number )
        return a->number ? 1 : -1;
    if ( a->uses != b->uses )
        return a->uses > b->uses ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* Numbers the rules anew, and counts what the arrays need. */
static bool number_rules(struct packing *to)
{
    const struct plain_rows *plain = to->plain;

    to->used = calloc(plain->rules, sizeof(*to->used));
    to->numbers = calloc(plain->rules, sizeof(*to->numbers));
    to->rule = calloc(plain->rules, sizeof(*to->rule));
    if ( !to->used || !to->numbers || !to->rule )
        return false;
    for ( uint32_t i = 0; i < plain->rules; i++ )
        to->used[i].number = i;
    for ( uint32_t i = 0; i < plain->rows; i++ )
        to->used[plain->number[i]].uses++;
    qsort(to->used, plain->rules, sizeof(*to->used), compare_uses);
    for ( uint32_t i = 0; i < plain->rules; i++ )
    {
        to->numbers[to->used[i].number] = (uint16_t)i;
        to->rule[i] = plain->rule[to->used[i].number];
        to->rare += i >= ROW_RARE ? to->used[i].uses : 0;
    }
    for ( uint32_t i = 0; i < plain->pages; i++ )
        to->dense += plain->first[i + 1] - plain->first[i] > 1;
    return true;
}

static bool reserve_arrays(struct packing *to)
{
    const struct plain_rows *plain = to->plain;

    to->page = calloc(plain->pages + 1ul, sizeof(*to->page));
    to->block = calloc(to->dense * (size_t)ROW_BLOCKS + 1, sizeof(*to->block));
    to->address = calloc(plain->rows, sizeof(*to->address));
    to->number = calloc(plain->rows, sizeof(*to->number));
    to->rare_row = calloc(to->rare + 1ul, sizeof(*to->rare_row));
    to->rare_number = calloc(to->rare + 1ul, sizeof(*to->rare_number));
    return to->page && to->block && to->address && to->number && to->rare_row &&
           to->rare_number;
}

/* Rows of a page that lie before each of its blocks. */
static void fill_blocks(const struct plain_rows *plain, uint32_t page,
                        uint16_t *block)
{
    uint32_t first = plain->first[page], row = first;

    for ( uint32_t i = 0; i < ROW_BLOCKS; i++ )
    {
        while ( row < plain->first[page + 1] &&
                plain->address[row] >> ROW_BLOCK_SHIFT < i )
            row++;
        block[i] = (uint16_t)(row - first);
    }
}

static void fill_pages(struct packing *to)
{
    const struct plain_rows *plain = to->plain;
    uint32_t dense = 0;

    for ( uint32_t i = 0; i < plain->pages; i++ )
    {
        to->page[i] = (struct row_page){plain->first[i], dense};
        if ( plain->first[i + 1] - plain->first[i] > 1 )
            fill_blocks(plain, i, to->block + dense++ * (size_t)ROW_BLOCKS);
    }
    to->page[plain->pages] = (struct row_page){plain->rows, dense};
}

static void fill_rows(struct packing *to)
{
    uint32_t rare = 0;

    for ( uint32_t i = 0; i < to->plain->rows; i++ )
    {
        uint16_t number = to->numbers[to->plain->number[i]];

        to->address[i] = (uint8_t)to->plain->address[i];
        to->number[i] = number < ROW_RARE ? (uint8_t)number : ROW_RARE;
        if ( number < ROW_RARE )
            continue;
        to->rare_row[rare] = i;
        to->rare_number[rare++] = number;
    }
}

/* Makes the table as whoever gets its bytes would. */
static struct row_table *make_packed_table(const struct packing *packing)
{
    const struct plain_rows *plain = packing->plain;
    const struct row_table table = {.base = plain->base,
                                    .pages = plain->pages,
                                    .dense = packing->dense,
                                    .rows = plain->rows,
                                    .rare = packing->rare,
                                    .rules = plain->rules,
                                    .segments = plain->segments,
                                    .segment = plain->segment,
                                    .page = packing->page,
                                    .block = packing->block,
                                    .address = packing->address,
                                    .number = packing->number,
                                    .rare_row = packing->rare_row,
                                    .rare_number = packing->rare_number,
                                    .rule = packing->rule};
    struct buffer bytes = {NULL, 0, 0};
    struct row_table *ret = NULL;

    if ( row_table_put(&table, &bytes) )
        ret = row_table_get(bytes.bytes, bytes.used);
    if ( ret )
        ret->owned = bytes.bytes;
    else
        buffer_free(&bytes);
    return ret;
}

struct row_table *row_pack(const struct plain_rows *plain)
{
    struct packing packing = {.plain = plain};
    struct row_table *ret = NULL;

    if ( number_rules(&packing) && reserve_arrays(&packing) )
    {
        fill_pages(&packing);
        fill_rows(&packing);
        ret = make_packed_table(&packing);
    }
    free(packing.used);
    free(packing.numbers);
    free(packing.rule);
    free(packing.page);
    free(packing.block);
    free(packing.address);
    free(packing.number);
    free(packing.rare_row);
    free(packing.rare_number);
    return ret;
}
