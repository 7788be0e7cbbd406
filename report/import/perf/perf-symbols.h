/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file, by its symbols: each as long as the file says,
 * so that what a stripped file does not name stays without a name.  Of several
 * names of one function it is the one that perf shows.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_SYMBOLS_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_SYMBOLS_H

#include <stdint.h>

struct perf_symbols;

/* What covers an address. */
struct perf_symbol {
    uint64_t start, end;
    const char *name; /* owned by the symbols */
};

/* Returns NULL if it is not an ELF file, or has none.  fd stays open. */
struct perf_symbols *perf_symbols_read(int fd);
/* Takes NULL. */
void perf_symbols_close(struct perf_symbols *symbols);

/* Returns the symbol, or NULL if none covers the address. */
const struct perf_symbol *perf_symbols_find(const struct perf_symbols *symbols,
                                            uint64_t address);

#endif
