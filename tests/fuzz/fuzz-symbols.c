/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols from text: whatever is found covers the address it is found for. */
#include <string.h>

#include "libxenoprof.h"
#include "tests/fuzz/fuzz.h"

static void look(const struct xenoprof_symbols *symbols, uint64_t address)
{
    struct xenoprof_symbol symbol;

    if ( !xenoprof_symbols_find(symbols, address, &symbol) )
        return;
    FUZZ_CHECK(address >= symbol.start && address - symbol.start < symbol.size);
    FUZZ_CHECK(*symbol.name);
    FUZZ_CHECK(!symbol.module || *symbol.module);
    FUZZ_CHECK(xenoprof_symbols_lookup(symbols, symbol.name, &symbol));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xenoprof_handle *handle;
    struct xenoprof_symbols *symbols;

    if ( !handle )
        handle = xenoprof_open();
    if ( xenoprof_symbols_text(handle, (const char *)data, size, &symbols) )
    {
        FUZZ_CHECK(*xenoprof_message(handle));
        return 0;
    }
    FUZZ_CHECK(xenoprof_symbols_count(symbols));
    for ( unsigned int shift = 0; shift < 64; shift++ )
    {
        look(symbols, 1ull << shift);
        look(symbols, -(1ull << shift));
        look(symbols, 0xffffffff81000000 + (1ull << shift));
    }
    xenoprof_symbols_close(symbols);
    return 0;
}

static const char *const seeds[] = {
    "ffffffff81000000 T _text\nffffffff81000000 T startup_64\n"
    "ffffffff81000100 t helper\nffffffff81002000 D data\n"
    "ffffffffc0000000 t init\t[zram]\nffffffffc0001000 t more\t[zram]\n",
    "ffff82d040200000 T _start\nffff82d040201000 t common/timer.c#f\n",
    "0 A a\n1 w b\n2 T c\n3 T _etext\n",
};

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    if ( number >= sizeof(seeds) / sizeof(seeds[0]) )
        return 0;
    memcpy(bytes, seeds[number], strlen(seeds[number]));
    return strlen(seeds[number]);
}
