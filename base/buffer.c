/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How buffers grow: twice the room, so that appending is cheap on average. */
#include <stdlib.h>
#include <string.h>

#include "buffer.h"

bool buffer_grow(struct buffer *buffer, size_t more)
{
    size_t room = buffer->room ? buffer->room : 4096;
    uint8_t *bytes;

    if ( more > SIZE_MAX / 4 - buffer->used )
        return false;
    while ( room - buffer->used < more )
        room *= 2;
    bytes = realloc(buffer->bytes, room);
    if ( !bytes )
        return false;
    buffer->bytes = bytes;
    buffer->room = room;
    return true;
}

bool buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if ( !buffer_reserve(buffer, size) )
        return false;
    if ( size )
        memcpy(buffer->bytes + buffer->used, bytes, size);
    buffer->used += size;
    return true;
}

void buffer_fit(struct buffer *buffer)
{
    uint8_t *bytes = buffer->used ? realloc(buffer->bytes, buffer->used) : NULL;

    if ( !bytes )
        return;
    buffer->bytes = bytes;
    buffer->room = buffer->used;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){NULL, 0, 0};
}

const uint8_t *get_bytes(struct cursor *cursor, size_t size)
{
    const uint8_t *bytes = cursor->at;

    if ( size > cursor_left(cursor) )
    {
        cursor->bad = true;
        return NULL;
    }
    cursor->at += size;
    return bytes;
}

uint64_t get_long_number(struct cursor *cursor)
{
    uint64_t value = 0;

    for ( unsigned int shift = 0; shift < 64; shift += 7 )
    {
        uint8_t byte;

        if ( cursor->at == cursor->end )
            break;
        byte = *cursor->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ( shift == 63 && byte > 1 )
            break;
        if ( byte < 0x80 )
            return value;
    }
    cursor->bad = true;
    return 0;
}
