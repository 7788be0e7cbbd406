/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a table of symbols: filled by one of the readers, then sorted.
 */
#ifndef XENOPROF_LIBXENOPROF_SYMBOLS_H
#define XENOPROF_LIBXENOPROF_SYMBOLS_H

#include "base/buffer.h"
#include "base/vector.h"
#include "handle.h"

/* What a name is worth where several have the same address; the highest is
 * shown. */
enum symbol_worth {
    WORTH_BOUND, /* where a section begins: any other says more */
    WORTH_LOCAL,
    WORTH_WEAK,
    WORTH_GLOBAL,
};

struct symbol {
    uint64_t address;
    uint32_t name;   /* offset in names */
    uint32_t module; /* the same; 0: none */
    uint32_t size;   /* bytes that it names; 0 until sorted, or nothing */
    uint8_t worth;   /* enum symbol_worth */
    bool code;       /* data names nothing, it only ends what is before it */
};

struct xenoprof_symbols {
    VECTOR(struct symbol); /* by address; of equal ones the best comes last */
    struct buffer names;   /* terminated, one behind the other; "" first */
    uint32_t last_module;
};

struct xenoprof_symbols *symbols_create(void);

/* module may be empty.  False if there is no memory. */
bool symbols_add(struct xenoprof_symbols *symbols, const struct symbol *symbol,
                 const char *name, size_t length);
/* Offset of a module's name; 0 if there is no memory. */
uint32_t symbols_module(struct xenoprof_symbols *symbols, const char *name,
                        size_t length);

/* When all are there. */
void symbols_sort(struct xenoprof_symbols *symbols);

/* xenoprof_symbols_file() for a file that is ELF. */
enum xenoprof_status symbols_open_elf(struct xenoprof_handle *handle,
                                      const char *path,
                                      struct xenoprof_symbols **ret);

#endif
