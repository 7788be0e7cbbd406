/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of the unwind table, once, so that a search needs none.
 */
#include "unwind-check.h"

#define BLOCK XENOPROF_UNWIND_BLOCK

/* The parts of the table. */
struct parts {
    const struct xenoprof_unwind *head;
    const struct xenoprof_unwind_region *regions;
    const struct xenoprof_unwind_state *states;
    const uint32_t *first_rows;
    const struct xenoprof_unwind_row *rows;
    uint64_t first_row_count;
};

static bool head_is_fine(const struct xenoprof_unwind *head, uint64_t size)
{
    return size >= sizeof(*head) && head->magic == XENOPROF_UNWIND_MAGIC &&
           head->version == XENOPROF_UNWIND_VERSION &&
           head->size >= sizeof(*head) && head->size <= size &&
           head->size <= XENOPROF_UNWIND_MAX && head->regions &&
           head->regions <= XENOPROF_UNWIND_REGIONS && head->states &&
           head->states <= XENOPROF_UNWIND_STATES && head->rows;
}

/* Returns whether count elements of so many bytes at offset at lie between the
 * offsets from and to. */
static bool part_fits(uint32_t at, uint64_t count, uint32_t element,
                      uint64_t from, uint64_t to)
{
    return !(at & 7) && at >= from && at <= to && count * element <= to - at;
}

static bool find_parts(const void *bytes, uint64_t size, struct parts *ret)
{
    const struct xenoprof_unwind *head = bytes;
    const unsigned char *start = bytes;

    if ( !head_is_fine(head, size) ||
         !part_fits(head->regions_at, head->regions, sizeof(*ret->regions),
                    sizeof(*head), head->states_at) ||
         !part_fits(head->states_at, head->states, sizeof(*ret->states), 0,
                    head->first_row_at) ||
         !part_fits(head->first_row_at, 0, 1, 0, head->rows_at) ||
         !part_fits(head->rows_at, head->rows, sizeof(*ret->rows), 0,
                    head->size) )
        return false;
    ret->head = head;
    ret->regions = (const void *)(start + head->regions_at);
    ret->states = (const void *)(start + head->states_at);
    ret->first_rows = (const void *)(start + head->first_row_at);
    ret->rows = (const void *)(start + head->rows_at);
    ret->first_row_count = (head->rows_at - head->first_row_at) /
                           sizeof(*ret->first_rows);
    return true;
}

static bool states_are_fine(const struct parts *parts)
{
    for ( uint32_t i = 0; i < parts->head->states; i++ )
    {
        const struct xenoprof_unwind_state *state = &parts->states[i];

        if ( state->kind >= XENOPROF_UNWIND_KINDS ||
             state->rbp_saved >= XENOPROF_UNWIND_RBPS || state->cfa & 7 ||
             state->rbp & 7 )
            return false;
    }
    return true;
}

/* Returns whether a block's rows are sound: at least one, rising, and the first
 * is for the block's first byte. */
static bool rows_are_fine(const struct parts *parts, uint32_t first,
                          uint32_t end)
{
    const struct xenoprof_unwind_row *rows = parts->rows;

    if ( first >= end || end > parts->head->rows || rows[first].at )
        return false;
    for ( uint32_t i = first; i < end; i++ )
        if ( rows[i].state >= parts->head->states ||
             (i > first && rows[i].at <= rows[i - 1].at) )
            return false;
    return true;
}

static bool blocks_are_fine(const struct parts *parts,
                            const struct xenoprof_unwind_region *region)
{
    uint64_t blocks = ((uint64_t)region->length + BLOCK - 1) / BLOCK;
    const uint32_t *first = parts->first_rows + region->first;

    if ( !blocks || region->first + blocks + 1 > parts->first_row_count )
        return false;
    for ( uint64_t i = 0; i < blocks; i++ )
        if ( !rows_are_fine(parts, first[i], first[i + 1]) )
            return false;
    return true;
}

static bool overlaps(const struct unwind_table *table,
                     const struct unwind_text *text)
{
    for ( uint32_t i = 0; i < table->texts; i++ )
        if ( text->start < table->text[i].start + table->text[i].length &&
             table->text[i].start < text->start + text->length )
            return true;
    return false;
}

static bool add_text(const struct parts *parts,
                     const struct xenoprof_unwind_region *region,
                     uint64_t own_text, struct unwind_table *ret)
{
    struct unwind_text text = {
        .start = region->start,
        .length = region->length,
    };

    if ( !blocks_are_fine(parts, region) )
        return false;
    text.first_row = parts->first_rows + region->first;
    if ( region->base == XENOPROF_UNWIND_MODULE )
        text.start += own_text;
    else if ( region->base != XENOPROF_UNWIND_ABSOLUTE )
        return false;
    if ( text.start + text.length < text.start || overlaps(ret, &text) )
        return false;
    ret->text[ret->texts++] = text;
    return true;
}

bool unwind_check(const void *bytes, uint64_t size, uint64_t own_text,
                  struct unwind_table *ret)
{
    struct parts parts;

    memset(ret, 0, sizeof(*ret));
    if ( !find_parts(bytes, size, &parts) || !states_are_fine(&parts) )
        return false;
    for ( uint32_t i = 0; i < parts.head->regions; i++ )
        if ( !add_text(&parts, &parts.regions[i], own_text, ret) )
            return false;
    ret->states = parts.states;
    ret->rows = parts.rows;
    return true;
}
