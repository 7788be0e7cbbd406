/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest can make it cost to read one of its modules: a lie may be long,
 * the work and the memory that it takes may not.
 */
#include <elf.h>
#include <string.h>
#include <time.h>

#include "guest/linux/kmod-list.h"
#include "tests/harness.h"

#define CODE  0xffffffffc0100000ull
#define TABLE 0xffffffffc0200000ull /* struct mod_kallsyms */
#define SYMS  0xffffffffc1000000ull
#define NAMES 0xffffffffc2000000ull

#define NAMES_SIZE ((4u << 20) - 1)

/* Far more than is needed, also with sanitizers. */
#define ENOUGH (3 * CLOCKS_PER_SEC)

/* A symbol of one piece does not name the other, and ends with its own. */
TEST(symbols_name_their_own_piece_of_code)
{
    struct kmod module = {
        .name = "some",
        .code = {{CODE, CODE + 4096}, {CODE + 8192, CODE + 8192 + 256}}};
    struct kernel_symbol symbol;

    CHECK(symbol_list_add(&module.symbols, CODE + 64, "core", 4));
    CHECK(symbol_list_add(&module.symbols, CODE + 8192 + 16, "init", 4));
    symbol_list_sort(&module.symbols);
    CHECK(!kmod_symbol(&module, CODE + 63, &symbol));
    CHECK(kmod_symbol(&module, CODE + 4095, &symbol));
    CHECK_TEXT(symbol.name, "core");
    CHECK_TEXT(symbol.module, "some");
    CHECK(symbol.start == CODE + 64 && symbol.end == CODE + 4096);
    CHECK(!kmod_symbol(&module, CODE + 4096, &symbol));
    CHECK(!kmod_symbol(&module, CODE + 8192, &symbol));
    CHECK(kmod_symbol(&module, CODE + 8192 + 255, &symbol));
    CHECK_TEXT(symbol.name, "init");
    CHECK(symbol.end == CODE + 8192 + 256);
    CHECK(kmod_has_code(&module, CODE + 8192));
    CHECK(!kmod_has_code(&module, CODE + 4096));
    symbol_list_free(&module.symbols);
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
    CHECK(clock() - begun < ENOUGH);
    symbol_list_free(&module.symbols);
}

/* Two rows as far from each other as possible: the index of the range between
 * them is thousands of times as large. */
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

/* More rows than are left for it are not even read. */
TEST(rows_beyond_the_room_are_not_read)
{
    const struct kmod_layout layout = {
        .known = true, .orc_count = 16, .orc_ips = 8, .orc_rows = 24};
    const uint64_t structure[4] = {0, SYMS, 3, NAMES};
    struct guest_memory memory = {.read = read_far_rows, .left = 1 << 20};
    struct kmod module = {.code = {{CODE, CODE + 4096}}};
    const struct kmod_orc orc = {ORC_LAYOUT_6_4, 2, 1 << 20};

    CHECK(!kmod_read_orc(&module, &memory, &layout, (const void *)structure,
                         &orc));
    CHECK(!module.orc && memory.left == 1 << 20);
}
