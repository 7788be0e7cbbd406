/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of a file by address and by name. */
#include "report/code/code-symbols.h"
#include "tests/harness.h"

#include <stdint.h>

static void add(struct code_symbols *symbols, const char *name,
                uint64_t address)
{
    code_symbols_add(symbols,
                     &(struct code_symbol){.address = address, .name = name});
}

/* Not in order, as files may have them. */
static void begin(struct code_symbols *symbols)
{
    *symbols = (struct code_symbols){.count = 0};
    add(symbols, "arch/b.c#run", 0x3000);
    add(symbols, "first", 0x1000);
    add(symbols, "arch/a.c#run", 0x2000);
    add(symbols, "last", UINT64_MAX - 1);
    code_symbols_sort(symbols);
}

TEST(symbols_by_address)
{
    struct code_symbols symbols;

    begin(&symbols);
    CHECK(!code_symbols_at(&symbols, 0xfff));
    CHECK_TEXT(code_symbols_at(&symbols, 0x1000)->name, "first");
    CHECK_TEXT(code_symbols_at(&symbols, 0x2fff)->name, "arch/a.c#run");
    CHECK_TEXT(code_symbols_at(&symbols, UINT64_MAX)->name, "last");
    CHECK(code_symbols_next(&symbols, 0) == 0x1000);
    CHECK(code_symbols_next(&symbols, 0x1000) == 0x2000);
    CHECK(code_symbols_next(&symbols, UINT64_MAX - 1) == UINT64_MAX);
    code_symbols_free(&symbols);
}

TEST(symbols_by_name_without_their_file)
{
    const struct code_symbol *const *found;
    struct code_symbols symbols;
    size_t count;

    begin(&symbols);
    found = code_symbols_named(&symbols, "run", &count);
    CHECK_EQ(count, 2);
    CHECK_EQ(found[0]->address + found[1]->address, 0x5000);
    code_symbols_named(&symbols, "ru", &count);
    CHECK_EQ(count, 0);
    code_symbols_named(&symbols, "zzz", &count);
    CHECK_EQ(count, 0);
    code_symbols_free(&symbols);
}

TEST(a_file_without_symbols)
{
    struct code_symbols symbols = {.count = 0};
    size_t count;

    code_symbols_sort(&symbols);
    CHECK(!code_symbols_at(&symbols, 1));
    CHECK(code_symbols_next(&symbols, 1) == UINT64_MAX);
    code_symbols_named(&symbols, "run", &count);
    CHECK_EQ(count, 0);
    code_symbols_free(&symbols);
}
