/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which loads of code are counted, and how code is read in pieces. */
#include <string.h>

#include "guest/linux/tasks/code-loads.h"
#include "tests/harness.h"

#define AT 0xffffffff81000000ull

static struct code_loads loads;

static void count(const char *code, size_t size)
{
    uint8_t bytes[64];

    /* What follows is no instruction that is counted. */
    memset(bytes, 0x90, sizeof(bytes));
    memcpy(bytes, code, size);
    memset(&loads, 0, sizeof(loads));
    code_loads_count(&loads, bytes, sizeof(bytes), AT);
}

#define COUNT(code) count(code, sizeof(code) - 1)

TEST(loads_by_gs)
{
    /* mov %gs:0x1fb80,%rax; mov %gs:0x28,%r12 */
    COUNT("\x65\x48\x8b\x04\x25\x80\xfb\x01\x00"
          "\x65\x4c\x8b\x24\x25\x28\x00\x00\x00");
    CHECK_EQ(loads.gs.used, 2);
    CHECK_EQ(load_counts_of(&loads.gs, 0x1fb80), 1);
    CHECK_EQ(load_counts_of(&loads.gs, 0x28), 1);
    CHECK_EQ(loads.table.used, 0);
    /* mov %gs:0x10(%rip),%rdx, behind a byte */
    COUNT("\x90\x65\x48\x8b\x15\x10\x00\x00\x00");
    CHECK_EQ(load_counts_of(&loads.gs, AT + 9 + 0x10), 1);
    /* ... where the sum wraps to a small number, as before 6.15 */
    COUNT("\x65\x48\x8b\x05\xb8\x51\x03\x7f");
    CHECK_EQ(load_counts_of(&loads.gs, 0x351c0), 1);
}

TEST(loads_of_tables)
{
    /* add -0x7dbe34a0(,%rax,8),%rdx; mov it,%rdx */
    COUNT("\x48\x03\x14\xc5\x60\xcb\x41\x82"
          "\x48\x8b\x14\xc5\x60\xcb\x41\x82");
    CHECK_EQ(loads.table.used, 1);
    CHECK_EQ(load_counts_of(&loads.table, 0xffffffff8241cb60), 2);
}

/* lea, 4 bytes, a base register, a factor of 4, no index, no gs, a store */
TEST(what_is_not_counted)
{
    static const char *const codes[] = {
        "\x48\x8d\x14\xc5\x60\xcb\x41\x82", "\x40\x8b\x14\xc5\x60\xcb\x41\x82",
        "\x48\x8b\x14\xc0\x60\xcb\x41\x82", "\x48\x8b\x14\x85\x60\xcb\x41\x82",
        "\x48\x8b\x14\xe5\x60\xcb\x41\x82", "\x64\x48\x8b\x05\x28\x01\x01\x01",
        "\x65\x48\x89\x05\x28\x01\x01\x01", "\x65\x48\x8b\x45\x28\x01\x01\x01",
    };

    for ( unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++ )
    {
        count(codes[i], 8);
        if ( loads.gs.used || loads.table.used )
            test_fail(__FILE__, __LINE__, "code %u is counted", i);
    }
}

TEST(the_most_frequent)
{
    const uint64_t without[] = {0x28, 0x30};
    struct load_counts counts = {
        .item = {{0x28, 9}, {0x40, 3}, {0x38, 5}, {0x30, 7}}, .used = 4};

    CHECK_EQ(load_counts_top(&counts, NULL, 0).value, 0x28);
    CHECK_EQ(load_counts_top(&counts, without, 1).value, 0x30);
    CHECK_EQ(load_counts_top(&counts, without, 2).value, 0x38);
    CHECK_EQ(load_counts_top(&counts, without, 2).count, 5);
    CHECK_EQ(load_counts_of(&counts, 0x41), 0);
    counts.used = 2;
    CHECK_EQ(load_counts_top(&counts, (uint64_t[]){0x28, 0x40}, 2).count, 0);
}

/* Different loads in all bytes: the first are kept, and nothing is written
 * behind them. */
TEST(more_loads_than_are_kept)
{
    static uint8_t code[9 * 1000];

    memset(&loads, 0, sizeof(loads));
    for ( uint32_t i = 0; i < 1000; i++ )
    {
        memcpy(code + 9 * i, "\x65\x48\x8b\x04\x25", 5);
        memcpy(code + 9 * i + 5, &(uint32_t){i * 8}, 4);
    }
    code_loads_count(&loads, code, sizeof(code), AT);
    CHECK_EQ(loads.gs.used, CODE_LOADS_KEPT);
    CHECK_EQ(load_counts_of(&loads.gs, 8 * (CODE_LOADS_KEPT - 1)), 1);
    CHECK_EQ(load_counts_of(&loads.gs, 8 * CODE_LOADS_KEPT), 0);
}

/* Memory of one load in each page. */
static size_t read_pages(void *self, uint64_t address, void *to, size_t size)
{
    uint32_t *reads = self;

    (*reads)++;
    memset(to, 0x90, size);
    memcpy(to, "\x65\x48\x8b\x04\x25\x80\xfb\x01\x00", 9);
    return address < AT + (1 << 20) ? size : 0;
}

TEST(code_is_read_in_pieces)
{
    uint32_t reads = 0;
    struct guest_memory memory = {
        .read = read_pages, .self = &reads, .left = 1 << 20};

    memset(&loads, 0, sizeof(loads));
    code_loads_read(&loads, &memory, AT, AT + 3 * CODE_LOADS_PIECE + 5);
    CHECK_EQ(reads, 3);
    CHECK_EQ(load_counts_of(&loads.gs, 0x1fb80), 3);
    memset(&loads, 0, sizeof(loads));
    code_loads_read(&loads, &memory, AT, AT + (4 << 20));
    /* A quarter of it is there; of what is read at once, what is behind a page
     * that is not there is left out. */
    CHECK_EQ(reads, 3 + CODE_LOADS_PIECES / 4 +
                        CODE_LOADS_PIECES / GUEST_PIECES_MAX * 3 / 4);
    CHECK_EQ(load_counts_of(&loads.gs, 0x1fb80), CODE_LOADS_PIECES / 4);
    memset(&loads, 0, sizeof(loads));
    code_loads_read(&loads, &memory, AT, AT);
    code_loads_read(&loads, &memory, AT, AT - 1);
    memory.left = GUEST_PIECES_MAX * CODE_LOADS_PIECE + 5000;
    code_loads_read(&loads, &memory, AT, AT + (4 << 20));
    CHECK_EQ(load_counts_of(&loads.gs, 0x1fb80), GUEST_PIECES_MAX);
}
