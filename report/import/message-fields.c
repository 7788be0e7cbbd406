/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "message-fields.h"

/* The lowest three bits of a field's tag. */
enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5
};

static bool take_bytes(struct cursor *from, uint64_t size, struct cursor *ret)
{
    const uint8_t *bytes;

    if ( size > cursor_left(from) )
    {
        from->bad = true;
        return false;
    }
    bytes = get_bytes(from, (size_t)size);
    *ret = (struct cursor){bytes, bytes + size, false};
    return true;
}

static bool take_fixed(struct cursor *from, size_t size, uint64_t *ret)
{
    const uint8_t *bytes = get_bytes(from, size);

    *ret = 0;
    for ( size_t i = 0; bytes && i < size; i++ )
        *ret |= (uint64_t)bytes[i] << (8 * i);
    return bytes;
}

bool message_next(struct cursor *from, struct message_field *ret)
{
    uint64_t tag;

    if ( from->bad || !cursor_left(from) )
        return false;
    tag = get_number(from);
    *ret = (struct message_field){.number = (uint32_t)(tag >> 3)};
    if ( tag >> 3 > UINT32_MAX >> 3 || !(tag >> 3) )
        from->bad = true;
    if ( from->bad )
        return false;
    switch ( tag & 7 )
    {
    case WIRE_VARINT: ret->value = get_number(from); return !from->bad;
    case WIRE_FIXED64: return take_fixed(from, 8, &ret->value);
    case WIRE_FIXED32: return take_fixed(from, 4, &ret->value);
    case WIRE_BYTES:
        ret->is_bytes = true;
        return take_bytes(from, get_number(from), &ret->bytes);
    default: from->bad = true; return false;
    }
}

bool message_next_number(struct message_field *field, uint64_t *ret)
{
    if ( field->is_bytes )
    {
        if ( !cursor_left(&field->bytes) )
            return false;
        *ret = get_number(&field->bytes);
        return !field->bytes.bad;
    }
    *ret = field->value;
    field->is_bytes = true; /* and no bytes: nothing more */
    field->bytes = (struct cursor){NULL, NULL, false};
    return true;
}
