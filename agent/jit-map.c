/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit-map.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

/* Functions that begin before an address, of which one may still reach it: of
 * code that moves, many begin at the same place. */
#define LOOKED_AT 64u

/* Reads a number in hexadecimal and the space behind it.  Returns what follows,
 * or NULL. */
static const char *read_number(const char *at, const char *end, uint64_t *ret)
{
    const char *begin = at;
    uint64_t value = 0;

    for ( ; at < end && at - begin < 16; at++ )
    {
        char letter = (char)(*at | 0x20);

        if ( *at >= '0' && *at <= '9' )
            value = value << 4 | (uint64_t)(*at - '0');
        else if ( letter >= 'a' && letter <= 'f' )
            value = value << 4 | (uint64_t)(letter - 'a' + 10);
        else
            break;
    }
    *ret = value;
    return at > begin && at < end && *at == ' ' ? at + 1 : NULL;
}

/* Some writers put 0x before their numbers. */
static const char *skip_prefix(const char *at, const char *end)
{
    return end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x' ? at + 2 : at;
}

void jit_map_put(struct jit_map *map, uint64_t start, uint64_t size,
                 const char *name, size_t length)
{
    struct jit_function *added = NULL;

    if ( !size )
        return;
    if ( map->functions.count < JIT_FUNCTIONS_MAX &&
         buffer_reserve(&map->names, length + 1) )
        added = vector_add(&map->functions);
    if ( !added )
    {
        map->refused++;
        return;
    }
    *added = (struct jit_function){
        .start = start,
        .size = size,
        .name = (uint32_t)map->names.used,
        .number = (uint32_t)map->functions.count,
    };
    buffer_append(&map->names, name, length);
    buffer_append(&map->names, "", 1);
    map->sorted = false;
}

static void add_line(struct jit_map *map, const char *at, const char *end)
{
    uint64_t start, size;

    if ( end - at > (ptrdiff_t)JIT_LINE_MAX )
        return;
    at = read_number(skip_prefix(at, end), end, &start);
    if ( at )
        at = read_number(skip_prefix(at, end), end, &size);
    if ( at && at < end )
        jit_map_put(map, start, size, at, (size_t)(end - at));
}

size_t jit_map_add(struct jit_map *map, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size, *line;

    while ( at < end && (line = memchr(at, '\n', (size_t)(end - at))) )
    {
        add_line(map, at, line);
        at = line + 1;
    }
    return (size_t)(at - bytes);
}

static int compare_jit_functions(const void *left, const void *right)
{
    const struct jit_function *a = left, *b = right;

    if ( a->start != b->start )
        return a->start < b->start ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void sort(struct jit_map *map)
{
    if ( !map->sorted && map->functions.count )
        qsort(map->functions.items, map->functions.count,
              sizeof(map->functions.items[0]), compare_jit_functions);
    map->sorted = true;
}

const struct jit_function *jit_map_find(struct jit_map *map, uint64_t address)
{
    const struct jit_function *found = NULL, *one;
    size_t at;

    sort(map);
    at = sorted_until(map->functions.items, map->functions.count, start,
                      address);
    for ( unsigned int i = 0; i < LOOKED_AT && at > 0; i++ )
    {
        one = &map->functions.items[--at];
        if ( address - one->start < one->size &&
             (!found || one->number > found->number) )
            found = one;
    }
    return found;
}

size_t jit_map_within(struct jit_map *map, uint64_t start, uint64_t end,
                      const struct jit_function **ret)
{
    const struct jit_function *functions;
    size_t count, first, last;

    sort(map);
    functions = map->functions.items;
    count = map->functions.count;
    first = sorted_below(functions, count, start, start);
    last = sorted_below(functions, count, start, end);
    *ret = first < last ? functions + first : NULL;
    return first < last ? last - first : 0;
}

const char *jit_map_name(const struct jit_map *map,
                         const struct jit_function *function)
{
    return (const char *)map->names.bytes + function->name;
}

size_t jit_map_bytes(const struct jit_map *map)
{
    return map->functions.room * sizeof(map->functions.items[0]) +
           map->names.room;
}

void jit_map_free(struct jit_map *map)
{
    vector_free(&map->functions);
    buffer_free(&map->names);
    *map = (struct jit_map){0};
}
