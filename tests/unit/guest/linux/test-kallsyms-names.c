/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packed names: as many as there are, too few, too long, without end. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/kallsyms-names.h"
#include "tests/harness.h"

#define START 0xffffffff82000000ull

static uint8_t *bytes;
static size_t size;
static uint32_t starts[4096]; /* of each name */

static size_t read_bytes(void *self, uint64_t address, void *to, size_t wanted)
{
    uint64_t offset = address - START;

    (void)self;
    if ( offset >= size )
        return 0;
    if ( wanted > size - offset )
        wanted = size - offset;
    memcpy(to, bytes + offset, wanted);
    return wanted;
}

static struct guest_memory memory = {.read = read_bytes};
static struct kallsyms kallsyms;

/* Names of all lengths up to 299, which takes two bytes to say. */
static void begin(uint32_t count)
{
    bytes = calloc(count + 1, 302);
    CHECK(bytes);
    size = 0;
    for ( uint32_t i = 0; i < count; i++ )
    {
        uint32_t length = 1 + i % 299;

        starts[i] = (uint32_t)size;
        bytes[size++] = (uint8_t)(length > 127 ? 0x80 | (length & 127)
                                               : length);
        if ( length > 127 )
            bytes[size++] = (uint8_t)(length >> 7);
        memset(bytes + size, 't', length);
        size += length;
    }
    memory.left = 16 << 20;
    memset(&kallsyms, 0, sizeof(kallsyms));
    kallsyms.count = count;
}

static void end(void)
{
    kallsyms_drop_names(&kallsyms);
    free(bytes);
}

static void put_markers(uint32_t width)
{
    bytes = realloc(bytes, size + 4096);
    CHECK(bytes);
    for ( uint32_t i = 0; i < kallsyms.count; i += KALLSYMS_BLOCK )
    {
        uint64_t marker = starts[i];

        memcpy(bytes + size, &marker, width);
        size += width;
    }
}

/* Many times as long as what is read at once. */
TEST(names_and_where_blocks_start)
{
    begin(4000);
    CHECK(size > 512 << 10);
    CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_OK);
    CHECK_EQ(kallsyms.names_size, size);
    CHECK(!memcmp(kallsyms.names, bytes, size));
    for ( uint32_t i = 0; i < 4000; i += KALLSYMS_BLOCK )
        CHECK_EQ(kallsyms.markers[i / KALLSYMS_BLOCK], starts[i]);
    end();
}

TEST(what_is_read_after_the_names_is_not_kept)
{
    begin(1000);
    kallsyms.count = 600;
    CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_OK);
    CHECK_EQ(kallsyms.names_size, starts[600]);
    end();
}

TEST(fewer_names_than_that_are_none)
{
    begin(1000);
    kallsyms.count = 1001;
    CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_UNKNOWN);
    CHECK(!kallsyms.names && !kallsyms.markers);
    kallsyms.count = 1000;
    bytes[starts[999]] = 0; /* a name without a length */
    CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_UNKNOWN);
    CHECK(!kallsyms.names && !kallsyms.markers);
    end();
}

TEST(a_name_has_a_longest_length)
{
    for ( uint32_t more = 0; more < 2; more++ )
    {
        begin(300);
        bytes[0] = 0xff;
        bytes[1] = (uint8_t)(3 + more);
        kallsyms.count = 1;
        CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START),
                 more ? KERNEL_UNKNOWN : KERNEL_OK);
        end();
    }
}

TEST(names_end_with_the_budget)
{
    begin(4000);
    memory.left = 300 << 10;
    CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_BUDGET);
    CHECK(!kallsyms.names && !kallsyms.markers);
    end();
}

/* A name of 127 letters at each multiple of 128, and no end. */
static size_t read_endless(void *self, uint64_t address, void *to,
                           size_t wanted)
{
    (void)self;
    memset(to, 'a', wanted);
    for ( uint64_t at = -address % 128; at < wanted; at += 128 )
        ((uint8_t *)to)[at] = 127;
    return wanted;
}

TEST(names_without_end_are_given_up)
{
    struct guest_memory endless = {.read = read_endless, .left = 1 << 30};

    kallsyms = (struct kallsyms){.count = 1 << 20};
    CHECK_EQ(kallsyms_read_names(&kallsyms, &endless, START), KERNEL_UNKNOWN);
    CHECK(endless.left > (1u << 30) - (33u << 20));
    CHECK(!kallsyms.names && !kallsyms.markers);
}

TEST(markers_agree_with_the_names)
{
    for ( uint32_t width = 4; width <= 8; width += 4 )
    {
        uint64_t after, at;

        begin(4000);
        at = START + size;
        put_markers(width);
        CHECK_EQ(kallsyms_read_names(&kallsyms, &memory, START), KERNEL_OK);
        CHECK(kallsyms_check_markers(&kallsyms, &memory, at, width, &after));
        CHECK(after == START + size);
        CHECK(!kallsyms_check_markers(&kallsyms, &memory, at, 12 - width,
                                      &after));
        CHECK(
            !kallsyms_check_markers(&kallsyms, &memory, at + 4, width, &after));
        size--; /* the last one is not there as a whole */
        CHECK(!kallsyms_check_markers(&kallsyms, &memory, at, width, &after));
        size++;
        bytes[at - START + 15 * width] ^= 1;
        CHECK(!kallsyms_check_markers(&kallsyms, &memory, at, width, &after));
        end();
    }
}
