/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's memory by virtual address, as the code that looks into its kernel
 * sees it.  The guest wrote every byte: bytes may lie, and may change between
 * two reads.
 *
 * A source of memory (foreign pages, pipes, a file for tests) is a function
 * of the shape of read, and the code that fills the structure.
 */
#ifndef XENOPROF_GUEST_MEMORY_H
#define XENOPROF_GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guest_piece {
    uint64_t address;
    size_t size;
};

/* Of one read of several. */
#define GUEST_PIECES_MAX 16u

struct guest_memory {
    /* Returns how many of the size bytes from address on it read: all of
     * them, or those before the first page that is not present. */
    size_t (*read)(void *self, uint64_t address, void *to, size_t size);
    /* The same of several pieces, one behind the other; NULL: by read. */
    size_t (*read_pieces)(void *self, const struct guest_piece *pieces,
                          size_t count, void *to);
    void *self;
    uint64_t left;            /* bytes that may still be read: a budget */
    struct near_memory *near; /* keeps what was read; may be NULL */
};

/* Returns what read() returns, and takes size off the budget, with the bytes
 * that are read in addition to be kept.  Returns 0 when the budget is used
 * up. */
size_t guest_memory_read(struct guest_memory *memory, uint64_t address,
                         void *to, size_t size);
/* Reads some pieces that lie far from each other, at most GUEST_PIECES_MAX, in
 * one message where each read is one.  Returns how many bytes were read before
 * the first that cannot be; nothing is kept. */
size_t guest_memory_read_pieces(struct guest_memory *memory,
                                const struct guest_piece *pieces, size_t count,
                                void *to);
/* Returns whether all size bytes were read. */
bool guest_memory_get(struct guest_memory *memory, uint64_t address, void *to,
                      size_t size);

#define NEAR_GROUP  4096u /* bytes: a page */
#define NEAR_GROUPS 64u

struct near_group {
    uint64_t address;
    bool used;
    size_t size; /* of bytes; 0 until the group is read as a whole */
    uint8_t bytes[NEAR_GROUP];
};

/*
 * Keeps groups of bytes of memory that is slow to read: most reads are of a
 * few bytes near those of the read before.  A group is read as a whole when it
 * is asked for a second time, since a search that looks at one address in each
 * group has no use for the rest.  All zeroes is an empty one.
 */
struct near_memory {
    unsigned int next; /* group to be replaced */
    struct near_group groups[NEAR_GROUPS];
};

/* Drops all that is kept. */
void near_forget(struct near_memory *near);

#endif
