/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's memory by virtual address: our own walk through its page tables,
 * while it runs.  Tables are the guest's word: they may change between two
 * reads, point anywhere, or at themselves; Xen alone decides which frames can
 * be read.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_WALK_H
#define XENOPROF_DAEMON_GUESTS_GUEST_WALK_H

#include "daemon/xen.h"

#define GUEST_PAGE  4096u
#define WALK_CACHED 64u /* pages of tables */
/* What the parser asks for at most, 64 KiB, wherever it begins. */
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
 * From the registers of a sample in the guest's kernel.  The shape is that in
 * which address, the instruction there, can be read.  False: there is none.
 */
bool guest_walk_open(struct guest_walk *walk, const struct xen *xen,
                     uint16_t domain, uint64_t cr3, uint64_t address);

/* All is read afresh from now on. */
void guest_walk_forget(struct guest_walk *walk);

/* Frame of the page at address; false: there is no page now. */
bool guest_walk_find(struct guest_walk *walk, uint64_t address,
                     uint64_t *frame);

/* Reads from address on; how many bytes were there before the first page
 * that cannot be read. */
size_t guest_walk_read(struct guest_walk *walk, uint64_t address, void *to,
                       size_t size);

#endif
