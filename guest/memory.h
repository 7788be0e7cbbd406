/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's memory by virtual address, as whoever looks into its kernel sees
 * it.  Every byte is the guest's word: it may change between two reads, and
 * lie.
 *
 * To add a source of memory (foreign pages, pipes, a file for tests): a
 * function of this shape, and who fills the structure.
 */
#ifndef XENOPROF_GUEST_MEMORY_H
#define XENOPROF_GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guest_memory {
    /* Reads from address on; returns how many bytes were there before the
     * first page that is not, at most size. */
    size_t (*read)(void *self, uint64_t address, void *to, size_t size);
    void *self;
    uint64_t left;            /* bytes that may still be read: a budget */
    struct near_memory *near; /* that keeps what was read; NULL: nothing does */
};

/* As above, and takes what it asked for off the budget, and what is read beyond
 * that to be kept; 0 when that is used up. */
size_t guest_memory_read(struct guest_memory *memory, uint64_t address,
                         void *to, size_t size);
/* All of it, or false. */
bool guest_memory_get(struct guest_memory *memory, uint64_t address, void *to,
                      size_t size);

#endif
