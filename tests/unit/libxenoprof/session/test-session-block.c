/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of blocks and files: refused when any bit is wrong. */
#include <stddef.h>
#include <string.h>

#include "libxenoprof/session/session-block.h"
#include "tests/harness.h"

#define SIZE 1000u

static uint8_t bytes[2][SIZE];
static struct session_block_header header;

static void seal(void)
{
    const struct buffer tables = {bytes[0], SIZE, SIZE};
    const struct buffer samples = {bytes[1], SIZE, SIZE};

    for ( size_t i = 0; i < SIZE; i++ )
    {
        bytes[0][i] = (uint8_t)(i * i >> 3);
        bytes[1][i] = (uint8_t)(i * i >> 4);
    }
    header = (struct session_block_header){.sequence = 7, .samples = 9};
    session_block_seal(&header, &tables, &samples);
}

static bool is_sound(void)
{
    return session_block_sound(&header) &&
           block_tables_are_sound(&header, bytes[0]) &&
           block_samples_are_sound(&header, bytes[1]);
}

static void flip_each_bit(void *at, size_t size)
{
    uint8_t *byte = at;

    for ( size_t bit = 0; bit < 8 * size; bit++ )
    {
        byte[bit / 8] ^= 1u << bit % 8;
        CHECK(!is_sound());
        byte[bit / 8] ^= 1u << bit % 8;
    }
}

TEST(one_flipped_bit_anywhere_is_noticed)
{
    seal();
    CHECK_EQ(session_block_size(&header), 2 * SIZE);
    CHECK(is_sound());
    flip_each_bit(&header, sizeof(header));
    flip_each_bit(bytes, sizeof(bytes));
    CHECK(is_sound());
}

/* Checksums keep accidents out, not somebody who computes them. */
TEST(lengths_that_lie_are_refused)
{
    static const struct {
        size_t at;
        uint32_t most;
    } rows[] = {
        {offsetof(struct session_block_header, tables_size),
         SESSION_SECTION_MAX},
        {offsetof(struct session_block_header, samples_size),
         SESSION_SECTION_MAX},
        {offsetof(struct session_block_header, samples), SESSION_SAMPLES_MAX},
    };

    for ( size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const uint32_t value = rows[i / 2].most + i % 2;

        seal();
        memcpy((uint8_t *)&header + rows[i / 2].at, &value, sizeof(value));
        header.check = session_check(
            &header, offsetof(struct session_block_header, check));
        CHECK_EQ(session_block_sound(&header), i % 2 == 0);
    }
}

TEST(a_file_header_is_checked_too)
{
    struct session_file_header file;
    uint8_t *byte = (void *)&file;

    file_header_init(&file, 3, 0x1234567890abcdefu);
    CHECK_EQ(file.version, SESSION_VERSION);
    CHECK_EQ(file.number, 3);
    CHECK(file_header_sound(&file));
    for ( size_t bit = 0; bit < 8 * sizeof(file); bit++ )
    {
        byte[bit / 8] ^= 1u << bit % 8;
        CHECK(!file_header_sound(&file));
        byte[bit / 8] ^= 1u << bit % 8;
    }
}
