/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and headers: sealed, opened, and refused when any bit is wrong. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-block.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static ZSTD_CCtx *pack;
static ZSTD_DCtx *unpack;
static struct buffer raw, block, opened;

/* size bytes of items, sealed after what is in block already. */
static struct session_block_header *seal(size_t size)
{
    size_t before = block.used;

    if ( !pack )
    {
        pack = ZSTD_createCCtx();
        unpack = ZSTD_createDCtx();
    }
    raw.used = 0;
    CHECK(buffer_reserve(&raw, size + 1));
    for ( size_t i = 0; i < size; i++ )
        raw.bytes[i] = (uint8_t)(i * i >> 3);
    raw.used = size;
    CHECK(block_seal(pack, &raw, 7, &block));
    return (void *)(block.bytes + before);
}

static bool open_block(const struct session_block_header *header)
{
    opened.used = 0;
    CHECK(buffer_reserve(&opened, (size_t)header->raw + 1));
    return block_open(unpack, header, header + 1, &opened);
}

static void check_again(struct session_block_header *header)
{
    header->check = session_check(header,
                                  offsetof(struct session_block_header, check));
}

static void end(void)
{
    buffer_free(&raw);
    buffer_free(&block);
    buffer_free(&opened);
}

TEST(a_block_comes_back_whatever_its_size)
{
    static const size_t sizes[] = {0, 1, 1000, 100000, BLOCK_RAW_MAX};

    for ( size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        const struct session_block_header *header;

        block.used = 0;
        header = seal(sizes[i]);
        CHECK(block_header_sound(header));
        CHECK_EQ(header->raw, sizes[i]);
        CHECK_EQ(header->sequence, 7);
        CHECK_EQ(header->stored, block.used - sizeof(*header));
        CHECK(open_block(header));
        CHECK_EQ(opened.used, sizes[i]);
        CHECK(!memcmp(opened.bytes, raw.bytes, sizes[i]));
    }
    end();
}

/* They do not compress: what is stored is longer, but never too long. */
TEST(a_block_of_noise_is_not_too_long_for_a_reader)
{
    const struct session_block_header *header;

    seal(BLOCK_RAW_MAX);
    block.used = 0;
    srandom(1);
    for ( size_t i = 0; i < BLOCK_RAW_MAX; i++ )
        raw.bytes[i] = (uint8_t)(random() >> 8);
    CHECK(block_seal(pack, &raw, 7, &block));
    header = (const void *)block.bytes;
    CHECK(header->stored >= BLOCK_RAW_MAX);
    CHECK(block_header_sound(header));
    CHECK(open_block(header));
    end();
}

TEST(a_block_is_put_behind_what_is_there)
{
    const struct session_block_header *header;

    CHECK(buffer_append(&block, "12345678", 8));
    header = seal(100);
    CHECK(!memcmp(block.bytes, "12345678", 8));
    CHECK(open_block(header));
    end();
}

TEST(a_block_without_memory_is_not_begun)
{
    seal(100);
    buffer_free(&block);
    fail_allocation(1);
    CHECK(!block_seal(pack, &raw, 7, &block));
    CHECK_EQ(fail_allocation(0), 0);
    CHECK_EQ(block.used, 0);
    end();
}

TEST(one_flipped_bit_anywhere_is_noticed)
{
    struct session_block_header *header = seal(1000);

    for ( size_t bit = 0; bit < 8 * block.used; bit++ )
    {
        block.bytes[bit / 8] ^= 1u << bit % 8;
        CHECK(!block_header_sound(header) || !open_block(header));
        block.bytes[bit / 8] ^= 1u << bit % 8;
    }
    CHECK(block_header_sound(header) && open_block(header));
    end();
}

/* Checksums keep accidents out, not somebody who computes them. */
TEST(lengths_that_lie_are_refused)
{
    struct session_block_header *header = seal(1000);

    header->raw = BLOCK_RAW_MAX + 1;
    check_again(header);
    CHECK(!block_header_sound(header));
    header->raw = 1000;
    header->stored += BLOCK_STORED_MAX;
    check_again(header);
    CHECK(!block_header_sound(header));
    header->stored -= BLOCK_STORED_MAX;
    /* Fewer and more bytes than are packed; the sanitizers watch. */
    header->raw = 999;
    CHECK(!open_block(header));
    header->raw = 0;
    CHECK(!open_block(header));
    header->raw = 1001;
    CHECK(!open_block(header));
    /* The rest of the payload is cut off. */
    header->raw = 1000;
    header->stored--;
    header->payload_check = session_check(header + 1, header->stored);
    CHECK(!open_block(header));
    end();
}

TEST(a_file_header_is_checked_too)
{
    struct session_file_header header;
    uint8_t *bytes = (void *)&header;

    file_header_init(&header, 3, 0x1234567890abcdefu);
    CHECK_EQ(header.version, SESSION_VERSION);
    CHECK_EQ(header.number, 3);
    CHECK(file_header_sound(&header));
    for ( size_t bit = 0; bit < 8 * sizeof(header); bit++ )
    {
        bytes[bit / 8] ^= 1u << bit % 8;
        CHECK(!file_header_sound(&header));
        bytes[bit / 8] ^= 1u << bit % 8;
    }
}
