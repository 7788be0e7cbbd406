/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is far away, read in groups of bytes that are kept: most reads
 * are of a few near those of the read before, and each has to be asked for
 * elsewhere.  A group is read as a whole when it is asked for again: who looks
 * at one place of each has no use for more.
 */
#ifndef XENOPROF_GUEST_NEAR_H
#define XENOPROF_GUEST_NEAR_H

#include "memory.h"

#define NEAR_GROUP  4096u /* bytes: a page */
#define NEAR_GROUPS 64u

struct near_group {
    uint64_t address;
    bool used;
    size_t size; /* that is there; 0: it was asked for once, in part */
    uint8_t bytes[NEAR_GROUP];
};

/* All zeroes: nothing is kept. */
struct near_memory {
    unsigned int next; /* to be replaced */
    struct near_group groups[NEAR_GROUPS];
};

/* All is read afresh from now on. */
void near_forget(struct near_memory *near);

/* As far->read, which it reads with; bytes may be as they were when they were
 * first asked for.  What it reads beyond size is taken off far->left; if that
 * is not enough it is 0, and nothing is read. */
size_t near_get(struct near_memory *near, struct guest_memory *far,
                uint64_t address, void *to, size_t size);

#endif
