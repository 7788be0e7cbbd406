/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the sections of a page's data. */
#include "bytes.h"

#include "base/must.h"

#include <string.h>

void bytes_free(struct bytes *bytes)
{
    buffer_free(&bytes->buffer);
    vector_free(&bytes->edges);
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
        struct buffer *place = &planes->place[i].buffer;

        if ( i == planes->used )
            put_zeroes(&planes->place[planes->used++], planes->count);
        must_do(place->used < place->room || buffer_reserve(place, 1));
        place->bytes[place->used++] = (uint8_t)number;
    }
    planes->count++;
}

/* From there on, up to the end, columns by place are. */
static void note_planes(struct bytes *bytes, size_t from)
{
    const size_t count = bytes->edges.count;

    if ( count && bytes->edges.items[count - 1] == from )
        bytes->edges.count--;
    else
        *must(vector_add(&bytes->edges)) = from;
    *must(vector_add(&bytes->edges)) = bytes->buffer.used;
}

void bytes_planes(struct bytes *bytes, struct planes *from)
{
    const size_t begin = bytes->buffer.used;
    uint8_t count[NUMBER_BYTES];
    const size_t size = (size_t)(put_number(count, from->count) - count);

    bytes_number(bytes, size + from->used * from->count);
    bytes_put(bytes, count, size);
    for ( size_t i = 0; i < from->used; i++ )
    {
        bytes_put(bytes, from->place[i].buffer.bytes, from->count);
        bytes_free(&from->place[i]);
    }
    planes_free(from);
    note_planes(bytes, begin);
}

void planes_free(struct planes *planes)
{
    for ( size_t i = 0; i < planes->used; i++ )
        bytes_free(&planes->place[i]);
    *planes = (struct planes){.used = 0};
}
