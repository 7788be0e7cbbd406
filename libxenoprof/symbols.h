/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a table of symbols: a reader fills it, then it is sorted.
 */
#ifndef XENOPROF_LIBXENOPROF_SYMBOLS_H
#define XENOPROF_LIBXENOPROF_SYMBOLS_H

#include "base/buffer.h"
#include "base/vector.h"
#include "handle.h"

/* Of several symbols with the same address the one of the highest worth is
 * shown. */
enum symbol_worth {
    WORTH_BOUND, /* where a section begins: any other name is better */
    WORTH_LOCAL,
    WORTH_WEAK,
    WORTH_GLOBAL,
};

struct symbol {
    uint64_t address;
    uint32_t name;   /* offset in names */
    uint32_t module; /* offset in names; 0: none */
    uint32_t size;   /* in bytes; before the sort: a limit, or 0 */
    uint8_t worth;   /* enum symbol_worth */
    bool code;       /* data is never found, it only ends a symbol */
};

struct xenoprof_symbols {
    VECTOR(struct symbol); /* by address; of equal addresses the best is last */
    struct buffer names;   /* zero-terminated, in a row; "" is first */
    uint32_t last_module;
};

/* Returns an empty table, or NULL if there is no memory. */
struct xenoprof_symbols *symbols_create(void);

/* Copies symbol and name.  Returns false if there is no memory. */
bool symbols_add(struct xenoprof_symbols *symbols, const struct symbol *symbol,
                 const char *name, size_t length);
/* Returns the offset of a kernel module's name, or 0 if there is no memory. */
uint32_t symbols_module(struct xenoprof_symbols *symbols, const char *name,
                        size_t length);

/* Sort after the last symbol, and settle sizes. */
void symbols_sort(struct xenoprof_symbols *symbols);

/* xenoprof_symbols_file() for a file that is ELF. */
enum xenoprof_status symbols_open_elf(struct xenoprof_handle *handle,
                                      const char *path,
                                      struct xenoprof_symbols **ret);

#endif
