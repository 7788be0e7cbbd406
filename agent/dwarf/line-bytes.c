/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line-bytes.h"

#include <limits.h>

/* Returns the next bytes, as many as want if there are so many. */
static struct cursor next_bytes(struct line_bytes *from, size_t want)
{
    struct cursor next = {.bad = from->bad};

    if ( !from->bad && from->at < from->end )
        next = dwarf_bytes(from->section, from->at, want);
    if ( next.at && cursor_left(&next) > from->end - from->at )
        next.end = next.at + (from->end - from->at);
    from->bad |= !next.at;
    return next;
}

/* What was read of the cursor, which began at that byte, is passed over. */
static void pass(struct line_bytes *from, const struct cursor *read,
                 const uint8_t *begin)
{
    from->bad |= read->bad;
    if ( !from->bad )
        from->at += (uint64_t)(read->at - begin);
}

uint64_t take_fixed(struct line_bytes *from, size_t size)
{
    struct cursor next = next_bytes(from, size);
    const uint8_t *begin = next.at;
    uint64_t number = begin ? cfi_fixed(&next, size) : 0;

    pass(from, &next, begin);
    return from->bad ? 0 : number;
}

uint64_t take_number(struct line_bytes *from)
{
    struct cursor next = next_bytes(from, NUMBER_BYTES);
    const uint8_t *begin = next.at;
    uint64_t number = begin ? get_number(&next) : 0;

    pass(from, &next, begin);
    return from->bad ? 0 : number;
}

int64_t take_signed(struct line_bytes *from)
{
    struct cursor next = next_bytes(from, NUMBER_BYTES);
    const uint8_t *begin = next.at;
    int64_t number = begin ? cfi_signed(&next) : 0;

    pass(from, &next, begin);
    return from->bad ? 0 : number;
}

void skip_line_bytes(struct line_bytes *from, uint64_t size)
{
    if ( size > from->end - from->at )
        from->bad = true;
    if ( !from->bad )
        from->at += size;
}

uint64_t take_text(struct line_bytes *from, bool *empty)
{
    struct cursor next = next_bytes(from, PATH_MAX);
    const uint8_t *begin = next.at;
    const uint8_t *end = begin ? memchr(begin, 0, cursor_left(&next)) : NULL;
    const uint64_t at = from->at;

    from->bad |= !end;
    *empty = end == begin;
    if ( end )
        from->at += (uint64_t)(end - begin) + 1;
    return at;
}

struct dwarf_value take_value(struct line_bytes *from,
                              const struct dwarf_sizes *sizes, uint64_t form)
{
    const struct dwarf_attribute attribute = {.form = (uint16_t)form};
    struct cursor next = next_bytes(from, PATH_MAX);
    const uint8_t *begin = next.at;
    struct dwarf_value value = {.class = DWARF_NOTHING};

    /* Such a value is written where forms are, which it is not here. */
    if ( form > UINT16_MAX || form == FORM_IMPLICIT_CONST )
        from->bad = true;
    if ( !from->bad )
        value = dwarf_value_read(&next, begin, from->at, sizes, &attribute);
    pass(from, &next, begin);
    return value;
}
