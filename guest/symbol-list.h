/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of code with names, as they come from a kernel module or a file. */
#ifndef XENOPROF_GUEST_SYMBOL_LIST_H
#define XENOPROF_GUEST_SYMBOL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "base/flat.h"

#define SYMBOL_LIST_MAX (1u << 20)

struct listed_symbol {
    uint64_t address;
    uint32_t name;  /* offset in names */
    uint32_t order; /* of equal addresses the first one counts */
};

struct symbol_list {
    VECTOR(struct listed_symbol);
    char *names;
    uint32_t names_size;
    uint32_t names_room;
    bool borrowed; /* items and names are somebody else's */
};

/* All zeroes is an empty list.  Returns whether the symbol was added: not if
 * there is no memory, or there are too many. */
bool symbol_list_add(struct symbol_list *symbols, uint64_t address,
                     const char *name, size_t length);
/* When all are there; gives back what was not needed. */
void symbol_list_sort(struct symbol_list *symbols);
void symbol_list_free(struct symbol_list *symbols);

/* Appends a sorted list to a flat one.  Returns false if there is no memory. */
bool symbol_list_put(const struct symbol_list *symbols, struct buffer *to);
/* Makes *ret, which was empty, of the next flat list, whose bytes it uses where
 * they lie.  Returns false if that is not a list. */
bool symbol_list_get(struct cursor *from, struct symbol_list *ret);

/* Returns the name of the last symbol at or below address, or NULL if there is
 * none.  *end is where the next one starts, 0 if this is the last. */
const char *symbol_list_at(const struct symbol_list *symbols, uint64_t address,
                           uint64_t *start, uint64_t *end);

#endif
