/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of ORC rows as flat bytes, which are checked before they are used. */
#include <stdlib.h>
#include <string.h>

#include "orc-table.h"

struct flat_orc {
    uint64_t base;
    uint32_t blocks, shift, count, given, rows, layout;
};

/* A row without the bytes that a compiler puts between its members. */
struct flat_row {
    uint8_t kind, cfa_base, cfa_way, bp_base;
    int16_t cfa_offset, bp_offset;
    uint8_t signal, reserved[3];
};

static bool put_flat_rows(const struct orc_rows *rows, struct buffer *to)
{
    struct flat_row *flat;
    bool done;

    flat = calloc(rows->count, sizeof(*flat));
    if ( !flat )
        return false;
    for ( uint32_t i = 0; i < rows->count; i++ )
    {
        const struct unwind_row *row = &rows->rows[i];

        flat[i] = (struct flat_row){
            .kind = row->kind,
            .cfa_base = row->cfa_base,
            .cfa_way = row->cfa_way,
            .bp_base = row->bp_base,
            .cfa_offset = row->cfa_offset,
            .bp_offset = row->bp_offset,
            .signal = row->signal,
        };
    }
    done = flat_put(to, flat, rows->count, sizeof(*flat));
    free(flat);
    return done;
}

bool orc_put(const struct orc_table *table, struct buffer *to)
{
    const struct flat_orc head = {
        .base = table->base,
        .blocks = table->blocks,
        .shift = table->shift,
        .count = table->count,
        .given = table->given,
        .rows = table->rows->count,
        .layout = table->rows->layout,
    };

    return flat_put(to, &head, 1, sizeof(head)) &&
           flat_put(to, table->first, table->blocks + 1ul,
                    sizeof(table->first[0])) &&
           flat_put(to, table->places, table->count,
                    sizeof(table->places[0])) &&
           put_flat_rows(table->rows, to);
}

/* The rules of struct unwind_row: what a walk may rely on. */
static bool is_row(const struct flat_row *row)
{
    bool has_frame = row->kind >= ROW_CALL;

    return row->kind <= ROW_INTERRUPT && row->cfa_base < ROW_BASES &&
           row->cfa_base != ROW_BASE_CFA && row->cfa_way <= ROW_AT_BASE &&
           has_frame == (row->cfa_base != ROW_BASE_NONE) &&
           (row->bp_base == ROW_BASE_NONE ||
            (row->kind == ROW_CALL &&
             (row->bp_base == ROW_BASE_CFA || row->bp_base == ROW_BASE_BP))) &&
           row->signal <= 1;
}

static bool get_flat_row(const struct flat_row *flat, struct unwind_row *ret)
{
    if ( !is_row(flat) )
        return false;
    *ret = (struct unwind_row){
        .kind = flat->kind,
        .cfa_base = flat->cfa_base,
        .cfa_way = flat->cfa_way,
        .bp_base = flat->bp_base,
        .cfa_offset = flat->cfa_offset,
        .bp_offset = flat->bp_offset,
        .signal = flat->signal,
    };
    return true;
}

static struct orc_rows *get_rows(struct cursor *from,
                                 const struct flat_orc *head)
{
    const struct flat_row *flat = flat_get(from, head->rows, sizeof(*flat));
    struct orc_rows *ret;
    bool good = flat && head->rows <= ORC_ROWS_MAX && head->layout &&
                head->layout < ORC_LAYOUTS;

    if ( !good )
        return NULL;
    ret = malloc(sizeof(*ret) + head->rows * sizeof(ret->rows[0]));
    if ( !ret )
        return NULL;
    ret->count = head->rows;
    ret->layout = (enum orc_layout)head->layout;
    for ( uint32_t i = 0; good && i < head->rows; i++ )
        good = get_flat_row(&flat[i], &ret->rows[i]);
    if ( good )
        return ret;
    free(ret);
    return NULL;
}

/* What last_place() relies on: each block has its own places, and the first
 * begins with the first of them. */
static bool is_sound(const struct orc_table *table)
{
    if ( !table->blocks || !table->count || table->count > ORC_COUNT_MAX ||
         table->shift < ORC_SHIFT_MIN || table->shift > ORC_SHIFT_MAX ||
         table->first[0] || !table->first[1] || table->places[0].offset )
        return false;
    for ( uint32_t i = 0; i < table->blocks; i++ )
        if ( table->first[i] > table->first[i + 1] ||
             table->first[i + 1] > table->count )
            return false;
    for ( uint32_t i = 0; i < table->count; i++ )
        if ( table->places[i].number >= table->rows->count )
            return false;
    return true;
}

struct orc_table *orc_get(struct cursor *from)
{
    const struct flat_orc *head = flat_get(from, 1, sizeof(*head));
    struct orc_table *table = calloc(1, sizeof(*table));

    if ( head && table )
    {
        table->borrowed = true;
        table->base = head->base;
        table->blocks = head->blocks;
        table->shift = head->shift;
        table->count = head->count;
        table->given = head->given;
        table->first = (void *)flat_get(from, head->blocks + 1ul,
                                        sizeof(table->first[0]));
        table->places = (void *)flat_get(from, head->count,
                                         sizeof(table->places[0]));
        table->rows = get_rows(from, head);
        if ( !from->bad && table->rows && is_sound(table) && orc_begin(table) )
            return table;
    }
    orc_close(table);
    return NULL;
}
