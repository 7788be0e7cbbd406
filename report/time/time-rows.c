/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "time-rows.h"

#include "base/must.h"
#include "report/waits/waits.h"

#include <stdlib.h>

void time_rows_free(struct time_rows *rows)
{
    vector_free(rows);
}

void time_rows_add(struct time_rows *rows, const struct time_row *row)
{
    struct time_row *to;

    if ( row->from >= row->to )
        return;
    to = must(vector_add(rows));
    *to = *row;
}

void time_rows_ran(struct time_rows *rows, uint32_t owner, uint64_t from,
                   uint64_t to, uint64_t running)
{
    const size_t most = rows->most ? rows->most : TIME_ROWS_MOST;
    const struct time_row row = {TIME_ROW_RAN, owner, from, to, running};

    if ( rows->many )
        return;
    if ( rows->count == most )
    {
        rows->many = true;
        vector_free(rows);
        return;
    }
    time_rows_add(rows, &row);
}

static int compare_time_rows(const void *left, const void *right)
{
    const struct time_row *a = left, *b = right;

    if ( a->owner != b->owner )
        return a->owner < b->owner ? -1 : 1;
    if ( a->kind != b->kind )
        return a->kind < b->kind ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static void sort_time_rows(struct time_rows *rows)
{
    if ( rows->count )
        qsort(rows->items, rows->count, sizeof(*rows->items),
              compare_time_rows);
}

/* Rows of Xen's account, from at on, that are of some of a slot or all: returns
 * how much, and adds its gaps, which have so much of the slot's time. */
static uint64_t cover(struct time_rows *rows, size_t at, size_t end,
                      const struct time_row *slot, uint64_t gaps)
{
    uint64_t covered = 0, given = 0, from = slot->from;

    for ( ; at <= end && from < slot->to; at++ )
    {
        const struct time_row ran = at < end
                                        ? rows->items[at]
                                        : (struct time_row){.from = slot->to,
                                                            .to = slot->to};
        struct time_row gap = {TIME_ROW_RAN, slot->owner, from, ran.from, 0};

        if ( ran.to < from )
            continue;
        if ( gap.to > slot->to )
            gap.to = slot->to;
        if ( gap.from < gap.to && gaps )
        {
            gap.time = waits_between(slot->time, gaps, given,
                                     given + gap.to - gap.from);
            given += gap.to - gap.from;
            time_rows_add(rows, &gap);
        }
        if ( gap.from > gap.to )
            gap.to = gap.from;
        from = ran.to < slot->to ? ran.to : slot->to;
        covered += from > gap.to ? from - gap.to : 0;
    }
    return covered;
}

/* The rows of Xen's account of an owner, and what stands beside it: from first
 * to end, and to last. */
static void place(struct time_rows *rows, size_t first, size_t end, size_t last)
{
    for ( size_t i = end; i < last; i++ )
    {
        const struct time_row slot = rows->items[i];
        const uint64_t length = slot.to - slot.from;
        uint64_t covered;

        while ( first < end && rows->items[first].to <= slot.from )
            first++;
        covered = cover(rows, first, end, &slot, 0);
        if ( !covered || covered >= length )
            continue;
        cover(rows, first, end, &slot, length - covered);
        rows->items[i].time = 0;
    }
}

void time_rows_end(struct time_rows *rows)
{
    const size_t count = rows->count;
    size_t end, last;

    sort_time_rows(rows);
    for ( size_t first = 0; first < count; first = last )
    {
        for ( end = first;
              end < count && rows->items[end].kind == TIME_ROW_RAN &&
              rows->items[end].owner == rows->items[first].owner;
              end++ )
            ;
        for ( last = end;
              last < count && rows->items[last].kind == TIME_ROW_STANDS &&
              rows->items[last].owner == rows->items[first].owner;
              last++ )
            ;
        place(rows, first, end, last);
        last += last == first;
    }
    sort_time_rows(rows);
}
