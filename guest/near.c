/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "near.h"

#include <string.h>

void near_forget(struct near_memory *near)
{
    for ( unsigned int i = 0; i < NEAR_GROUPS; i++ )
        near->groups[i].size = 0;
    near->next = 0;
}

static const struct near_group *find_group(struct near_memory *near,
                                           uint64_t address)
{
    uint64_t start = address & ~(uint64_t)(NEAR_GROUP - 1);
    struct near_group *group;

    for ( unsigned int i = 0; i < NEAR_GROUPS; i++ )
        if ( near->groups[i].size && near->groups[i].address == start )
            return &near->groups[i];
    group = &near->groups[near->next++ % NEAR_GROUPS];
    group->address = start;
    group->size = near->read(near->self, start, group->bytes, NEAR_GROUP);
    return group;
}

/* A page is there as a whole or not at all. */
static size_t copy_from(const struct near_group *group, size_t offset, void *to,
                        size_t size)
{
    if ( offset >= group->size )
        return 0;
    if ( size > group->size - offset )
        size = group->size - offset;
    memcpy(to, group->bytes + offset, size);
    return size;
}

size_t near_get(struct near_memory *near, uint64_t address, void *to,
                size_t size)
{
    size_t offset = address % NEAR_GROUP;

    if ( size > NEAR_GROUP - offset )
        return near->read(near->self, address, to, size);
    return copy_from(find_group(near, address), offset, to, size);
}
