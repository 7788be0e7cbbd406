/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest can make it cost to look into its kernel: a lie may be long,
 * the work and the memory that it takes may not.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guest/linux/kmod-list.h"
#include "tests/harness.h"

#define CODE  0xffffffffc0100000ull
#define TABLE 0xffffffffc0200000ull /* struct mod_kallsyms */
#define SYMS  0xffffffffc1000000ull
#define NAMES 0xffffffffc2000000ull

#define NAMES_SIZE ((4u << 20) - 1)

/* Far more than it takes, also with sanitizers. */
#define ENOUGH (3 * CLOCKS_PER_SEC)

static void check_cost(clock_t begun, const char *what)
{
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;

    if ( clock() - begun > ENOUGH )
        test_fail(__FILE__, __LINE__, "%s took %.1f s", what, seconds);
}

/* A quarter of a million symbols; all of them have one name, of 4 MiB. */
static size_t read_long_names(void *self, uint64_t address, void *to,
                              size_t size)
{
    const uint64_t table[8] = {SYMS, KMOD_SYMBOLS_MAX, NAMES};
    Elf64_Sym symbol = {.st_name = 1, .st_shndx = 1, .st_value = CODE};

    (void)self;
    memset(to, 'a', size);
    if ( address == TABLE )
        memcpy(to, table, sizeof(table));
    for ( size_t at = 0; address - SYMS < 1u << 24 && at < size;
          at += sizeof(symbol) )
    {
        symbol.st_name = address == SYMS && !at ? NAMES_SIZE : 1;
        memcpy((char *)to + at, &symbol, sizeof(symbol));
    }
    return size;
}

TEST(many_symbols_with_one_long_name)
{
    const struct kmod_layout layout = {
        .known = true, .symtab = 0, .symbols = 8, .strtab = 16};
    const struct kmod_room room = {KMODS_SYMBOLS_MAX, KMODS_NAMES_MAX,
                                   KMODS_ORC_ROWS_MAX, KMODS_ORC_SIZE_MAX};
    struct kmod module = {.code = {{CODE, CODE + 4096}}, .kallsyms = TABLE};
    struct guest_memory memory = {.read = read_long_names, .left = 16 << 20};
    clock_t begun = clock();

    CHECK(kmod_read_symbols(&module, &memory, &layout, &room));
    CHECK_EQ(module.symbols.count, 0);
    check_cost(begun, "reading a module's names");
    symbol_list_free(&module.symbols);
}

/* Row number index of as many different ones as a table may have.  They would
 * collide in a table that hashes by multiplication, as a guest that knows no
 * seed would choose them. */
static void put_colliding(uint8_t row[ORC_ENTRY_SIZE], uint32_t index)
{
    static uint64_t found[16384];
    static uint32_t count;

    for ( uint64_t entry = count ? found[count - 1] + 1 : 1; count <= index;
          entry++ )
        if ( (entry * 0x9e3779b97f4a7c15ull >> 32 & 0xffff) < 256 )
            found[count++] = entry;
    memcpy(row, &found[index], ORC_ENTRY_SIZE);
}

TEST(orc_rows_that_all_collide)
{
    const uint32_t count = 1 << 20, different = 16384;
    int32_t *ips = calloc(count, sizeof(*ips));
    uint8_t *rows = malloc((size_t)count * ORC_ENTRY_SIZE);
    clock_t begun;

    CHECK(ips && rows);
    for ( uint32_t i = 0; i < count; i++ )
        put_colliding(rows + (size_t)i * ORC_ENTRY_SIZE, i % different);
    begun = clock();
    orc_close(orc_open(ips, rows, count, CODE, ORC_LAYOUT_6_4));
    check_cost(begun, "an ORC table");
    free(ips);
    free(rows);
}

/* Two rows as far from each other as they can be: the index of all that
 * lies between them is thousands of times as large. */
static const int32_t far_ips[2] = {INT32_MIN, INT32_MAX};
static const uint8_t far_rows[2 * ORC_ENTRY_SIZE] = {8, 0, 0, 0, 5, 2,
                                                     8, 0, 0, 0, 5, 2};

static size_t read_far_rows(void *self, uint64_t address, void *to, size_t size)
{
    const void *from = address == SYMS ? (const void *)far_ips : far_rows;

    (void)self;
    memcpy(to, from, size);
    return size;
}

TEST(far_rows_take_what_their_index_takes)
{
    const struct kmod_layout layout = {
        .known = true, .orc_count = 16, .orc_ips = 8, .orc_rows = 24};
    const uint64_t structure[4] = {0, SYMS, 2, NAMES};
    struct guest_memory memory = {.read = read_far_rows, .left = 1 << 20};
    struct kmod module = {.code = {{CODE, CODE + 4096}}};
    struct kmod_orc orc = {ORC_LAYOUT_6_4, 2, 100000};

    CHECK(!kmod_read_orc(&module, &memory, &layout, (const void *)structure,
                         &orc));
    CHECK(!module.orc);
    orc.most_bytes = 1 << 20;
    CHECK(kmod_read_orc(&module, &memory, &layout, (const void *)structure,
                        &orc));
    CHECK(orc_size(module.orc) > 100000);
    orc_close(module.orc);
}

/* Every address of every stack is looked for among a guest's modules. */
TEST(an_address_among_many_modules)
{
    static struct kmod list[KMODS_MAX];
    struct kmods modules = {.list = list, .count = KMODS_MAX};
    clock_t begun;

    for ( uint32_t i = 0; i < KMODS_MAX; i++ )
    {
        list[i].code[0].start = CODE + 8192ull * (i * 5 % KMODS_MAX);
        list[i].code[0].end = list[i].code[0].start + 4096;
        list[i].next = i + 1 < KMODS_MAX ? &list[i + 1] : NULL;
    }
    CHECK(kmods_sort(&modules));
    begun = clock();
    for ( uint32_t i = 0; i < 4000000; i++ )
    {
        uint64_t address = CODE + 4096ull * (i % (2 * KMODS_MAX));
        const struct kmod *module = kmods_at(&modules, address);

        if ( i % 2 ? module != NULL
                   : !module || module->code[0].start != address )
            test_fail(__FILE__, __LINE__, "address %u is in another module", i);
    }
    check_cost(begun, "finding four million addresses in modules");
    kmods_forget_ranges(&modules);
}
