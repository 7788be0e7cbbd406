/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads within a budget, and what is kept of them. */
#include <string.h>

#include "guest/memory.h"
#include "tests/harness.h"

#define START 0x10000u
#define SIZE  (3 * NEAR_GROUP / 2) /* half a group is not there */

static struct {
    unsigned int reads;
    uint64_t bytes; /* that were asked for */
    uint8_t add;    /* to all bytes: memory changes */
} far;

static uint8_t far_byte(uint64_t address)
{
    return (uint8_t)(address * 7 + (address >> 8) + far.add);
}

static size_t read_far(void *self, uint64_t address, void *to, size_t size)
{
    uint8_t *bytes = to;
    size_t got = 0;

    CHECK(self == &far);
    far.reads++;
    far.bytes += size;
    for ( ; got < size && address >= START && address < START + SIZE; got++ )
        bytes[got] = far_byte(address++);
    return got;
}

static struct near_memory near;
static struct guest_memory memory = {
    .read = read_far, .self = &far, .near = &near};

static bool is_right(uint64_t address, size_t size, size_t expected)
{
    uint8_t bytes[2 * NEAR_GROUP];
    size_t got = guest_memory_read(&memory, address, bytes, size);

    for ( size_t i = 0; i < got && got == expected; i++ )
        if ( bytes[i] != far_byte(address + i) )
            return false;
    return got == expected;
}

static void begin(void)
{
    far.reads = 0;
    far.bytes = 0;
    far.add = 0;
    memory.left = 1 << 20;
    near_forget(&near);
}

/* The first place alone, then all that is near. */
TEST(near_reads_are_two)
{
    begin();
    for ( uint64_t at = 0; at + 4 <= NEAR_GROUP; at += 4 )
        CHECK(is_right(START + at, 4, 4));
    CHECK_EQ(far.reads, 2);
    CHECK_EQ(far.bytes, 4 + NEAR_GROUP);
    CHECK(is_right(START, NEAR_GROUP, NEAR_GROUP));
    CHECK_EQ(far.reads, 2);
}

/* Only as much is read as is taken off the budget, and for a single place of a
 * group only what is asked for. */
TEST(near_reads_are_counted)
{
    const uint64_t budget = 3 * NEAR_GROUP;

    begin();
    memory.left = budget;
    for ( uint64_t at = 0; at < 8; at++ )
        is_right(START + at * NEAR_GROUP, 64, 64);
    CHECK_EQ(far.bytes, 8 * 64);
    CHECK_EQ(budget - memory.left, far.bytes);
    CHECK(is_right(START + 100, 4, 4));
    CHECK_EQ(far.bytes, 8 * 64 + NEAR_GROUP);
    CHECK_EQ(budget - memory.left, far.bytes);
    /* Bytes that are there already count as work too. */
    CHECK(is_right(START + 200, 4, 4));
    CHECK_EQ(budget - memory.left, far.bytes + 4);
    CHECK(is_right(START + NEAR_GROUP + 100, 4, 4));
    CHECK(is_right(START + 2 * NEAR_GROUP + 100, 4, 0));
    CHECK_EQ(memory.left, 0);
    CHECK(far.bytes <= budget);
    CHECK(is_right(START + 200, 4, 0));
}

TEST(near_edges)
{
    begin();
    /* Across two groups, and more than one holds. */
    CHECK(is_right(START + NEAR_GROUP - 2, 4, 4));
    CHECK(is_right(START, SIZE, SIZE));
    /* Where it ends, and where there is nothing. */
    CHECK(is_right(START + SIZE - 8, 8, 8));
    CHECK(is_right(START + SIZE - 8, 16, 8));
    CHECK(is_right(START + SIZE, 4, 0));
    CHECK(is_right(START - 4, 4, 0));
    CHECK(is_right(~0ul - 1, 2, 0));
}

/* More groups than are kept: the oldest goes. */
TEST(near_many_groups)
{
    begin();
    for ( unsigned int i = 0; i < 2; i++ )
        CHECK(is_right(START, 4, 4));
    for ( unsigned int i = 1; i < NEAR_GROUPS; i++ )
        is_right(i * (uint64_t)NEAR_GROUP << 32, 1, 0);
    far.reads = 0;
    CHECK(is_right(START, 4, 4));
    CHECK_EQ(far.reads, 0);
    for ( unsigned int i = 0; i < 2; i++ )
        CHECK(is_right(START + NEAR_GROUP, 4, 4));
    CHECK_EQ(far.reads, 2);
    CHECK(is_right(START + NEAR_GROUP, 4, 4));
    CHECK_EQ(far.reads, 2);
    CHECK(is_right(START, 4, 4));
    CHECK_EQ(far.reads, 3);
}

TEST(near_forgets)
{
    begin();
    for ( unsigned int i = 0; i < 2; i++ )
        CHECK(is_right(START, 4, 4));
    far.add = 1;
    CHECK(!is_right(START, 4, 4));
    near_forget(&near);
    CHECK(is_right(START, 4, 4));
}
