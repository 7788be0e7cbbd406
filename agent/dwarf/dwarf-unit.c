/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf-unit.h"

/* The longest head of a unit; bytes that most entries have less of. */
#define HEAD_BYTES 48u
#define DIE_BYTES  1024u

enum { UNIT_COMPILE = 1, UNIT_TYPE = 2, UNIT_PARTIAL = 3, UNIT_SKELETON = 4 };

/* Length of the head of a table of indirect offsets, where a unit does not say
 * where its part begins. */
static uint64_t table_head(const struct dwarf_unit *unit, unsigned int more)
{
    return (unit->sizes.offset == 8 ? 12 : 4) + 4 + more;
}

static void read_unit_head(struct cursor *from, struct dwarf_unit *unit)
{
    uint64_t type = UNIT_COMPILE;

    unit->sizes.version = (uint8_t)cfi_fixed(from, 2);
    if ( unit->sizes.version >= 5 )
    {
        type = cfi_fixed(from, 1);
        unit->sizes.address = (uint8_t)cfi_fixed(from, 1);
    }
    unit->abbrevs = cfi_fixed(from, unit->sizes.offset);
    if ( unit->sizes.version < 5 )
        unit->sizes.address = (uint8_t)cfi_fixed(from, 1);
    if ( type >= UNIT_SKELETON )
        get_bytes(from, 8); /* its number */
    unit->code = type == UNIT_COMPILE || type == UNIT_PARTIAL;
}

bool dwarf_unit_read(struct dwarf_file *file, uint64_t offset,
                     struct dwarf_unit *ret)
{
    struct cursor from = dwarf_bytes(&file->sections[DWARF_INFO], offset,
                                     HEAD_BYTES);
    const uint8_t *begin = from.at;
    uint64_t length = begin ? cfi_fixed(&from, 4) : 0;

    *ret = (struct dwarf_unit){.offset = offset, .sizes.offset = 4};
    if ( length == UINT32_MAX )
    {
        ret->sizes.offset = 8;
        length = cfi_fixed(&from, 8);
    }
    if ( !dwarf_step(file) || from.bad || !length )
        return false;
    ret->end = offset + (uint64_t)(from.at - begin);
    if ( length > file->sections[DWARF_INFO].size - ret->end )
        return false;
    ret->end += length;
    read_unit_head(&from, ret);
    ret->first = offset + (uint64_t)(from.at - begin);
    if ( ret->sizes.version < 2 || ret->sizes.version > 5 ||
         ret->sizes.address != 8 )
        ret->code = false;
    return !from.bad && ret->first <= ret->end;
}

/* Reads an entry of so many bytes at most; *from is bad if it has more. */
static bool read_die(struct dwarf_file *file, const struct dwarf_unit *unit,
                     struct cursor *from, struct dwarf_die *ret)
{
    const uint8_t *begin = from->at;
    uint64_t code = get_number(from);
    const struct dwarf_abbrev *kind;

    *ret = (struct dwarf_die){.offset = ret->offset};
    kind = code && !from->bad ? dwarf_abbrevs_find(file, code) : NULL;
    if ( code && !kind )
        return false;
    for ( uint32_t i = 0; kind && !from->bad && i < kind->count; i++ )
    {
        const struct dwarf_attribute *attribute =
            &file->abbrevs.attributes.items[kind->first + i];
        struct dwarf_value value;

        if ( !dwarf_step(file) )
            return false;
        value = dwarf_value_read(from, begin, ret->offset, &unit->sizes,
                                 attribute);
        if ( attribute->slot != SLOT_NONE )
            ret->values[attribute->slot] = value;
    }
    if ( kind )
    {
        ret->tag = kind->tag;
        ret->children = kind->children;
    }
    ret->next = ret->offset + (uint64_t)(from->at - begin);
    return true;
}

bool dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
                    uint64_t offset, struct dwarf_die *ret)
{
    for ( size_t want = DIE_BYTES; dwarf_step(file); want *= 64 )
    {
        struct cursor from;

        if ( offset < unit->first || offset >= unit->end )
            return false;
        from = dwarf_bytes(&file->sections[DWARF_INFO], offset, want);
        if ( !from.at )
            return false;
        if ( cursor_left(&from) > unit->end - offset )
            from.end = from.at + (unit->end - offset);
        ret->offset = offset;
        if ( !read_die(file, unit, &from, ret) )
            return false;
        if ( !from.bad )
            return true;
        if ( want >= DWARF_WINDOW_MAX || want >= unit->end - offset )
            return false;
    }
    return false;
}

static uint64_t base_of(const struct dwarf_value *value, uint64_t usual)
{
    return value->class == DWARF_OFFSET || value->class == DWARF_NUMBER
               ? value->number
               : usual;
}

bool dwarf_unit_enter(struct dwarf_file *file, struct dwarf_unit *unit,
                      bool whole, struct dwarf_die *ret)
{
    struct cursor from = dwarf_bytes(&file->sections[DWARF_INFO], unit->first,
                                     NUMBER_BYTES);
    uint64_t code = from.at ? get_number(&from) : 0;
    bool five = unit->sizes.version >= 5;

    if ( !unit->code || !code ||
         !dwarf_abbrevs_read(file, unit->abbrevs, whole ? 0 : code) ||
         !dwarf_die_read(file, unit, unit->first, ret) )
        return false;
    unit->texts = base_of(&ret->values[SLOT_TEXT_BASE],
                          five ? table_head(unit, 0) : 0);
    unit->addresses = base_of(&ret->values[SLOT_ADDRESS_BASE],
                              five ? table_head(unit, 0) : 0);
    unit->lists = base_of(&ret->values[SLOT_LIST_BASE], table_head(unit, 4));
    if ( !dwarf_address(file, unit, &ret->values[SLOT_LOW], &unit->base) )
        unit->base = 0;
    return true;
}

/* Reads number at of a table that begins at base. */
static bool read_table_number(struct dwarf_section *section, uint64_t base,
                              uint64_t at, size_t size, uint64_t *ret)
{
    struct cursor from;

    if ( base > section->size || at >= (section->size - base) / size )
        return false;
    from = dwarf_bytes(section, base + at * size, size);
    if ( !from.at )
        return false;
    *ret = cfi_fixed(&from, size);
    return !from.bad;
}

bool dwarf_address(struct dwarf_file *file, const struct dwarf_unit *unit,
                   const struct dwarf_value *value, uint64_t *ret)
{
    *ret = value->number;
    return value->class == DWARF_ADDRESS ||
           (value->class == DWARF_ADDRESS_AT &&
            read_table_number(&file->sections[DWARF_ADDR], unit->addresses,
                              value->number, 8, ret));
}

bool dwarf_reference(const struct dwarf_unit *unit,
                     const struct dwarf_value *value, uint64_t *ret)
{
    *ret = value->number;
    if ( value->class == DWARF_REFERENCE )
        *ret += unit->offset;
    return value->class == DWARF_REFERENCE ||
           value->class == DWARF_REFERENCE_FAR;
}

bool dwarf_section_text(struct dwarf_section *section, uint64_t at, char *ret,
                        size_t size)
{
    struct cursor from = dwarf_bytes(section, at, size);
    const uint8_t *end;

    if ( !from.at )
        return false;
    if ( cursor_left(&from) < size )
        size = cursor_left(&from);
    end = memchr(from.at, 0, size);
    if ( !end || end == from.at )
        return false;
    memcpy(ret, from.at, (size_t)(end - from.at) + 1);
    return true;
}

bool dwarf_text(struct dwarf_file *file, const struct dwarf_unit *unit,
                const struct dwarf_value *value, char *ret, size_t size)
{
    uint64_t at = value->number;

    switch ( value->class )
    {
    case DWARF_TEXT_HERE:
        return dwarf_section_text(&file->sections[DWARF_INFO], at, ret, size);
    case DWARF_TEXT:
        return dwarf_section_text(&file->sections[DWARF_STR], at, ret, size);
    case DWARF_TEXT_LINE:
        return dwarf_section_text(&file->sections[DWARF_LINE_STR], at, ret,
                                  size);
    case DWARF_TEXT_AT:
        return read_table_number(&file->sections[DWARF_STR_OFFSETS],
                                 unit->texts, at, unit->sizes.offset, &at) &&
               dwarf_section_text(&file->sections[DWARF_STR], at, ret, size);
    default: return false;
    }
}
