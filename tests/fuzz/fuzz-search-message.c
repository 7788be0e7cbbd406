/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a search that a guest has taken over may say to the daemon: packets, of
 * which each begins with its length.
 */
#include <string.h>

#include "daemon/parser/search-wire.h"
#include "fuzz.h"

static void check_text(const char *text, size_t limit)
{
    FUZZ_CHECK(strnlen(text, limit) < limit);
    for ( ; *text; text++ )
        FUZZ_CHECK(*text > ' ' && *text < 0x7f);
}

static void check(const struct search_message *message)
{
    struct message_begin begin;
    struct message_read range;
    struct message_found found;

    FUZZ_CHECK(message->head.size <= MESSAGE_PAYLOAD_MAX);
    if ( message_get_begin(message, &begin) )
        FUZZ_CHECK(message->head.size == sizeof(begin));
    if ( message_get_read(message, &range) )
        FUZZ_CHECK(range.size > 0 && range.size <= SEARCH_READ_MAX);
    if ( !message_get_found(message, &found) )
        return;
    check_text(found.info.release, sizeof(found.info.release));
    check_text(found.info.row_layout, sizeof(found.info.row_layout));
    FUZZ_CHECK(found.info.build_id_length <= sizeof(found.info.build_id));
    FUZZ_CHECK(found.status <= KERNEL_NO_MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct search_message message;
    uint16_t length;

    while ( size >= sizeof(length) )
    {
        memcpy(&length, data, sizeof(length));
        data += sizeof(length);
        size -= sizeof(length);
        if ( length > size )
            length = (uint16_t)size;
        memcpy(&message, data, length);
        if ( message_is_whole(&message, length) )
            check(&message);
        data += length;
        size -= length;
    }
    return 0;
}

static uint8_t *put(uint8_t *at, enum message_kind kind, const void *payload,
                    size_t size)
{
    static struct search_message message;
    uint16_t length;

    message_make(&message, kind, payload, size);
    length = (uint16_t)message_size(&message);
    memcpy(at, &length, sizeof(length));
    memcpy(at + sizeof(length), &message, length);
    return at + sizeof(length) + length;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct message_begin begin = {0xffffffff81000000, 1 << 24, 0};
    const struct message_read range = {0xffffffff81000000, 4096};
    const struct message_found found = {.base = 0xffffffff81000000,
                                        .info = {.release = "6.1.0"}};
    uint8_t *at = bytes;

    if ( number )
        return 0;
    at = put(at, MESSAGE_BEGIN, &begin, sizeof(begin));
    at = put(at, MESSAGE_READ, &range, sizeof(range));
    at = put(at, MESSAGE_IMAGE, "some bytes", 10);
    at = put(at, MESSAGE_FOUND, &found, sizeof(found));
    return (size_t)(at - bytes);
}
