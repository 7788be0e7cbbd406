/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the sections of a page's data. */
#include "bytes.h"

#include "base/must.h"

#include <string.h>

void bytes_free(struct bytes *bytes)
{
    buffer_free(&bytes->buffer);
}

void bytes_put(struct bytes *bytes, const void *data, size_t size)
{
    must_do(buffer_append(&bytes->buffer, data, size));
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
    struct buffer *buffer = &bytes->buffer;

    must_do(buffer_reserve(buffer, NUMBER_BYTES));
    buffer->used = (size_t)(put_number(buffer->bytes + buffer->used, number) -
                            buffer->bytes);
}

void bytes_section(struct bytes *bytes, const struct bytes *from)
{
    bytes_number(bytes, from->buffer.used);
    bytes_put(bytes, from->buffer.bytes, from->buffer.used);
}

static void put_zeroes(struct bytes *bytes, size_t count)
{
    if ( !count )
        return;
    must_do(buffer_reserve(&bytes->buffer, count));
    memset(bytes->buffer.bytes + bytes->buffer.used, 0, count);
    bytes->buffer.used += count;
}

void planes_put(struct planes *planes, uint64_t number)
{
    for ( size_t i = 0; i < planes->used || number; i++, number >>= 8 )
    {
        const uint8_t byte = (uint8_t)number;

        if ( i == planes->used )
            put_zeroes(&planes->place[planes->used++], planes->count);
        bytes_put(&planes->place[i], &byte, 1);
    }
    planes->count++;
}

void bytes_planes(struct bytes *bytes, struct planes *from)
{
    struct bytes column = {.buffer = {NULL, 0, 0}};

    bytes_number(&column, from->count);
    for ( size_t i = 0; i < from->used; i++ )
        bytes_put(&column, from->place[i].buffer.bytes, from->count);
    bytes_section(bytes, &column);
    bytes_free(&column);
    planes_free(from);
}

void planes_free(struct planes *planes)
{
    for ( size_t i = 0; i < planes->used; i++ )
        bytes_free(&planes->place[i]);
    *planes = (struct planes){.used = 0};
}
