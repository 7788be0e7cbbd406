/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table takes four bytes a row: the range of addresses is cut into equal
 * blocks, small enough for a few rows each, and a row is its offset in its
 * block and the number of its entry among the different ones.
 */
#include "orc.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "orc-table.h"

#define ROWS_FOR_ONE_BLOCK 2u
#define NUMBER_NONE        UINT32_MAX
#define LATELY_MIX         0x9e3779b1u
#define LATELY_SHIFT       24u

/* Rows in the order of their addresses, while a table is made. */
struct ordered {
    uint64_t *keys; /* see key_of_row() */
    size_t count;
    uint64_t lowest; /* offset of an address from ips_address, plus 2^31 */
};

#define NUMBER_BITS 22u
#define NUMBER_MASK (ORC_COUNT_MAX - 1)

/* An entry's own offset is at least -2^31, so the sum is never negative.  Of
 * two rows for one address the later counts, unless it has no frame. */
static uint64_t key_of_row(const int32_t *ips, size_t number, bool frame)
{
    uint64_t offset = 4 * number + ips[number] + (1ull << 31);

    return (offset << 1 | frame) << NUMBER_BITS | number;
}

static uint64_t key_offset(uint64_t key)
{
    return key >> (NUMBER_BITS + 1);
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static void order(struct ordered *ordered, const int32_t *ips,
                  const struct orc_rows *rows, const uint16_t *numbers)
{
    uint64_t *keys = ordered->keys;
    bool sorted = true;

    for ( size_t i = 0; i < ordered->count; i++ )
    {
        keys[i] = key_of_row(ips, i,
                             rows->rows[numbers[i]].kind != ROW_UNDEFINED);
        sorted = sorted && (!i || keys[i - 1] < keys[i]);
    }
    if ( !sorted )
        qsort(keys, ordered->count, sizeof(keys[0]), compare_keys);
    ordered->lowest = key_offset(keys[0]);
}

/* Of rows for one address, the last in order stands for all. */
static bool is_followed_by_same(const struct ordered *ordered, size_t i)
{
    return i + 1 < ordered->count &&
           key_offset(ordered->keys[i]) == key_offset(ordered->keys[i + 1]);
}

static void fill_orc_blocks(struct orc_table *table,
                            const struct ordered *ordered,
                            const uint16_t *numbers)
{
    uint32_t block = 0;

    for ( size_t i = 0; i < ordered->count; i++ )
    {
        uint64_t key = ordered->keys[i];
        uint64_t offset = key_offset(key) - ordered->lowest;

        if ( is_followed_by_same(ordered, i) )
            continue;
        while ( block <= offset >> table->shift )
            table->first[block++] = table->count;
        table->places[table->count++] = (struct orc_place){
            offset & ((1u << table->shift) - 1), numbers[key & NUMBER_MASK]};
    }
    while ( block <= table->blocks )
        table->first[block++] = table->count;
}

/* Cuts blocks as small as they can be while the index does not outgrow the
 * rows. */
static void cut_into_blocks(struct orc_table *table,
                            const struct ordered *ordered)
{
    uint64_t span = key_offset(ordered->keys[ordered->count - 1]) -
                    ordered->lowest;

    table->shift = ORC_SHIFT_MIN;
    while ( table->shift < ORC_SHIFT_MAX &&
            span >> table->shift > ordered->count / ROWS_FOR_ONE_BLOCK )
        table->shift++;
    table->blocks = (span >> table->shift) + 1;
}

static bool make_orc_table(struct orc_table *table, const int32_t *ips,
                           const uint16_t *numbers)
{
    struct ordered ordered = {.count = table->given};
    uint64_t *keys SCOPE_FREE = malloc(ordered.count * sizeof(keys[0]));
    struct orc_place *less;

    if ( !keys )
        return false;
    ordered.keys = keys;
    order(&ordered, ips, table->rows, numbers);
    table->base += ordered.lowest - (1ull << 31);
    cut_into_blocks(table, &ordered);
    table->first = malloc((table->blocks + 1) * sizeof(table->first[0]));
    table->places = malloc(ordered.count * sizeof(table->places[0]));
    if ( !table->first || !table->places )
        return false;
    fill_orc_blocks(table, &ordered, numbers);
    less = realloc(table->places, table->count * sizeof(table->places[0]));
    if ( less )
        table->places = less;
    return true;
}

struct orc_table *orc_open(const int32_t *ips, const void *rows, size_t count,
                           uint64_t ips_address, enum orc_layout layout)
{
    uint16_t *numbers SCOPE_FREE = NULL;
    struct orc_table *table;

    if ( !count || count > ORC_COUNT_MAX )
        return NULL;
    table = calloc(1, sizeof(*table));
    numbers = malloc(count * sizeof(*numbers));
    if ( table && numbers )
    {
        table->given = (uint32_t)count;
        table->base = ips_address;
        table->rows = orc_rows_make(rows, count, layout, numbers);
        if ( table->rows && make_orc_table(table, ips, numbers) &&
             orc_begin(table) )
            return table;
    }
    orc_close(table);
    return NULL;
}

void orc_close(struct orc_table *table)
{
    if ( !table )
        return;
    if ( !table->borrowed )
    {
        free(table->first);
        free(table->places);
    }
    free(table->rows);
    free(table->lately);
    free(table);
}

bool orc_begin(struct orc_table *table)
{
    uint32_t many = table->count >= ORC_LATELY_FROM ? ORC_LATELY_MANY : 1;

    for ( uint32_t i = 0; i < table->rows->count; i++ )
        table->rows->rows[i].usual = unwind_row_usual(&table->rows->rows[i]);
    table->lately_mask = many - 1;
    table->lately = calloc(many, sizeof(*table->lately));
    return table->lately;
}

/* Returns the last place of a block that is not behind offset, or the one
 * before the block's first if all are. */
static uint32_t last_place(const struct orc_table *table, uint64_t block,
                           uint32_t offset)
{
    uint32_t low = table->first[block], high = table->first[block + 1];

    while ( low < high )
    {
        uint32_t middle = (low + high) / 2;

        if ( table->places[middle].offset <= offset )
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* Returns the number of the row of an offset from the first block, or
 * NUMBER_NONE. */
static uint32_t search_block(const struct orc_table *table, uint64_t offset)
{
    uint64_t block = offset >> table->shift;

    if ( block >= table->blocks )
        return NUMBER_NONE;
    /* The first block begins with the first row, so a place is before. */
    return table
        ->places[last_place(table, block, offset & ((1u << table->shift) - 1))]
        .number;
}

/* Returns false if there is no row.  Apart, for most are found without it. */
static __attribute__((noinline)) bool find_anew(const struct orc_table *table,
                                                uint64_t address,
                                                struct orc_lately *ret)
{
    uint32_t number = search_block(table, address - table->base);

    if ( number != NUMBER_NONE )
        *ret = (struct orc_lately){address, &table->rows->rows[number]};
    return number != NUMBER_NONE;
}

/* A guest that chooses addresses which fall together has its own searched, as
 * all are without this. */
bool orc_find(const struct orc_table *table, uint64_t address,
              struct unwind_row *ret)
{
    struct orc_lately *lately =
        &table->lately[(uint32_t)address * LATELY_MIX >> LATELY_SHIFT &
                       table->lately_mask];

    if ( (lately->address != address || !lately->row) &&
         !find_anew(table, address, lately) )
        return false;
    *ret = *lately->row;
    return true;
}

size_t orc_count(const struct orc_table *table)
{
    return table->given;
}

enum orc_layout orc_layout(const struct orc_table *table)
{
    return table->rows->layout;
}

size_t orc_size(const struct orc_table *table)
{
    return sizeof(*table) + (table->blocks + 1) * sizeof(table->first[0]) +
           table->count * sizeof(table->places[0]) + sizeof(*table->rows) +
           table->rows->count * sizeof(table->rows->rows[0]) +
           (table->lately_mask + 1ul) * sizeof(*table->lately);
}
