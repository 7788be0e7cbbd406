/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's memory by virtual address: a walk through its page tables while it
 * runs.  The tables are not trusted: they may change between two reads, point
 * anywhere, or at themselves.  Xen alone decides which frames can be read.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_WALK_H
#define XENOPROF_DAEMON_GUESTS_GUEST_WALK_H

#include "daemon/xen.h"

#define GUEST_PAGE  4096u
#define WALK_CACHED 64u /* pages of tables */
/* Pages of the longest read of a search, 64 KiB, wherever it begins. */
#define WALK_PAGES_AT_ONCE 17u

/* How its page tables are built, in the order in which they are tried. */
enum walk_shape {
    WALK_PAE,  /* 32-bit, entries of 8 bytes */
    WALK_64,   /* four levels */
    WALK_LA57, /* five */
    WALK_32,   /* 32-bit, entries of 4 bytes */
    WALK_NONE, /* no paging: cr3 is 0, addresses are of 32 bits */
    WALK_SHAPES
};

struct walk_cached {
    uint64_t frame;
    bool valid;
    uint8_t bytes[GUEST_PAGE];
};

struct guest_walk {
    const struct xen *xen;
    uint16_t domain;
    uint64_t cr3;
    enum walk_shape shape;
    unsigned int next; /* to be replaced in the cache */
    struct walk_cached cache[WALK_CACHED];
};

/*
 * Opens a walk from the registers of a sample in the guest's kernel: the shape
 * of the tables is the first in which the instruction at address can be read.
 * Returns false if there is no such shape.
 */
bool guest_walk_open(struct guest_walk *walk, const struct xen *xen,
                     uint16_t domain, uint64_t cr3, uint64_t address);

/* Drops the cache: the tables are read again. */
void guest_walk_forget(struct guest_walk *walk);

/* Returns true and the frame of the page at address, false if there is no page
 * now. */
bool guest_walk_find(struct guest_walk *walk, uint64_t address,
                     uint64_t *frame);

/* Reads from address on.  Returns how many bytes were read before the first
 * page that cannot be read. */
size_t guest_walk_read(struct guest_walk *walk, uint64_t address, void *to,
                       size_t size);
/* The same, as a search_read() of a struct guest_walk. */
size_t guest_walk_answer(void *walk, uint64_t address, void *to, size_t size);

#endif
