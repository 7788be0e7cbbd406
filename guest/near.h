/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is far away, read in groups of bytes that are kept: most reads
 * are of a few near those of the read before, and each has to be asked for
 * elsewhere.
 */
#ifndef GUEST_NEAR_H
#define GUEST_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define NEAR_GROUP  4096u /* bytes: a page */
#define NEAR_GROUPS 64u

/* As that of struct guest_memory. */
typedef size_t (*near_read)(void *self, uint64_t address, void *to,
                            size_t size);

struct near_group {
    uint64_t address;
    size_t size; /* that was there; 0: not filled */
    uint8_t bytes[NEAR_GROUP];
};

struct near_memory {
    near_read read; /* from far away */
    void *self;
    unsigned int next; /* to be replaced */
    struct near_group groups[NEAR_GROUPS];
};

/* All is read afresh from now on. */
void near_forget(struct near_memory *near);

/* As near->read; bytes may be as they were when they were first asked for. */
size_t near_get(struct near_memory *near, uint64_t address, void *to,
                size_t size);

#endif
