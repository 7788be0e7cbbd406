/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spaces are made once, and then only looked at. */
#include "user-space.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

#define USER_PAGE 4096u

bool user_mapping_bind(struct user_mapping *mapping,
                       const struct row_table *rows, uint64_t file_offset)
{
    for ( uint32_t i = 0; i < rows->segments; i++ )
    {
        const struct row_segment *segment = &rows->segment[i];

        /* Linux maps whole pages, and so perhaps more than the segment has. */
        if ( file_offset < segment->offset / USER_PAGE * USER_PAGE ||
             file_offset >= segment->offset + segment->size )
            continue;
        mapping->rows = rows;
        mapping->bias = mapping->start - file_offset + segment->offset -
                        segment->address;
        return true;
    }
    mapping->rows = NULL;
    mapping->bias = 0;
    return false;
}

static bool mappings_sound(const struct user_mapping *mappings, size_t count,
                           uint64_t limit)
{
    uint64_t at = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        const struct user_mapping *mapping = &mappings[i];

        if ( mapping->start < at || mapping->start >= mapping->end ||
             mapping->end > limit )
            return false;
        at = mapping->end;
    }
    return count <= USER_MAPPINGS_MAX;
}

static struct user_space *make_space(const struct user_mapping *mappings,
                                     size_t count, uint64_t limit)
{
    static uint64_t spaces;
    struct user_space *space;

    if ( !mappings_sound(mappings, count, limit) )
        return NULL;
    space = malloc(sizeof(*space) + count * sizeof(*mappings));
    if ( !space )
        return NULL;
    space->number = __atomic_add_fetch(&spaces, 1, __ATOMIC_RELAXED);
    space->count = count;
    if ( count )
        memcpy(space->mapping, mappings, count * sizeof(*mappings));
    return space;
}

struct user_space *user_space_open(const struct user_mapping *mappings,
                                   size_t count)
{
    return make_space(mappings, count, USER_SPACE_END);
}

struct user_space *user_space_of_kernel(const struct user_mapping *mappings,
                                        size_t count)
{
    return make_space(mappings, count, UINT64_MAX);
}

void user_space_close(struct user_space *space)
{
    free(space);
}

const struct user_mapping *user_space_find(const struct user_space *space,
                                           uint64_t address)
{
    size_t after = sorted_until(space->mapping, space->count, start, address);

    if ( !after || address >= space->mapping[after - 1].end )
        return NULL;
    return &space->mapping[after - 1];
}
