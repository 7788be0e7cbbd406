/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf-abbrevs.h"

#include "dwarf-data.h"
#include "rows/cfi/cfi-bytes.h"

/* Compilers write hundreds. */
#define KINDS_MAX      65536u
#define ATTRIBUTES_MAX (1u << 18)

/* Bytes that one kind takes at most, but for one that means harm. */
#define KIND_BYTES 4096u

static const struct {
    uint16_t number; /* DW_AT_* */
    uint8_t slot;
} slots[] =
    {
        {0x01, SLOT_SIBLING},        {0x03, SLOT_NAME},
        {0x10, SLOT_LINES},          {0x11, SLOT_LOW},
        {0x12, SLOT_HIGH},           {0x1b, SLOT_FOLDER},
        {0x31, SLOT_ORIGIN},         {0x47, SLOT_SPECIFICATION},
        {0x55, SLOT_RANGES},         {0x58, SLOT_CALL_FILE},
        {0x59, SLOT_CALL_LINE},      {0x6e, SLOT_LINKAGE},
        {0x72, SLOT_TEXT_BASE},      {0x73, SLOT_ADDRESS_BASE},
        {0x74, SLOT_LIST_BASE},      {0x2007, SLOT_LINKAGE},
        {0x2133, SLOT_ADDRESS_BASE}, /* DW_AT_GNU_addr_base */
};

static uint8_t attribute_slot(uint64_t number)
{
    for ( size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++ )
        if ( slots[i].number == number )
            return slots[i].slot;
    return SLOT_NONE;
}

/* Reads the attributes of one kind.  Returns false if there are too many. */
static bool read_attributes(struct dwarf_file *file, struct cursor *from,
                            struct dwarf_abbrev *kind)
{
    struct dwarf_abbrevs *abbrevs = &file->abbrevs;

    for ( ;; )
    {
        uint64_t number = get_number(from), form = get_number(from);
        int64_t constant = form == FORM_IMPLICIT_CONST ? cfi_signed(from) : 0;
        struct dwarf_attribute *added;

        if ( from->bad || (!number && !form) )
            return true;
        if ( !dwarf_step(file) || form > UINT16_MAX ||
             abbrevs->attributes.count >= ATTRIBUTES_MAX ||
             !(added = vector_add(&abbrevs->attributes)) )
            return false;
        *added = (struct dwarf_attribute){constant, (uint16_t)form,
                                          attribute_slot(number)};
        kind->count++;
    }
}

/* Reads the kind that is there; its code is 0 behind the last.  Returns how
 * many bytes it has, 0 if it makes no sense. */
static size_t read_kind(struct dwarf_file *file, uint64_t at, size_t want,
                        struct dwarf_abbrev *ret)
{
    struct cursor from = dwarf_bytes(&file->sections[DWARF_ABBREV], at, want);
    const uint8_t *begin = from.at;
    const uint8_t *children;
    size_t first = file->abbrevs.attributes.count;

    *ret = (struct dwarf_abbrev){.first = (uint32_t)first};
    if ( !begin )
        return 0;
    ret->code = get_number(&from);
    if ( ret->code )
    {
        ret->tag = (uint32_t)get_number(&from);
        children = get_bytes(&from, 1);
        ret->children = children && *children;
        if ( !children || !read_attributes(file, &from, ret) )
            return 0;
    }
    if ( !from.bad )
        return (size_t)(from.at - begin);
    file->abbrevs.attributes.count = first;
    return want < DWARF_WINDOW_MAX ? read_kind(file, at, want * 32, ret) : 0;
}

static bool read_abbrevs(struct dwarf_file *file, uint64_t offset,
                         uint64_t until)
{
    struct dwarf_abbrevs *abbrevs = &file->abbrevs;
    struct dwarf_abbrev kind, *added;
    size_t size;

    do
    {
        size = read_kind(file, offset, KIND_BYTES, &kind);
        if ( !size || !dwarf_step(file) || abbrevs->kinds.count >= KINDS_MAX )
            return false;
        offset += size;
        if ( !kind.code )
            break;
        added = vector_add(&abbrevs->kinds);
        if ( !added )
            return false;
        *added = kind;
    } while ( kind.code != until );
    abbrevs->whole = !kind.code;
    return true;
}

bool dwarf_abbrevs_read(struct dwarf_file *file, uint64_t offset,
                        uint64_t until)
{
    struct dwarf_abbrevs *abbrevs = &file->abbrevs;

    if ( abbrevs->whole && abbrevs->offset == offset )
        return true;
    abbrevs->offset = offset;
    abbrevs->whole = false;
    abbrevs->kinds.count = abbrevs->attributes.count = 0;
    return read_abbrevs(file, offset, until);
}

/* Compilers number them from 1 on. */
const struct dwarf_abbrev *dwarf_abbrevs_find(struct dwarf_file *file,
                                              uint64_t code)
{
    const struct dwarf_abbrevs *abbrevs = &file->abbrevs;

    if ( code - 1 < abbrevs->kinds.count &&
         abbrevs->kinds.items[code - 1].code == code )
        return &abbrevs->kinds.items[code - 1];
    for ( size_t i = 0; i < abbrevs->kinds.count && dwarf_step(file); i++ )
        if ( abbrevs->kinds.items[i].code == code )
            return &abbrevs->kinds.items[i];
    return NULL;
}

void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
    vector_free(&abbrevs->kinds);
    vector_free(&abbrevs->attributes);
}
