/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes sections of call frame information apart. */
#include "cfi-entry.h"

#define LENGTH_64     0xffffffffu /* a length of 8 bytes follows */
#define LENGTH_RANGE  0xfffffff0u /* lengths from here on mean something else */
#define CIE_ID_EH     0u
#define CIE_ID_DEBUG  0xffffffffu
#define CIE_ID_64     UINT64_MAX
#define ADDRESS_BYTES 8u
#define LETTERS_MAX   16u /* of an augmentation: there are five, and an end */

/* The words before an entry's body. */
struct entry_head {
    uint64_t length;
    uint64_t id;
    size_t id_at; /* in the section */
};

/* .eh_frame of more than 4 GiB, which nobody writes, is not read. */
static bool read_entry_head(const struct cfi_section *section,
                            struct cursor *from, struct entry_head *ret)
{
    size_t width = 4;
    const uint8_t *id_at;

    ret->length = cfi_fixed(from, 4);
    if ( ret->length == LENGTH_64 && section->debug )
    {
        width = 8;
        ret->length = cfi_fixed(from, 8);
    }
    else if ( ret->length >= LENGTH_RANGE )
        return false;
    if ( from->bad || ret->length > cursor_left(from) )
        return false;
    id_at = from->at;
    ret->id_at = (size_t)(id_at - section->bytes);
    if ( ret->length < width )
        return true;
    ret->id = cfi_fixed(from, width);
    from->at = id_at;
    if ( section->debug && width == 4 && ret->id == CIE_ID_DEBUG )
        ret->id = CIE_ID_64;
    return true;
}

/* Takes one entry off.  Returns false at the end, or where nothing can be
 * read.  One that is too short for an entry is nothing but where it lies. */
static bool take_cfi_entry(const struct cfi_section *section,
                           struct cursor *from, struct cfi_entry *ret,
                           bool *too_short)
{
    struct entry_head head = {.length = 0};
    size_t width;

    if ( !cursor_left(from) )
        return false;
    ret->offset = (size_t)(from->at - section->bytes);
    if ( !read_entry_head(section, from, &head) )
        return false;
    width = head.id_at - ret->offset == 4 ? 4 : 8;
    ret->body = (struct cursor){from->at, from->at + head.length, false};
    from->at = ret->body.end;
    *too_short = head.length < width;
    if ( *too_short )
        return true;
    ret->body.at += width;
    if ( section->debug )
    {
        ret->common = head.id == CIE_ID_64;
        ret->cie = head.id;
    }
    else
    {
        ret->common = head.id == CIE_ID_EH;
        ret->cie = head.id_at - head.id;
    }
    return true;
}

bool cfi_next_entry(const struct cfi_section *section, struct cursor *from,
                    struct cfi_entry *ret)
{
    bool too_short;

    /* As the zero that ends a list: linkers put several lists one after
     * another. */
    do
        if ( !take_cfi_entry(section, from, ret, &too_short) )
            return false;
    while ( too_short );
    return true;
}

/* What the letters behind 'z' announce; FDEs have data of some as well. */
static bool read_augmentation(const char *letters, struct cursor *from,
                              struct cfi_cie *ret)
{
    uint64_t length = cfi_unsigned(from);
    struct cursor data = *from;

    if ( !get_bytes(from, length) )
        return false;
    data.end = from->at;
    for ( ; *letters; letters++ )
        switch ( *letters )
        {
        case 'R': ret->encoding = (uint8_t)cfi_fixed(&data, 1); break;
        case 'L': cfi_fixed(&data, 1); break;
        case 'P': cfi_skip_address(&data, (uint8_t)cfi_fixed(&data, 1)); break;
        case 'S': ret->signal = true; break;
        default: return false;
        }
    return !data.bad;
}

/* Only versions that differ in what we read. */
static bool read_version(struct cursor *from, uint64_t *version,
                         const char **letters)
{
    size_t length;

    *version = cfi_fixed(from, 1);
    if ( *version != 1 && *version != 3 && *version != 4 )
        return false;
    *letters = (const char *)from->at;
    length = strnlen(*letters, cursor_left(from) < LETTERS_MAX
                                   ? cursor_left(from)
                                   : LETTERS_MAX);
    return length < LETTERS_MAX && get_bytes(from, length + 1) &&
           (*version < 4 ||
            (cfi_fixed(from, 1) == ADDRESS_BYTES && cfi_fixed(from, 1) == 0));
}

static bool read_common(struct cursor *from, struct cfi_cie *ret)
{
    uint64_t version, return_register;
    const char *letters;

    if ( !read_version(from, &version, &letters) )
        return false;
    *ret = (struct cfi_cie){.encoding = CFI_ABSOLUTE};
    ret->code_factor = cfi_unsigned(from);
    ret->data_factor = cfi_signed(from);
    return_register = version == 1 ? cfi_fixed(from, 1) : cfi_unsigned(from);
    if ( *letters == 'z' )
    {
        ret->augmented = true;
        if ( !read_augmentation(letters + 1, from, ret) )
            return false;
    }
    else if ( *letters )
        return false;
    ret->instructions = *from;
    return !from->bad && return_register == 16 &&
           cfi_encoding_known(ret->encoding) &&
           cursor_left(from) <= CFI_CIE_MAX;
}

bool cfi_read_cie(const struct cfi_section *section, size_t offset,
                  struct cfi_cie *ret)
{
    struct cursor from = {section->bytes, section->bytes + section->size,
                          false};
    struct cfi_entry entry;
    bool too_short;

    /* No further: FDEs may ask for CIEs in turns, and each time is short. */
    return get_bytes(&from, offset) &&
           take_cfi_entry(section, &from, &entry, &too_short) && !too_short &&
           entry.common && read_common(&entry.body, ret);
}

bool cfi_read_fde(const struct cfi_section *section, const struct cfi_cie *cie,
                  const struct cfi_entry *entry, struct cfi_fde *ret)
{
    struct cursor from = entry->body;
    uint64_t length;

    ret->start = cfi_address(section, &from, cie->encoding);
    length = cfi_length(&from, cie->encoding);
    if ( from.bad || !length || length > UINT64_MAX - ret->start )
        return false;
    ret->end = ret->start + length;
    if ( cie->augmented )
    {
        length = cfi_unsigned(&from);
        get_bytes(&from, length);
    }
    ret->instructions = from;
    return !from.bad;
}
