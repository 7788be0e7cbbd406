/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol-list.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_SIZE_MAX (64u * 1024 * 1024)

static bool make_room(void **items, uint32_t *room, uint64_t wanted,
                      size_t item)
{
    uint64_t more = *room ? *room : 64;
    void *grown;

    if ( wanted <= *room )
        return true;
    while ( more < wanted )
        more *= 2;
    grown = realloc(*items, more * item);
    if ( !grown )
        return false;
    *items = grown;
    *room = (uint32_t)more;
    return true;
}

bool symbol_list_add(struct symbol_list *symbols, uint64_t address,
                     const char *name, size_t length)
{
    struct listed_symbol *symbol;

    if ( symbols->count == SYMBOL_LIST_MAX ||
         length >= NAMES_SIZE_MAX - symbols->names_size ||
         !make_room((void **)&symbols->list, &symbols->room,
                    symbols->count + 1ull, sizeof(*symbols->list)) ||
         !make_room((void **)&symbols->names, &symbols->names_room,
                    symbols->names_size + length + 1, 1) )
        return false;
    symbol = &symbols->list[symbols->count];
    symbol->address = address;
    symbol->name = symbols->names_size;
    symbol->order = symbols->count++;
    memcpy(symbols->names + symbols->names_size, name, length);
    symbols->names_size += (uint32_t)length;
    symbols->names[symbols->names_size++] = '\0';
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct listed_symbol *a = left, *b = right;

    if ( a->address != b->address )
        return a->address < b->address ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void symbol_list_sort(struct symbol_list *symbols)
{
    void *less;

    if ( !symbols->count )
        return;
    qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare);
    less = realloc(symbols->list, symbols->count * sizeof(*symbols->list));
    if ( less )
        symbols->list = less;
    less = realloc(symbols->names, symbols->names_size);
    if ( less )
        symbols->names = less;
    symbols->room = symbols->count;
    symbols->names_room = symbols->names_size;
}

void symbol_list_free(struct symbol_list *symbols)
{
    free(symbols->list);
    free(symbols->names);
    memset(symbols, 0, sizeof(*symbols));
}

/* How many lie below address, or at it too. */
static uint32_t count_until(const struct symbol_list *symbols, uint64_t address,
                            bool at_it)
{
    uint32_t low = 0, high = symbols->count;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;
        uint64_t here = symbols->list[middle].address;

        if ( here < address || (at_it && here == address) )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *symbol_list_at(const struct symbol_list *symbols, uint64_t address,
                           uint64_t *start, uint64_t *end)
{
    uint32_t next = count_until(symbols, address, true), first;

    if ( !next )
        return NULL;
    *start = symbols->list[next - 1].address;
    *end = next < symbols->count ? symbols->list[next].address : 0;
    first = count_until(symbols, *start, false);
    return symbols->names + symbols->list[first].name;
}
