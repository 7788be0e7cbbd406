/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf-ranges.h"

/* The longest entry of a list. */
#define ENTRY_BYTES 32u

/* DW_RLE_* */
enum {
    LIST_END,
    LIST_BASE_AT,
    LIST_START_AT_END_AT,
    LIST_START_AT_LENGTH,
    LIST_OFFSETS,
    LIST_BASE,
    LIST_START_END,
    LIST_START_LENGTH
};

/* Where a list is that is said by its number: its offset counts from the
 * table's begin. */
static bool find_list(struct dwarf_file *file, const struct dwarf_unit *unit,
                      uint64_t number, uint64_t *ret)
{
    struct dwarf_section *section = &file->sections[DWARF_RNGLISTS];
    size_t size = unit->sizes.offset;
    struct cursor from;

    if ( unit->lists > section->size ||
         number >= (section->size - unit->lists) / size )
        return false;
    from = dwarf_bytes(section, unit->lists + number * size, size);
    *ret = unit->lists + (from.at ? cfi_fixed(&from, size) : 0);
    return from.at && !from.bad;
}

static void begin_one(struct dwarf_file *file, const struct dwarf_unit *unit,
                      const struct dwarf_die *die, struct dwarf_ranges *ret)
{
    const struct dwarf_value *high = &die->values[SLOT_HIGH];

    if ( !dwarf_address(file, unit, &die->values[SLOT_LOW], &ret->low) )
        return;
    if ( high->class == DWARF_NUMBER )
        ret->high = ret->low + high->number;
    else if ( !dwarf_address(file, unit, high, &ret->high) )
        return;
    ret->form = RANGES_ONE;
}

void dwarf_ranges_begin(struct dwarf_file *file, const struct dwarf_unit *unit,
                        const struct dwarf_die *die, struct dwarf_ranges *ret)
{
    const struct dwarf_value *list = &die->values[SLOT_RANGES];

    *ret = (struct dwarf_ranges){.base = unit->base, .at = list->number};
    if ( list->class == DWARF_NOTHING )
        begin_one(file, unit, die, ret);
    else if ( unit->sizes.version < 5 )
        ret->form = RANGES_4;
    else if ( list->class != DWARF_LIST_AT ||
              find_list(file, unit, list->number, &ret->at) )
        ret->form = RANGES_5;
}

/* Each of these two reads the next entry of a list, which may have no piece
 * (low is not below high).  Returns false at its end. */
static bool next_4(struct dwarf_file *file, struct dwarf_ranges *ranges)
{
    struct cursor from = dwarf_bytes(&file->sections[DWARF_RANGES], ranges->at,
                                     ENTRY_BYTES);

    if ( !from.at )
        return false;
    ranges->low = cfi_fixed(&from, 8);
    ranges->high = cfi_fixed(&from, 8);
    if ( from.bad || (!ranges->low && !ranges->high) )
        return false;
    ranges->at += 16;
    if ( ranges->low == UINT64_MAX )
    {
        ranges->base = ranges->high;
        ranges->high = 0;
        return true;
    }
    ranges->low += ranges->base;
    ranges->high += ranges->base;
    return true;
}

static uint64_t address_at(struct dwarf_file *file,
                           const struct dwarf_unit *unit, uint64_t number)
{
    const struct dwarf_value value = {DWARF_ADDRESS_AT, number};
    uint64_t address;

    return dwarf_address(file, unit, &value, &address) ? address : 0;
}

static bool take_5(struct dwarf_file *file, const struct dwarf_unit *unit,
                   struct dwarf_ranges *ranges, uint64_t kind,
                   struct cursor *from)
{
    bool fixed = kind >= LIST_BASE;
    uint64_t first = fixed ? cfi_fixed(from, 8) : get_number(from);
    uint64_t second = kind == LIST_BASE || kind == LIST_BASE_AT ? 0
                      : kind == LIST_START_END ? cfi_fixed(from, 8)
                                               : get_number(from);

    if ( kind == LIST_OFFSETS )
    {
        first += ranges->base;
        second += ranges->base;
    }
    else if ( kind <= LIST_START_AT_LENGTH )
        first = address_at(file, unit, first);
    if ( kind == LIST_START_AT_END_AT )
        second = address_at(file, unit, second);
    if ( kind == LIST_START_AT_LENGTH || kind == LIST_START_LENGTH )
        second += first;
    if ( kind == LIST_BASE || kind == LIST_BASE_AT )
        ranges->base = first;
    ranges->low = first;
    ranges->high = second;
    return !from->bad;
}

static bool next_5(struct dwarf_file *file, const struct dwarf_unit *unit,
                   struct dwarf_ranges *ranges)
{
    struct cursor from = dwarf_bytes(&file->sections[DWARF_RNGLISTS],
                                     ranges->at, ENTRY_BYTES);
    const uint8_t *begin = from.at;
    uint64_t kind = begin ? cfi_fixed(&from, 1) : LIST_END;

    if ( kind == LIST_END || kind > LIST_START_LENGTH ||
         !take_5(file, unit, ranges, kind, &from) )
        return false;
    ranges->at += (uint64_t)(from.at - begin);
    return true;
}

static bool next(struct dwarf_file *file, const struct dwarf_unit *unit,
                 struct dwarf_ranges *ranges)
{
    switch ( ranges->form )
    {
    case RANGES_ONE: ranges->form = RANGES_DONE; return true;
    case RANGES_4: return next_4(file, ranges);
    case RANGES_5: return next_5(file, unit, ranges);
    default: return false;
    }
}

bool dwarf_ranges_next(struct dwarf_file *file, const struct dwarf_unit *unit,
                       struct dwarf_ranges *ranges)
{
    while ( dwarf_step(file) && next(file, unit, ranges) )
        if ( ranges->low && ranges->low < ranges->high )
            return true;
    ranges->form = RANGES_DONE;
    return false;
}
