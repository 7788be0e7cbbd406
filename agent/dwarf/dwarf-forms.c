/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of DWARF 2 to 5, and GNU's. */
#include "dwarf-forms.h"

/* How long a value is: so many bytes up to 16, or */
enum {
    LONG_UNKNOWN = 0,
    LONG_ADDRESS = 0x20, /* as an address of the unit */
    LONG_OFFSET,         /* as an offset of the unit */
    LONG_REF_ADDR,       /* as an offset, in version 2 as an address */
    LONG_ULEB,
    LONG_SLEB,
    LONG_TEXT,         /* up to a zero */
    LONG_FLAG,         /* no bytes: it says 1 */
    LONG_BLOCK = 0x40, /* as a length of so many bytes before it says */
    LONG_BLOCK_ULEB = LONG_BLOCK
};

#define FORM_INDIRECT 0x16

static const struct form {
    uint8_t length, class;
} form_classes[] = {
    [0x01] = {LONG_ADDRESS, DWARF_ADDRESS},
    [0x03] = {LONG_BLOCK + 2, DWARF_NOTHING},
    [0x04] = {LONG_BLOCK + 4, DWARF_NOTHING},
    [0x05] = {2, DWARF_NUMBER},
    [0x06] = {4, DWARF_NUMBER},
    [0x07] = {8, DWARF_NUMBER},
    [0x08] = {LONG_TEXT, DWARF_TEXT_HERE},
    [0x09] = {LONG_BLOCK_ULEB, DWARF_NOTHING},
    [0x0a] = {LONG_BLOCK + 1, DWARF_NOTHING},
    [0x0b] = {1, DWARF_NUMBER},
    [0x0c] = {1, DWARF_NUMBER},
    [0x0d] = {LONG_SLEB, DWARF_NUMBER},
    [0x0e] = {LONG_OFFSET, DWARF_TEXT},
    [0x0f] = {LONG_ULEB, DWARF_NUMBER},
    [0x10] = {LONG_REF_ADDR, DWARF_REFERENCE_FAR},
    [0x11] = {1, DWARF_REFERENCE},
    [0x12] = {2, DWARF_REFERENCE},
    [0x13] = {4, DWARF_REFERENCE},
    [0x14] = {8, DWARF_REFERENCE},
    [0x15] = {LONG_ULEB, DWARF_REFERENCE},
    [0x17] = {LONG_OFFSET, DWARF_OFFSET},
    [0x18] = {LONG_BLOCK_ULEB, DWARF_NOTHING},
    [0x19] = {LONG_FLAG, DWARF_NUMBER},
    [0x1a] = {LONG_ULEB, DWARF_TEXT_AT},
    [0x1b] = {LONG_ULEB, DWARF_ADDRESS_AT},
    [0x1c] = {4, DWARF_NOTHING},           /* in another file */
    [0x1d] = {LONG_OFFSET, DWARF_NOTHING}, /* the same */
    [0x1e] = {16, DWARF_NOTHING},
    [0x1f] = {LONG_OFFSET, DWARF_TEXT_LINE},
    [0x20] = {8, DWARF_NOTHING},
    [0x22] = {LONG_ULEB, DWARF_NOTHING},
    [0x23] = {LONG_ULEB, DWARF_LIST_AT},
    [0x24] = {8, DWARF_NOTHING},
    [0x25] = {1, DWARF_TEXT_AT},
    [0x26] = {2, DWARF_TEXT_AT},
    [0x27] = {3, DWARF_TEXT_AT},
    [0x28] = {4, DWARF_TEXT_AT},
    [0x29] = {1, DWARF_ADDRESS_AT},
    [0x2a] = {2, DWARF_ADDRESS_AT},
    [0x2b] = {3, DWARF_ADDRESS_AT},
    [0x2c] = {4, DWARF_ADDRESS_AT},
};

static struct form form_of(uint64_t number)
{
    if ( number < sizeof(form_classes) / sizeof(form_classes[0]) )
        return form_classes[number];
    switch ( number )
    {
    case 0x1f01: return (struct form){LONG_ULEB, DWARF_ADDRESS_AT};
    case 0x1f02: return (struct form){LONG_ULEB, DWARF_TEXT_AT};
    case 0x1f20: /* in another file, as the next */
    case 0x1f21: return (struct form){LONG_OFFSET, DWARF_NOTHING};
    default: return (struct form){LONG_UNKNOWN, DWARF_NOTHING};
    }
}

static void skip(struct cursor *from, uint64_t size)
{
    if ( size > cursor_left(from) )
        from->bad = true;
    else
        from->at += size;
}

static void skip_text(struct cursor *from)
{
    const uint8_t *end = from->bad ? NULL
                                   : memchr(from->at, 0, cursor_left(from));

    if ( end )
        from->at = end + 1;
    else
        from->bad = true;
}

static uint64_t read_length(struct cursor *from, uint8_t length,
                            const struct dwarf_sizes *sizes)
{
    switch ( length )
    {
    case LONG_ADDRESS: return cfi_fixed(from, sizes->address);
    case LONG_OFFSET: return cfi_fixed(from, sizes->offset);
    case LONG_REF_ADDR:
        return cfi_fixed(from,
                         sizes->version < 3 ? sizes->address : sizes->offset);
    case LONG_ULEB: return get_number(from);
    case LONG_SLEB: return (uint64_t)cfi_signed(from);
    case LONG_TEXT: skip_text(from); return 0;
    case LONG_FLAG: return 1;
    case LONG_BLOCK_ULEB: skip(from, get_number(from)); return 0;
    case LONG_UNKNOWN: from->bad = true; return 0;
    default: break;
    }
    if ( length > LONG_BLOCK )
        skip(from, cfi_fixed(from, length - LONG_BLOCK));
    else if ( length > 8 )
        skip(from, length);
    else
        return cfi_fixed(from, length);
    return 0;
}

struct dwarf_value dwarf_value_read(struct cursor *from, const uint8_t *begin,
                                    uint64_t start,
                                    const struct dwarf_sizes *sizes,
                                    const struct dwarf_attribute *attribute)
{
    uint64_t number = attribute->form;
    uint64_t here;
    struct form form;

    if ( number == FORM_IMPLICIT_CONST )
        return (struct dwarf_value){DWARF_NUMBER,
                                    (uint64_t)attribute->constant};
    if ( number == FORM_INDIRECT )
        number = get_number(from);
    form = form_of(number);
    if ( form.class == DWARF_TEXT_HERE )
    {
        here = start + (uint64_t)(from->at - begin);
        skip_text(from);
        return (struct dwarf_value){DWARF_TEXT_HERE, here};
    }
    number = read_length(from, form.length, sizes);
    return (struct dwarf_value){(enum dwarf_class)form.class, number};
}
