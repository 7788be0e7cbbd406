/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names are kept in one piece, symbols in order of address. */
#include "symbol-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

#define NAMES_SIZE_MAX (64u * 1024 * 1024)

/* Returns whether there is room for length more bytes of names. */
static bool make_names_room(struct symbol_list *symbols, size_t length)
{
    size_t room = symbols->names_room;
    bool done = vector_make_room(&symbols->names, symbols->names_size, &room,
                                 length, 1);

    symbols->names_room = (uint32_t)room;
    return done;
}

bool symbol_list_add(struct symbol_list *symbols, uint64_t address,
                     const char *name, size_t length)
{
    struct listed_symbol *symbol;

    if ( symbols->count == SYMBOL_LIST_MAX ||
         length >= NAMES_SIZE_MAX - symbols->names_size ||
         !make_names_room(symbols, length + 1) )
        return false;
    symbol = vector_add(symbols);
    if ( !symbol )
        return false;
    symbol->address = address;
    symbol->name = symbols->names_size;
    symbol->order = (uint32_t)symbols->count - 1;
    memcpy(symbols->names + symbols->names_size, name, length);
    symbols->names_size += (uint32_t)length;
    symbols->names[symbols->names_size++] = '\0';
    return true;
}

static int compare_listed_symbols(const void *left, const void *right)
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
    qsort(symbols->items, symbols->count, sizeof(*symbols->items),
          compare_listed_symbols);
    less = realloc(symbols->items, symbols->count * sizeof(*symbols->items));
    if ( less )
        symbols->items = less;
    less = realloc(symbols->names, symbols->names_size);
    if ( less )
        symbols->names = less;
    symbols->room = symbols->count;
    symbols->names_room = symbols->names_size;
}

void symbol_list_free(struct symbol_list *symbols)
{
    if ( !symbols->borrowed )
    {
        vector_free(symbols);
        free(symbols->names);
    }
    memset(symbols, 0, sizeof(*symbols));
}

const char *symbol_list_at(const struct symbol_list *symbols, uint64_t address,
                           uint64_t *start, uint64_t *end)
{
    size_t next = sorted_until(symbols->items, symbols->count, address,
                               address);
    size_t first;

    if ( !next )
        return NULL;
    *start = symbols->items[next - 1].address;
    *end = next < symbols->count ? symbols->items[next].address : 0;
    first = sorted_below(symbols->items, symbols->count, address, *start);
    return symbols->names + symbols->items[first].name;
}

struct flat_list {
    uint32_t count, names_size;
};

bool symbol_list_put(const struct symbol_list *symbols, struct buffer *to)
{
    const struct flat_list head = {(uint32_t)symbols->count,
                                   symbols->names_size};

    return flat_put(to, &head, 1, sizeof(head)) &&
           flat_put(to, symbols->items, head.count,
                    sizeof(symbols->items[0])) &&
           flat_put(to, symbols->names, head.names_size, 1);
}

static bool are_names_inside(const struct symbol_list *symbols)
{
    if ( symbols->count &&
         (!symbols->names_size || symbols->names[symbols->names_size - 1]) )
        return false;
    for ( size_t i = 0; i < symbols->count; i++ )
        if ( symbols->items[i].name >= symbols->names_size )
            return false;
    return true;
}

bool symbol_list_get(struct cursor *from, struct symbol_list *ret)
{
    const struct flat_list *head = flat_get(from, 1, sizeof(*head));

    if ( !head || head->count > SYMBOL_LIST_MAX )
        return false;
    ret->borrowed = true;
    ret->count = head->count;
    ret->names_size = head->names_size;
    ret->items = (void *)flat_get(from, head->count, sizeof(ret->items[0]));
    ret->names = (void *)flat_get(from, head->names_size, 1);
    return !from->bad && are_names_inside(ret);
}
