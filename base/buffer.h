/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes in memory: a buffer that grows, the variable-length numbers in it,
 * and a cursor that reads what somebody else wrote.
 *
 * A number is written 7 bits a byte, lowest first; the top bit says that
 * another byte follows.  A signed one is folded first: 0, -1, 1, -2, ...
 */
#ifndef XENOPROF_BASE_BUFFER_H
#define XENOPROF_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NUMBER_BYTES 10u /* the longest number */

struct buffer {
    uint8_t *bytes;
    size_t used;
    size_t room;
};

/* Only for buffer_reserve(), where there is not enough. */
bool buffer_grow(struct buffer *buffer, size_t more);
/* Makes room for more bytes at the end.  Returns false if there is no memory;
 * the buffer is then as before. */
static inline bool buffer_reserve(struct buffer *buffer, size_t more)
{
    return more <= buffer->room - buffer->used || buffer_grow(buffer, more);
}

/* Returns false, and adds nothing, if there is no memory. */
bool buffer_append(struct buffer *buffer, const void *bytes, size_t size);
/* Gives back the room that is not used, as far as it can be. */
void buffer_fit(struct buffer *buffer);
/* An empty buffer is left. */
void buffer_free(struct buffer *buffer);

/* Each returns where the next byte goes; the caller has reserved room. */
static inline uint8_t *put_number(uint8_t *to, uint64_t value)
{
    while ( value >= 0x80 )
    {
        *to++ = value | 0x80;
        value >>= 7;
    }
    *to++ = value;
    return to;
}

static inline uint8_t *put_signed(uint8_t *to, int64_t value)
{
    return put_number(to, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* Reading never goes beyond end; bad says that it would have had to. */
struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
    return cursor->end - cursor->at;
}

/* As get_number(), byte by byte. */
uint64_t get_long_number(struct cursor *cursor);

/* Returns the next number, or 0, and bad, if there is none or it is longer than
 * 64 bits.  A number of up to eight bytes is put together without a branch:
 * how long the next one is, no processor foresees. */
static inline uint64_t get_number(struct cursor *cursor)
{
    uint64_t word, last;

    if ( cursor_left(cursor) < sizeof(word) )
        return get_long_number(cursor);
    memcpy(&word, cursor->at, sizeof(word));
    last = ~word & 0x8080808080808080u;
    if ( !last )
        return get_long_number(cursor);
    cursor->at += (unsigned int)__builtin_ctzll(last) / 8 + 1;
    word &= last ^ (last - 1);
    word &= 0x7f7f7f7f7f7f7f7fu;
    word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
    word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
    return (word & 0x0fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

static inline int64_t get_signed(struct cursor *cursor)
{
    uint64_t value = get_number(cursor);

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Returns the next number, or 0, and bad, if it is above limit. */
static inline uint64_t get_bounded(struct cursor *cursor, uint64_t limit)
{
    uint64_t value = get_number(cursor);

    if ( value <= limit )
        return value;
    cursor->bad = true;
    return 0;
}

/* Returns the next size bytes, or NULL, and bad, if there are not so many. */
const uint8_t *get_bytes(struct cursor *cursor, size_t size);

#endif
