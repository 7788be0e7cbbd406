/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ORC rows of an image: between two marks or, in a kernel whose symbols
 * name code only (no KALLSYMS_ALL), found by their shape.  The addresses that
 * rows are for are sorted, each counted from its own place, as are symbols
 * since v7.0 (offset-run.h has the commit); only those of rows all lead into
 * code.
 */
#include "image-orc.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "offset-run.h"

#define REACH       (96ull << 20) /* of an image behind its base */
#define STRIDE      (64u * 1024)
#define LARGE_PAGE  (2u << 20)
#define ROWS_MIN    2048u
#define ROWS_LOOKED 1024u
#define EDGE        64u        /* words that may seem to belong to it */
#define LATE_CODE   (4u << 20) /* behind what runs at boot, also at boot */
#define ROWS_MAX    (2u << 20)

/* Where rows are, as distances from the base. */
struct orc_span {
    uint64_t ips, rows;
    uint32_t count;
    enum orc_layout layout; /* what a header says */
};

static bool is_for_code(const struct linux_image *image, uint64_t at,
                        uint32_t value)
{
    uint64_t offset = at + (uint64_t)(int64_t)(int32_t)value - image->base;

    return linux_image_is_code(image, offset) ||
           (image->code[1].end && offset >= image->code[1].start &&
            offset < image->code[1].end + LATE_CODE);
}

/* Drops numbers before and behind the table that happen to continue it. */
static bool trim_run(const struct linux_image *image,
                     struct guest_memory *memory, struct offset_run *run)
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

/* Returns whether rows lie behind the run: since v7.0 the table of symbols
 * looks the same, but for that.  The first rows are not typical, since they are
 * for code that starts the machine. */
static bool has_rows(struct guest_memory *memory, const struct offset_run *run,
                     enum orc_layout layout)
{
    uint64_t from = (run->end - run->start) / 4 / 2;
    int32_t ips[ROWS_LOOKED];
    uint8_t rows[ORC_ENTRY_SIZE * ROWS_LOOKED];
    struct orc_table *table;

    if ( !guest_memory_get(memory, run->start + 4 * from, ips, sizeof(ips)) ||
         !guest_memory_get(memory, run->end + ORC_ENTRY_SIZE * from, rows,
                           sizeof(rows)) )
        return false;
    table = orc_open(ips, rows, ROWS_LOOKED, 0, layout);
    if ( table )
        orc_close(table);
    return table;
}

static bool is_orc_table(const struct linux_image *image,
                         struct guest_memory *memory, struct offset_run *run,
                         struct orc_span *ret)
{
    uint8_t header[ORC_HEADER_SIZE];

    if ( !trim_run(image, memory, run) )
        return false;
    ret->ips = run->start - image->base;
    ret->rows = run->end - image->base;
    ret->count = (uint32_t)((run->end - run->start) / 4);
    ret->layout = ORC_LAYOUT_UNKNOWN;
    if ( guest_memory_get(memory, run->start - ORC_HEADER_SIZE, header,
                          sizeof(header)) )
        ret->layout = orc_layout_of(0, 0, header);
    return has_rows(memory, run, ret->layout);
}

/* Looks at *at, and moves it behind what need not be looked at. */
static bool look_for_orc_at(const struct linux_image *image,
                            struct guest_memory *memory, uint64_t *at,
                            struct orc_span *ret)
{
    uint32_t values[16];
    struct offset_run run;

    if ( !guest_memory_get(memory, *at, values, sizeof(values)) )
    {
        *at |= LARGE_PAGE - 1;
        return false;
    }
    if ( !offsets_may_be(OFFSET_FROM_SELF, values) ||
         !is_for_code(image, *at, values[0]) ||
         offset_run_measure(memory, *at, OFFSET_FROM_SELF, &run) )
        return false;
    if ( is_orc_table(image, memory, &run, ret) )
        return true;
    *at = run.end > *at ? run.end : *at;
    return false;
}

static bool find_orc_span(const struct linux_image *image,
                          struct guest_memory *memory, struct orc_span *ret)
{
    uint64_t at = (image->base + image->code[0].end) & -(uint64_t)STRIDE;

    while ( at < image->base + REACH && memory->left )
    {
        if ( look_for_orc_at(image, memory, &at, ret) )
            return true;
        at = (at + STRIDE) & -(uint64_t)STRIDE;
    }
    return false;
}

static enum orc_layout layout_of(const struct linux_image *image,
                                 struct guest_memory *memory,
                                 const struct kallsyms_wanted *header)
{
    uint8_t bytes[ORC_HEADER_SIZE];
    unsigned int major = 0, minor = 0;
    bool there = header->found &&
                 guest_memory_get(memory, image->base + header->offset, bytes,
                                  sizeof(bytes));

    if ( sscanf(image->release, "%3u.%3u", &major, &minor) != 2 )
        major = minor = 0;
    return orc_layout_of(major, minor, there ? bytes : NULL);
}

/* Takes what the marks enclose.  Returns false if that is nothing, or the
 * marks contradict each other. */
static bool take_marked_orc(const struct kallsyms_wanted wanted[MARKS],
                            struct orc_span *ret)
{
    uint64_t ips, rows;
    int i;

    for ( i = MARK_ORC_IP; i <= MARK_ORC_END; i++ )
        if ( !wanted[i].found )
            return false;
    if ( wanted[MARK_ORC_IP_END].offset < wanted[MARK_ORC_IP].offset ||
         wanted[MARK_ORC_END].offset < wanted[MARK_ORC].offset )
        return false;
    ips = wanted[MARK_ORC_IP_END].offset - wanted[MARK_ORC_IP].offset;
    rows = wanted[MARK_ORC_END].offset - wanted[MARK_ORC].offset;
    ret->ips = wanted[MARK_ORC_IP].offset;
    ret->rows = wanted[MARK_ORC].offset;
    ret->count = (uint32_t)(ips / 4);
    return ips % 4 == 0 && rows / ORC_ENTRY_SIZE == ips / 4;
}

static enum kernel_status read_orc_rows(struct linux_image *image,
                                        struct guest_memory *memory,
                                        const struct orc_span *span,
                                        struct fingerprint *fingerprint)
{
    /* Rows say where code is by where they lie themselves. */
    const uint64_t at[] = {span->ips, span->layout};
    size_t ips_size = 4ull * span->count;
    size_t rows_size = (size_t)ORC_ENTRY_SIZE * span->count;
    uint8_t *bytes SCOPE_FREE = malloc(ips_size + rows_size);

    if ( !bytes )
        return KERNEL_NO_MEMORY;
    if ( !guest_memory_get(memory, image->base + span->ips, bytes, ips_size) ||
         !guest_memory_get(memory, image->base + span->rows, bytes + ips_size,
                           rows_size) )
        return memory->left ? KERNEL_OK : KERNEL_BUDGET;
    fingerprint_add(fingerprint, at, sizeof(at));
    fingerprint_add(fingerprint, bytes, ips_size + rows_size);
    image->orc = orc_open((const int32_t *)bytes, bytes + ips_size, span->count,
                          span->ips, span->layout);
    return KERNEL_OK;
}

enum kernel_status image_read_orc(struct linux_image *image,
                                  struct guest_memory *memory,
                                  const struct kallsyms_wanted wanted[MARKS],
                                  struct fingerprint *fingerprint)
{
    struct orc_span span;

    if ( take_marked_orc(wanted, &span) )
        span.layout = layout_of(image, memory, &wanted[MARK_ORC_HEADER]);
    else if ( wanted[MARK_MODULES].found || !wanted[MARK_STEXT].found ||
              !find_orc_span(image, memory, &span) )
        /* A kernel with marks for data would mark its rows; a kernel without
         * any mark is not Linux. */
        return memory->left ? KERNEL_OK : KERNEL_BUDGET;
    return span.count && span.count <= ROWS_MAX
               ? read_orc_rows(image, memory, &span, fingerprint)
               : KERNEL_OK;
}
