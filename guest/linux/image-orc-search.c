/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ORC rows of a kernel whose symbols name code only (no KALLSYMS_ALL).  The
 * addresses that rows are for are sorted, each counted from its own place, as
 * are 7.0's symbols; what makes them others is that all lead into code.
 */
#include "image.h"
#include "kallsyms-inside.h"

#define REACH       (96ull << 20) /* of an image behind its base */
#define STRIDE      (64u * 1024)
#define LARGE_PAGE  (2u << 20)
#define ROWS_MIN    2048u
#define ROWS_LOOKED 1024u
#define EDGE        64u        /* words that may seem to belong to it */
#define LATE_CODE   (4u << 20) /* behind what runs at boot, also at boot */
#define HEADER      20u
#define ROW_SIZE    6u

static bool is_for_code(const struct image *image, uint64_t place,
                        uint32_t value)
{
    uint64_t offset = place + (uint64_t)(int64_t)(int32_t)value - image->base;

    return image_is_code(image, offset) ||
           (image->code[1].end && offset >= image->code[1].start &&
            offset < image->code[1].end + LATE_CODE);
}

/* Numbers before and behind it may happen to go on. */
static bool trim(const struct image *image, struct guest_memory *memory,
                 struct kallsyms_run *run)
{
    uint32_t first[EDGE], last[EDGE];
    uint32_t i;

    if ( !guest_memory_get(memory, run->start, first, sizeof(first)) ||
         !guest_memory_get(memory, run->end - sizeof(last), last,
                           sizeof(last)) )
        return false;
    for ( i = 0; i < EDGE && !is_for_code(image, run->start, first[i]); i++ )
        run->start += 4;
    for ( i = EDGE; i && !is_for_code(image, run->end - 4, last[i - 1]); i-- )
        run->end -= 4;
    return run->end > run->start && (run->end - run->start) / 4 >= ROWS_MIN;
}

/* Since 7.0 the symbols' own table looks the same, but for what is behind.
 * The first rows are of code that starts the machine, which is not typical. */
static bool has_rows(struct guest_memory *memory,
                     const struct kallsyms_run *run, enum orc_layout layout)
{
    uint64_t from = (run->end - run->start) / 4 / 2;
    int32_t ips[ROWS_LOOKED];
    uint8_t rows[ROW_SIZE * ROWS_LOOKED];
    struct orc_table *table;

    if ( !guest_memory_get(memory, run->start + 4 * from, ips, sizeof(ips)) ||
         !guest_memory_get(memory, run->end + ROW_SIZE * from, rows,
                           sizeof(rows)) )
        return false;
    table = orc_open(ips, rows, ROWS_LOOKED, 0, layout);
    if ( table )
        orc_close(table);
    return table;
}

static bool is_table(const struct image *image, struct guest_memory *memory,
                     struct kallsyms_run *run, struct orc_place *ret)
{
    uint8_t header[HEADER];

    if ( !trim(image, memory, run) )
        return false;
    ret->ips = run->start - image->base;
    ret->rows = run->end - image->base;
    ret->count = (uint32_t)((run->end - run->start) / 4);
    ret->layout = ORC_LAYOUT_UNKNOWN;
    if ( guest_memory_get(memory, run->start - HEADER, header, sizeof(header)) )
        ret->layout = orc_layout_of(0, 0, header);
    return has_rows(memory, run, ret->layout);
}

/* Moves at to where it may be worth to look on. */
static bool look_at(const struct image *image, struct guest_memory *memory,
                    uint64_t *at, struct orc_place *ret)
{
    uint32_t values[16];
    struct kallsyms_run run;

    if ( !guest_memory_get(memory, *at, values, sizeof(values)) )
    {
        *at |= LARGE_PAGE - 1;
        return false;
    }
    if ( !kallsyms_may_be(KALLSYMS_PLACE, values) ||
         !is_for_code(image, *at, values[0]) ||
         kallsyms_measure(memory, *at, KALLSYMS_PLACE, &run) )
        return false;
    if ( is_table(image, memory, &run, ret) )
        return true;
    *at = run.end > *at ? run.end : *at;
    return false;
}

bool image_find_orc(const struct image *image, struct guest_memory *memory,
                    struct orc_place *ret)
{
    uint64_t at = (image->base + image->code[0].end) & -(uint64_t)STRIDE;

    while ( at < image->base + REACH && memory->left )
    {
        if ( look_at(image, memory, &at, ret) )
            return true;
        at = (at + STRIDE) & -(uint64_t)STRIDE;
    }
    return false;
}
