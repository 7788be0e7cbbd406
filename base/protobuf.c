/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "protobuf.h"

#include "must.h"
#include "text.h"

#define WIRE_BITS 3

/* A head, a number, and room for so many bytes more. */
static void put_head(struct buffer *message, unsigned int field,
                     enum protobuf_wire wire, uint64_t number, size_t more)
{
    uint8_t *end;

    must_do(buffer_reserve(message, 2 * NUMBER_BYTES + more));
    end = put_number(message->bytes + message->used,
                     (uint64_t)field << WIRE_BITS | wire);
    if ( wire != PROTOBUF_FIXED64 )
        end = put_number(end, number);
    message->used = (size_t)(end - message->bytes);
}

void protobuf_element(struct buffer *message, unsigned int field,
                      uint64_t value)
{
    put_head(message, field, PROTOBUF_NUMBER, value, 0);
}

void protobuf_number(struct buffer *message, unsigned int field, uint64_t value)
{
    if ( value )
        protobuf_element(message, field, value);
}

void protobuf_packed(struct buffer *list, uint64_t value)
{
    if ( list->room - list->used < NUMBER_BYTES )
        must_do(buffer_reserve(list, NUMBER_BYTES));
    list->used = (size_t)(put_number(list->bytes + list->used, value) -
                          list->bytes);
}

void protobuf_fixed64(struct buffer *message, unsigned int field,
                      uint64_t value)
{
    put_head(message, field, PROTOBUF_FIXED64, 0, sizeof(value));
    protobuf_packed64(message, value);
}

void protobuf_packed64(struct buffer *list, uint64_t value)
{
    must_do(buffer_reserve(list, sizeof(value)));
    for ( unsigned int i = 0; i < sizeof(value); i++ )
        list->bytes[list->used++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct buffer *message, unsigned int field,
                      const void *bytes, size_t size)
{
    put_head(message, field, PROTOBUF_BYTES, size, size);
    must_do(buffer_append(message, bytes, size));
}

void protobuf_bytes(struct buffer *message, unsigned int field,
                    const void *bytes, size_t size)
{
    if ( size )
        put_bytes(message, field, bytes, size);
}

/* Returns text, or what it is as UTF-8 in room. */
static const char *valid_text(const char *text, struct buffer *room)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned int length;
    uint32_t code;

    while ( *at && (length = text_utf8(at, &code)) )
        at += length;
    if ( !*at )
        return text;
    for ( at = (const unsigned char *)text; *at; at += length ? length : 1 )
    {
        length = text_utf8(at, &code);
        must_do(length ? buffer_append(room, at, length)
                       : buffer_append(room, "\xef\xbf\xbd", 3));
    }
    must_do(buffer_append(room, "", 1));
    return (const char *)room->bytes;
}

void protobuf_text_element(struct buffer *message, unsigned int field,
                           const char *text)
{
    struct buffer room = {0};
    const char *valid = valid_text(text, &room);

    put_bytes(message, field, valid, strlen(valid));
    buffer_free(&room);
}

void protobuf_text(struct buffer *message, unsigned int field, const char *text)
{
    if ( text && *text )
        protobuf_text_element(message, field, text);
}

void protobuf_message(struct buffer *message, unsigned int field,
                      struct buffer *part)
{
    put_bytes(message, field, part->bytes, part->used);
    part->used = 0;
}

void protobuf_begin(struct buffer *message, unsigned int field, size_t size)
{
    put_head(message, field, PROTOBUF_BYTES, size, 0);
}
