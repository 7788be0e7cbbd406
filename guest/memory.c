/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads within a budget, and keeps groups of bytes that are read again. */
#include "memory.h"

#include <string.h>

void near_forget(struct near_memory *near)
{
    for ( unsigned int i = 0; i < NEAR_GROUPS; i++ )
        near->groups[i].used = false;
    near->next = 0;
}

static struct near_group *find_group(struct near_memory *near, uint64_t start)
{
    for ( unsigned int i = 0; i < NEAR_GROUPS; i++ )
        if ( near->groups[i].used && near->groups[i].address == start )
            return &near->groups[i];
    return NULL;
}

/* Reads the whole group; size bytes of it are off the budget already. */
static void fill_near_group(struct near_group *group, struct guest_memory *far,
                            size_t size)
{
    bool may = far->left >= NEAR_GROUP - size;

    far->left = may ? far->left - (NEAR_GROUP - size) : 0;
    if ( may )
        group->size = far->read(far->self, group->address, group->bytes,
                                NEAR_GROUP);
}

static size_t read_near(struct guest_memory *far, uint64_t address, void *to,
                        size_t size)
{
    struct near_memory *near = far->near;
    size_t offset = address % NEAR_GROUP;
    struct near_group *group;

    if ( size > NEAR_GROUP - offset )
        return far->read(far->self, address, to, size);
    group = find_group(near, address - offset);
    if ( !group )
    {
        group = &near->groups[near->next++ % NEAR_GROUPS];
        group->address = address - offset;
        group->used = true;
        group->size = 0;
        return far->read(far->self, address, to, size);
    }
    if ( !group->size )
        fill_near_group(group, far, size);
    /* A group is a page: it is there as a whole or not at all. */
    if ( offset >= group->size )
        return 0;
    if ( size > group->size - offset )
        size = group->size - offset;
    memcpy(to, group->bytes + offset, size);
    return size;
}

size_t guest_memory_read(struct guest_memory *memory, uint64_t address,
                         void *to, size_t size)
{
    size_t got;

    if ( size > memory->left )
    {
        memory->left = 0;
        return 0;
    }
    memory->left -= size;
    got = memory->near ? read_near(memory, address, to, size)
                       : memory->read(memory->self, address, to, size);
    return got < size ? got : size;
}

size_t guest_memory_read_pieces(struct guest_memory *memory,
                                const struct guest_piece *pieces, size_t count,
                                void *to)
{
    size_t size = 0, got = 0, some;

    for ( size_t i = 0; i < count; i++ )
        size += pieces[i].size;
    if ( size > memory->left )
    {
        memory->left = 0;
        return 0;
    }
    memory->left -= size;
    if ( memory->read_pieces )
        return memory->read_pieces(memory->self, pieces, count, to);
    for ( size_t i = 0; i < count; i++, got += some )
    {
        some = memory->read(memory->self, pieces[i].address,
                            (uint8_t *)to + got, pieces[i].size);
        if ( some < pieces[i].size )
            return got + some;
    }
    return got;
}

bool guest_memory_get(struct guest_memory *memory, uint64_t address, void *to,
                      size_t size)
{
    return guest_memory_read(memory, address, to, size) == size;
}
