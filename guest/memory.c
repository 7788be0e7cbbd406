/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "near.h"

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
    got = memory->near ? near_get(memory->near, memory, address, to, size)
                       : memory->read(memory->self, address, to, size);
    return got < size ? got : size;
}

bool guest_memory_get(struct guest_memory *memory, uint64_t address, void *to,
                      size_t size)
{
    return guest_memory_read(memory, address, to, size) == size;
}
