/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps and finds the symbols of a file with code. */
#include "code-symbols.h"

#include "base/must.h"
#include "base/sorted.h"
#include "report/model/labels.h"

#include <stdlib.h>
#include <string.h>

void code_symbols_add(struct code_symbols *symbols,
                      const struct code_symbol *symbol)
{
    struct code_symbol *copy = must(vector_add(symbols));

    *copy = *symbol;
    copy->name = must(strdup(symbol->name));
}

/* Of equal addresses, symbols with a size come last. */
static int compare_addresses(const void *left, const void *right)
{
    const struct code_symbol *a = left, *b = right;

    if ( a->address != b->address )
        return a->address < b->address ? -1 : 1;
    if ( a->size != b->size )
        return a->size < b->size ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare_names(const void *left, const void *right)
{
    const struct code_symbol *a = *(const struct code_symbol *const *)left;
    const struct code_symbol *b = *(const struct code_symbol *const *)right;

    return strcmp(label_short_symbol(a->name), label_short_symbol(b->name));
}

void code_symbols_sort(struct code_symbols *symbols)
{
    symbols->by_name = must(
        calloc(symbols->count + 1, sizeof(*symbols->by_name)));
    if ( symbols->count )
        qsort(symbols->items, symbols->count, sizeof(*symbols->items),
              compare_addresses);
    for ( size_t i = 0; i < symbols->count; i++ )
        symbols->by_name[i] = &symbols->items[i];
    qsort(symbols->by_name, symbols->count, sizeof(*symbols->by_name),
          compare_names);
}

void code_symbols_free(struct code_symbols *symbols)
{
    for ( size_t i = 0; i < symbols->count; i++ )
        free((char *)symbols->items[i].name);
    vector_free(symbols);
    free(symbols->by_name);
}

/* Returns how many symbols start at or before address. */
static size_t count_up_to(const struct code_symbols *symbols, uint64_t address)
{
    return sorted_until(symbols->items, symbols->count, address, address);
}

const struct code_symbol *code_symbols_at(const struct code_symbols *symbols,
                                          uint64_t address)
{
    size_t count = count_up_to(symbols, address);

    return count ? &symbols->items[count - 1] : NULL;
}

uint64_t code_symbols_next(const struct code_symbols *symbols, uint64_t address)
{
    size_t count = count_up_to(symbols, address);

    return count < symbols->count ? symbols->items[count].address : UINT64_MAX;
}

/* Returns the index of the first symbol whose name is not before name, or with
 * after, of the first after it. */
static size_t name_bound(const struct code_symbols *symbols, const char *name,
                         bool after)
{
    size_t low = 0, high = symbols->count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(label_short_symbol(symbols->by_name[middle]->name),
                           name);

        if ( order < 0 || (after && !order) )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct code_symbol *const *code_symbols_named(
    const struct code_symbols *symbols, const char *name, size_t *count)
{
    size_t first = name_bound(symbols, name, false);

    *count = name_bound(symbols, name, true) - first;
    return symbols->by_name + first;
}
