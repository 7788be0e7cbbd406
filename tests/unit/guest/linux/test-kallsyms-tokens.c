/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens and their index, which prove each other; lengths; expanding. */
#include <stdio.h>
#include <string.h>

#include "guest/linux/kallsyms-tokens.h"
#include "tests/harness.h"

#define START 0xffffffff82000000ull
#define SIZE  16384u

static uint8_t bytes[SIZE];
static struct kallsyms_tokens tokens;
static uint64_t index_at; /* where it was put */

static size_t read_bytes(void *self, uint64_t address, void *to, size_t size)
{
    uint64_t offset = address - START;

    (void)self;
    if ( offset >= SIZE )
        return 0;
    if ( size > SIZE - offset )
        size = SIZE - offset;
    memcpy(to, bytes + offset, size);
    return size;
}

static struct guest_memory memory = {.read = read_bytes};

/* Puts tokens of this length at offset 64, but for characters that stand for
 * themselves, and their index behind them. */
static void begin(uint32_t length, uint32_t alignment)
{
    char *at = (char *)bytes + 64;
    uint16_t index[256];

    memset(bytes, 0xee, sizeof(bytes));
    memory.left = 1 << 20;
    for ( int i = 0; i < 256; i++ )
    {
        index[i] = (uint16_t)(at - ((char *)bytes + 64));
        if ( i >= '0' && i <= '9' )
            at += sprintf(at, "%c", i) + 1;
        else
            at += sprintf(at, "%0*d", (int)length, i) + 1;
    }
    index_at = tokens_align(START + (uint64_t)(at - (char *)bytes), alignment);
    memcpy(bytes + (index_at - START), index, sizeof(index));
}

TEST(strings_and_their_index_are_read)
{
    static const uint32_t lengths[] = {3, 10, 29};

    for ( unsigned int i = 0; i < 3; i++ )
        for ( uint32_t alignment = 4; alignment <= 8; alignment += 4 )
        {
            begin(lengths[i], alignment);
            CHECK(tokens_read(&memory, START + 64, &tokens));
            CHECK_TEXT(tokens.table + tokens.index['7'], "7");
            CHECK_EQ(strlen(tokens.table + tokens.index[255]), lengths[i]);
            CHECK(!tokens_read(&memory, START + 60, &tokens));
            CHECK(tokens_read_before(&memory, index_at, &tokens) == START + 64);
            CHECK(!tokens_read_before(&memory, index_at + 2, &tokens));
        }
}

/* Each proves the other. */
TEST(an_index_of_other_strings_is_refused)
{
    begin(5, 8);
    bytes[index_at - START + 101] ^= 1;
    CHECK(!tokens_read(&memory, START + 64, &tokens));
    CHECK(!tokens_read_before(&memory, index_at, &tokens));
    begin(5, 8);
    bytes[64] = 'x'; /* some other letter */
    CHECK(tokens_read(&memory, START + 64, &tokens));
    bytes[64 + 6 * '0' + 2 * 4] = 'x'; /* the token of digit 4 */
    CHECK(!tokens_read(&memory, START + 64, &tokens));
}

TEST(strings_that_do_not_end_are_refused)
{
    begin(40, 8); /* more than any kernel has */
    CHECK(!tokens_read(&memory, START + 64, &tokens));
    begin(3, 8);
    CHECK(!tokens_read(&memory, START + SIZE - 1000, &tokens));
    memory.left = 1000;
    CHECK(!tokens_read(&memory, START + 64, &tokens));
}

TEST(lengths_have_one_byte_or_two)
{
    static const struct {
        uint8_t bytes[2];
        uint32_t head, length;
    } known[] = {{{1, 0}, 1, 1},      {{0x7f, 0xff}, 1, 127},
                 {{0x80, 1}, 2, 128}, {{0xff, 3}, 2, 511},
                 {{0x81, 0}, 2, 1},   {{0, 1}, 0, 0},
                 {{0x80, 0}, 0, 0},   {{0x80, 0x80}, 0, 0}};
    uint32_t length;

    for ( unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
    {
        const uint8_t *at = known[i].bytes;

        CHECK_EQ(tokens_length(at, at + 2, &length), known[i].head);
        if ( known[i].head )
            CHECK_EQ(length, known[i].length);
        CHECK_EQ(tokens_length(at, at + 1, &length),
                 known[i].head == 1 ? 1 : 0);
        CHECK_EQ(tokens_length(at, at, &length), 0);
    }
}

TEST(names_are_expanded_up_to_a_limit)
{
    static uint8_t name[KALLSYMS_NAME_MAX];
    char to[KALLSYMS_NAME_MAX];

    begin(3, 8);
    CHECK(tokens_read(&memory, START + 64, &tokens));
    name[0] = '1';
    name[1] = 255;
    CHECK(tokens_expand(&tokens, name, 2, to));
    CHECK_TEXT(to, "1255");
    /* A type without a name. */
    CHECK(!tokens_expand(&tokens, name, 1, to));
    CHECK(!tokens_expand(&tokens, name, 0, to));
    memset(name, '5', sizeof(name));
    CHECK(tokens_expand(&tokens, name, KALLSYMS_NAME_MAX - 1, to));
    CHECK_EQ(strlen(to), KALLSYMS_NAME_MAX - 1);
    CHECK(!tokens_expand(&tokens, name, KALLSYMS_NAME_MAX, to));
    name[0] = 255; /* three letters instead of one */
    CHECK(!tokens_expand(&tokens, name, KALLSYMS_NAME_MAX - 2, to));
}
