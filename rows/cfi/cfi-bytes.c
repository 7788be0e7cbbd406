/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and addresses of call frame information. */
#include "cfi-bytes.h"

/* Halves of DW_EH_PE_*: what is written, and what it counts from. */
enum {
    FORMAT_MASK = 0x0f,
    FORMAT_POINTER = 0x00,
    FORMAT_ULEB = 0x01,
    FORMAT_2 = 0x02,
    FORMAT_4 = 0x03,
    FORMAT_8 = 0x04,
    FORMAT_SLEB = 0x09,
    FORMAT_SIGNED_2 = 0x0a,
    FORMAT_SIGNED_4 = 0x0b,
    FORMAT_SIGNED_8 = 0x0c,
    FROM_MASK = 0x70,
    FROM_NOWHERE = 0x00,
    FROM_HERE = 0x10,
    FROM_ALIGNED = 0x50,
    INDIRECT = 0x80,
    OMITTED = 0xff
};

uint64_t cfi_fixed(struct cursor *from, size_t size)
{
    const uint8_t *bytes = get_bytes(from, size);
    uint64_t value = 0;

    if ( bytes )
        memcpy(&value, bytes, size);
    return value;
}

int64_t cfi_signed(struct cursor *from)
{
    uint64_t value = 0;
    unsigned int shift = 0;
    uint8_t byte;

    do
    {
        byte = (uint8_t)cfi_fixed(from, 1);
        if ( from->bad || shift >= 64 )
        {
            from->bad = true;
            return 0;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ( byte & 0x80 );
    if ( shift < 64 && byte & 0x40 )
        value |= -(uint64_t)1 << shift;
    return (int64_t)value;
}

static uint64_t read_format(struct cursor *from, uint8_t encoding)
{
    switch ( encoding & FORMAT_MASK )
    {
    case FORMAT_POINTER:
    case FORMAT_8:
    case FORMAT_SIGNED_8: return cfi_fixed(from, 8);
    case FORMAT_ULEB: return cfi_unsigned(from);
    case FORMAT_SLEB: return (uint64_t)cfi_signed(from);
    case FORMAT_2: return cfi_fixed(from, 2);
    case FORMAT_4: return cfi_fixed(from, 4);
    case FORMAT_SIGNED_2: return (uint64_t)(int16_t)cfi_fixed(from, 2);
    case FORMAT_SIGNED_4: return (uint64_t)(int32_t)cfi_fixed(from, 4);
    default: from->bad = true; return 0;
    }
}

bool cfi_encoding_known(uint8_t encoding)
{
    static const uint16_t formats = 1 << FORMAT_POINTER | 1 << FORMAT_ULEB |
                                    1 << FORMAT_2 | 1 << FORMAT_4 |
                                    1 << FORMAT_8 | 1 << FORMAT_SLEB |
                                    1 << FORMAT_SIGNED_2 |
                                    1 << FORMAT_SIGNED_4 | 1 << FORMAT_SIGNED_8;
    uint8_t counts_from = encoding & FROM_MASK;

    return !(encoding & INDIRECT) &&
           (counts_from == FROM_NOWHERE || counts_from == FROM_HERE) &&
           formats >> (encoding & FORMAT_MASK) & 1;
}

uint64_t cfi_address(const struct cfi_section *section, struct cursor *from,
                     uint8_t encoding)
{
    uint64_t here = section->address + (uint64_t)(from->at - section->bytes);
    uint64_t value = read_format(from, encoding);

    return (encoding & FROM_MASK) == FROM_HERE ? value + here : value;
}

uint64_t cfi_length(struct cursor *from, uint8_t encoding)
{
    return read_format(from, encoding);
}

void cfi_skip_address(struct cursor *from, uint8_t encoding)
{
    if ( encoding == OMITTED )
        return;
    if ( (encoding & FROM_MASK) == FROM_ALIGNED )
        from->bad = true;
    else
        read_format(from, encoding);
}
