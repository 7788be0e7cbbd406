/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes tables of symbols, and asks them for names. */
#include <string.h>

#include "symbols-kit.h"

struct symbols_kit symbols_kit;

static void begin(void)
{
    if ( !symbols_kit.handle )
        symbols_kit.handle = xenoprof_open();
    xenoprof_symbols_close(symbols_kit.symbols);
    symbols_kit.symbols = NULL;
}

enum xenoprof_status symbols_kit_text(const char *text)
{
    begin();
    return xenoprof_symbols_text(symbols_kit.handle, text, strlen(text),
                                 &symbols_kit.symbols);
}

enum xenoprof_status symbols_kit_file(const char *path)
{
    begin();
    return xenoprof_symbols_file(symbols_kit.handle, path,
                                 &symbols_kit.symbols);
}

const char *symbols_kit_name(uint64_t address)
{
    struct xenoprof_symbol symbol;

    return xenoprof_symbols_find(symbols_kit.symbols, address, &symbol)
               ? symbol.name
               : "-";
}
