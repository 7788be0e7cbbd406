/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search in an array that is sorted by a number in each item:
 *
 *   sorted_until(symbols, count, address, here)
 */
#ifndef XENOPROF_BASE_SORTED_H
#define XENOPROF_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many items have a number (a uint64_t member) of at most last: the
 * index of the first item after them. */
#define sorted_until(items, count, member, last)                               \
    sorted_find((items), (count), sizeof(*(items)),                            \
                offsetof(typeof(*(items)), member), (last))

/* The same with a number below limit. */
#define sorted_below(items, count, member, limit)                              \
    ((limit) ? sorted_until(items, count, member, (limit)-1) : 0)

/* Only for the macros above. */
static inline size_t sorted_find(const void *items, size_t count, size_t size,
                                 size_t offset, uint64_t last)
{
    size_t low = 0, high = count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)items + middle * size + offset;

        if ( *(const uint64_t *)at <= last )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
