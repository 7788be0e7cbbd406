/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each way of packing, whole, cut off, and with too little room. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/unpack-formats.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

#define SIZE 30000u

static size_t (*const unpackers[FAKE_PACKINGS])(const uint8_t *bytes,
                                                size_t size, uint8_t *to,
                                                size_t room) = {
    [FAKE_GZIP] = unpack_gzip, [FAKE_XZ] = unpack_xz,
    [FAKE_LZMA] = unpack_lzma, [FAKE_ZSTD] = unpack_zstd,
    [FAKE_LZ4] = unpack_lz4,
};

static uint8_t original[SIZE];
static struct fake_part file; /* packed */

static void pack(enum fake_packing packing)
{
    struct fake_part part = {original, SIZE, SIZE, 0};

    fprintf(stderr, "packing %d\n", packing);
    for ( uint32_t i = 0; i < SIZE; i++ )
        original[i] = (uint8_t)(i * i >> 7);
    fake_pack(&part, packing, &file);
    /* What the boot image has behind the kernel: its length. */
    if ( packing == FAKE_LZ4 )
        fake_add(&file, NULL, 4);
}

TEST(each_gives_what_was_packed)
{
    for ( int packing = FAKE_GZIP; packing < FAKE_PACKINGS; packing++ )
    {
        uint8_t *to = malloc(SIZE);

        pack(packing);
        CHECK_EQ(unpackers[packing](file.bytes, file.size, to, SIZE), SIZE);
        CHECK(!memcmp(to, original, SIZE));
        free(file.bytes);
        free(to);
    }
}

/* In memory of just that size, so that a byte behind it is seen. */
TEST(what_needs_more_than_room_is_refused)
{
    for ( int packing = FAKE_GZIP; packing < FAKE_PACKINGS; packing++ )
    {
        uint8_t *to = malloc(SIZE - 1);

        pack(packing);
        CHECK_EQ(unpackers[packing](file.bytes, file.size, to, SIZE - 1), 0);
        free(file.bytes);
        free(to);
    }
}

TEST(what_ends_early_is_refused)
{
    static uint8_t to[SIZE];

    for ( int packing = FAKE_GZIP; packing < FAKE_PACKINGS; packing++ )
    {
        pack(packing);
        for ( size_t size = 4; size < file.size - 12; size += 97 )
        {
            uint8_t *part = malloc(size);

            memcpy(part, file.bytes, size);
            CHECK_EQ(unpackers[packing](part, size, to, SIZE), 0);
            free(part);
        }
        free(file.bytes);
    }
}

/* "abc" nine times, then "xyz", of which a match repeats the last. */
TEST(lz4_matches)
{
    static const char wanted[] = "abcabcabcabcabcabcabcabcabcxyzzzzzz!";
    uint8_t packed[] = {0x02, 0x21, 0x4c, 0x18, 15, 0,    0,  0,
                        0x3f, 'a',  'b',  'c',  3,  0,    5,  0x31,
                        'x',  'y',  'z',  1,    0,  0x10, '!'};
    uint8_t to[64];

    CHECK_EQ(unpack_lz4(packed, sizeof(packed), to, sizeof(to)),
             sizeof(wanted) - 1);
    CHECK(!memcmp(to, wanted, sizeof(wanted) - 1));
    CHECK_EQ(unpack_lz4(packed, sizeof(packed), to, sizeof(wanted) - 2), 0);
    packed[12] = 4; /* from before the start */
    CHECK_EQ(unpack_lz4(packed, sizeof(packed), to, sizeof(to)), 0);
    packed[12] = 0;
    CHECK_EQ(unpack_lz4(packed, sizeof(packed), to, sizeof(to)), 0);
}
