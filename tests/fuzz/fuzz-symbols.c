/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols from text: a symbol that is found covers the address that was asked
 * for. */
#include <string.h>

#include "libxenoprof.h"
#include "fuzz.h"

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
