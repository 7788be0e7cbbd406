/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the sections of a page's data. */
#include "bytes.h"

#include "base/must.h"

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
