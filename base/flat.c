/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts arrays into a buffer and finds them again. */
#include "flat.h"

#define ALIGNMENT 8u

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

bool flat_put(struct buffer *to, const void *items, size_t count, size_t size)
{
    static const uint8_t zeroes[ALIGNMENT];
    size_t bytes = count * size;

    return buffer_append(to, items, bytes) &&
           buffer_append(to, zeroes, aligned(bytes) - bytes);
}

const void *flat_get(struct cursor *from, size_t count, size_t size)
{
    if ( count > cursor_left(from) / size )
    {
        from->bad = true;
        return NULL;
    }
    return get_bytes(from, aligned(count * size));
}
