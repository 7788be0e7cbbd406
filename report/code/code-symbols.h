/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of one file with code, by address and by name.  Several may have one
 * name, or one address.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_SYMBOLS_H
#define XENOPROF_REPORT_CODE_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_symbol {
    uint64_t address;
    uint64_t size; /* as the file says; 0: it does not */
    const char *name;
    uint32_t section; /* addresses of two may lie apart as the file does not
                         say */
};

/* All zero is empty. */
struct code_symbols {
    struct code_symbol *list; /* by address, once it is sorted */
    const struct code_symbol **by_name;
    size_t count, room;
};

/* Takes a copy of the name; false if there is no memory. */
bool code_symbols_add(struct code_symbols *symbols,
                      const struct code_symbol *symbol);
/* When all are there; false if there is no memory. */
bool code_symbols_sort(struct code_symbols *symbols);
void code_symbols_free(struct code_symbols *symbols);

/* The last one at or before address; NULL: none. */
const struct code_symbol *code_symbols_at(const struct code_symbols *symbols,
                                          uint64_t address);
/* Where the next one starts behind address; UINT64_MAX: none. */
uint64_t code_symbols_next(const struct code_symbols *symbols,
                           uint64_t address);
/* Those of that name, which has no file of Xen's before it: *count of them
 * from the one returned on. */
const struct code_symbol *const *code_symbols_named(
    const struct code_symbols *symbols, const char *name, size_t *count);

#endif
