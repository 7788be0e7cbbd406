/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page/page-file.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

TEST(bytes_number_takes_as_few_as_it_needs)
{
    static const struct {
        uint64_t number;
        size_t size;
    } cases[] = {{0, 1},     {127, 1},        {128, 2},
                 {16383, 2}, {UINT32_MAX, 5}, {UINT64_MAX, 10}};

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct bytes bytes = {.buffer = {NULL, 0, 0}};
        uint64_t read = 0;

        bytes_number(&bytes, cases[i].number);
        CHECK_EQ(bytes.buffer.used, cases[i].size);
        for ( size_t at = 0; at < bytes.buffer.used; at++ )
        {
            read |= (uint64_t)(bytes.buffer.bytes[at] & 0x7f) << 7 * at;
            CHECK_EQ(bytes.buffer.bytes[at] >> 7, at + 1 < bytes.buffer.used);
        }
        CHECK(read == cases[i].number);
        bytes_free(&bytes);
    }
}

TEST(bytes_section_says_its_size)
{
    struct bytes bytes = {.buffer = {NULL, 0, 0}},
                 part = {.buffer = {NULL, 0, 0}};

    bytes_section(&bytes, &part);
    bytes_put(&part, "abc", 3);
    bytes_section(&bytes, &part);
    CHECK_EQ(bytes.buffer.used, 5);
    CHECK(!memcmp(bytes.buffer.bytes, "\0\3abc", 5));
    bytes_free(&bytes);
    bytes_free(&part);
}

TEST(bytes_planes_have_each_place_apart)
{
    struct planes planes = {.used = 0};
    struct bytes bytes = {.buffer = {NULL, 0, 0}};

    bytes_planes(&bytes, &planes);
    planes_put(&planes, 1);
    planes_put(&planes, 0x302);
    planes_put(&planes, 0);
    bytes_planes(&bytes, &planes);
    CHECK_EQ(bytes.buffer.used, 10);
    CHECK(!memcmp(bytes.buffer.bytes, "\1\0\7\3\1\2\0\0\3\0", 10));
    CHECK_EQ(planes.count, 0);
    planes_put(&planes, UINT64_MAX);
    CHECK_EQ(planes.used, 8);
    planes_free(&planes);
    bytes_free(&bytes);
}

static int digit(char letter)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = letter ? strchr(digits, letter) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Back from base64, in place. */
static size_t decode(char *text)
{
    unsigned char *to = (unsigned char *)text;
    uint32_t word = 0;
    unsigned int bits = 0;

    for ( const char *at = text; digit(*at) >= 0; at++ )
    {
        word = word << 6 | (uint32_t)digit(*at);
        bits += 6;
        if ( bits >= 8 )
            *to++ = (unsigned char)(word >> (bits -= 8));
    }
    return (size_t)(to - (unsigned char *)text);
}

/* So many bytes of columns by place, with what is none between them: these are
 * packed in another way. */
static void put_some_planes(struct bytes *bytes, size_t size)
{
    struct planes planes = {.used = 0};
    const size_t before = bytes->buffer.used;

    if ( size < 64 )
    {
        while ( bytes->buffer.used < before + size )
            bytes_number(bytes, 1);
        return;
    }
    for ( size_t i = 0; i < size / 4; i++ )
        planes_put(&planes, i * 7919 % 300);
    bytes_planes(bytes, &planes);
    bytes_planes(bytes, &planes);
    bytes_number(bytes, 5);
    for ( size_t i = 0; i < size / 8; i++ )
        planes_put(&planes, i % 256);
    bytes_planes(bytes, &planes);
    CHECK_EQ(bytes->edges.count, 4);
    while ( bytes->buffer.used < before + size )
        bytes_number(bytes, 3);
}

static void check_packed(size_t size)
{
    struct bytes bytes = {.buffer = {NULL, 0, 0}};
    unsigned char *back = malloc(size + 1);
    z_stream stream = {.next_out = back, .avail_out = (unsigned int)size + 1};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    CHECK(back && file);
    for ( size_t i = 0; i < size - size / 3; i++ )
        bytes_number(&bytes, (i * i * 2654435761u) >> 13 & 0x7f);
    put_some_planes(&bytes, size / 3);
    CHECK_EQ(bytes.buffer.used, size);
    page_file_put_data(&bytes, file);
    CHECK(!fclose(file));
    CHECK_EQ(length % 4, 0);
    stream.avail_in = (unsigned int)decode(text);
    stream.next_in = (unsigned char *)text;
    CHECK_EQ(inflateInit2(&stream, -15), Z_OK);
    CHECK_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    CHECK_EQ(stream.total_out, size);
    CHECK(!size || !memcmp(back, bytes.buffer.bytes, size));
    inflateEnd(&stream);
    bytes_free(&bytes);
    free(back);
    free(text);
}

TEST(bytes_packed_can_be_unpacked)
{
    for ( size_t size = 0; size < 10; size++ )
        check_packed(size);
    check_packed(100000);
    check_packed(1000003);
}
