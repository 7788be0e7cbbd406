/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CHUNK 49152u /* a multiple of 3: no padding but at the end */

/* zlib's window for deflate without a header. */
#define RAW_WINDOW (-15)

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
}

static bool make_room(struct bytes *bytes, size_t size)
{
    size_t room = bytes->room ? bytes->room : 4096;
    unsigned char *data;

    if ( bytes->broken || size <= bytes->room - bytes->size )
        return !bytes->broken;
    while ( room - bytes->size < size )
        room *= 2;
    data = realloc(bytes->data, room);
    if ( !data )
    {
        bytes->broken = true;
        return false;
    }
    bytes->data = data;
    bytes->room = room;
    return true;
}

void bytes_put(struct bytes *bytes, const void *data, size_t size)
{
    if ( !size || !make_room(bytes, size) )
        return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
    if ( !make_room(bytes, 10) )
        return;
    for ( ; number >= 0x80; number >>= 7 )
        bytes->data[bytes->size++] = (unsigned char)(number | 0x80);
    bytes->data[bytes->size++] = (unsigned char)number;
}

void bytes_section(struct bytes *bytes, const struct bytes *from)
{
    bytes_number(bytes, from->size);
    bytes_put(bytes, from->data, from->size);
    if ( from->broken )
        bytes->broken = true;
}

static void put_base64(const unsigned char *data, size_t size, FILE *file)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for ( size_t i = 0; i < size; i += 3 )
    {
        uint32_t word = (uint32_t)data[i] << 16;
        char four[] = "====";

        if ( i + 1 < size )
            word |= (uint32_t)data[i + 1] << 8;
        if ( i + 2 < size )
            word |= data[i + 2];
        four[0] = digits[word >> 18];
        four[1] = digits[word >> 12 & 63];
        if ( i + 1 < size )
            four[2] = digits[word >> 6 & 63];
        if ( i + 2 < size )
            four[3] = digits[word & 63];
        fwrite(four, 1, 4, file);
    }
}

bool bytes_put_packed(const struct bytes *bytes, FILE *file)
{
    z_stream stream = {.next_in = bytes->data,
                       .avail_in = (unsigned int)bytes->size};
    unsigned char *chunk = bytes->broken ? NULL : malloc(CHUNK);
    int code;

    if ( !chunk || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED,
                                RAW_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK )
    {
        free(chunk);
        return false;
    }
    do
    {
        stream.next_out = chunk;
        stream.avail_out = CHUNK;
        code = deflate(&stream, Z_FINISH);
        put_base64(chunk, CHUNK - stream.avail_out, file);
    } while ( code == Z_OK );
    deflateEnd(&stream);
    free(chunk);
    return code == Z_STREAM_END;
}
