/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of the session that have no symbol are looked up once more. */
#include "late-names.h"

static enum xenoprof_status store_late_name(struct xenoprof_writer *writer,
                                            uint16_t domain, uint64_t address,
                                            const char *name,
                                            const char *module, uint64_t start)
{
    const struct xenoprof_place place = {
        .domain = domain,
        .mode = XENOPROF_MODE_KERNEL,
        .address = address,
        .image = module ? module : "kernel",
        .symbol = name,
        .symbol_start = start,
    };
    uint32_t number;

    return xenoprof_writer_place(writer, &place, &number);
}

enum xenoprof_status late_names_of_dom0(const struct xenoprof_symbols *symbols,
                                        struct xenoprof_writer *writer)
{
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t number = 0;
    uint64_t address;

    while ( !code && xenoprof_writer_unnamed(writer, 0, XENOPROF_MODE_KERNEL,
                                             &number, &address) )
    {
        struct xenoprof_symbol symbol;

        if ( xenoprof_symbols_find(symbols, address, &symbol) )
            code = store_late_name(writer, 0, address, symbol.name,
                                   symbol.module, symbol.start);
    }
    return code;
}
