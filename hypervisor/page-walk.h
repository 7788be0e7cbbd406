/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address to the memory behind it, through page tables that are only
 * read: a guest's own, and those that Xen gives the processor for it.
 *
 * Tables may change while they are read and say anything.  A walk reads at
 * most one entry for each level, and believes none: what an entry points to
 * is for the caller's reader of entries to check.
 */
#ifndef XENOPROF_HYPERVISOR_PAGE_WALK_H
#define XENOPROF_HYPERVISOR_PAGE_WALK_H

#include "port.h"

enum page_format {
    PAGE_FORMAT_32,   /* two levels of four-byte entries */
    PAGE_FORMAT_PAE,  /* three levels for 32-bit addresses */
    PAGE_FORMAT_LONG, /* four levels */
    PAGE_FORMAT_LA57, /* five */
    PAGE_FORMAT_NPT,  /* guest frames to machine frames as Xen fills them in
                         for AMD, with the sort of page in bits 52 to 58 */
    PAGE_FORMAT_EPT,  /* the same for Intel, in bits 52 to 57 */
    PAGE_FORMATS
};

/* The entry of so many bytes (4 or 8) at a physical address; 0, which leads
 * nowhere: there is no memory that may be read. */
typedef uint64_t page_entry_reader(void *self, uint64_t address,
                                   unsigned int bytes);

struct page_walk {
    enum page_format format;
    bool user;     /* only what user mode may read */
    bool no_large; /* PAGE_FORMAT_32: CR4.PSE is clear */
    uint64_t root; /* physical address of the top table */
    page_entry_reader *read;
    void *self; /* for it */

    /* Kept by page_walk(): the lowest table that it came to, so that the next
     * page need not be walked to from the top.  0: none.  To be cleared when
     * tables are to be looked at anew. */
    uint64_t near; /* the address without its lowest table's bits, plus 1 */
    uint64_t near_table;
};

/*
 * The physical address that address is mapped to, read-only or writable.
 * False: to none, or an entry has a bit that the processor would not accept;
 * in second-level tables also: to no plain memory (device, grant, foreign,
 * shared, paged out, populated on demand, broken). [nmi], if read() is
 */
bool page_walk(struct page_walk *walk, uint64_t address, uint64_t *ret);

#endif
