/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a file with code, by address and by name.  Names and addresses
 * need not be unique.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_SYMBOLS_H
#define XENOPROF_REPORT_CODE_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct code_symbol {
    uint64_t address;
    uint64_t size; /* 0: the file does not say */
    const char *name;
    uint32_t section; /* loaders may move sections apart */
};

/* All zero is empty. */
struct code_symbols {
    VECTOR(struct code_symbol); /* by address, once they are sorted */
    const struct code_symbol **by_name;
};

/* Copies symbol and name. */
void code_symbols_add(struct code_symbols *symbols,
                      const struct code_symbol *symbol);
/* Sort after the last symbol. */
void code_symbols_sort(struct code_symbols *symbols);
void code_symbols_free(struct code_symbols *symbols);

/* Returns the last symbol at or before address, or NULL. */
const struct code_symbol *code_symbols_at(const struct code_symbols *symbols,
                                          uint64_t address);
/* Returns where the next symbol after address starts, or UINT64_MAX. */
uint64_t code_symbols_next(const struct code_symbols *symbols,
                           uint64_t address);
/* Returns the first of *count symbols of that name, which is without the source
 * file that Xen puts before names. */
const struct code_symbol *const *code_symbols_named(
    const struct code_symbols *symbols, const char *name, size_t *count);

#endif
