/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address to the memory behind it, through page tables that are only
 * read: a guest's own, and those that Xen gives the processor for the guest.
 *
 * Tables may change while they are read, and may contain anything.  A walk
 * reads at most one entry for each level and trusts none: the caller's function
 * that reads entries checks where they point.
 *
 * All of it is in this header, to be inlined together with that function: a
 * call for each entry would cost more than the entry.
 */
#ifndef XENOPROF_HYPERVISOR_PAGE_WALK_H
#define XENOPROF_HYPERVISOR_PAGE_WALK_H

#include "port.h"

enum page_format {
    PAGE_FORMAT_32,   /* two levels of four-byte entries */
    PAGE_FORMAT_PAE,  /* three levels for 32-bit addresses */
    PAGE_FORMAT_LONG, /* four levels */
    PAGE_FORMAT_LA57, /* five levels */
    PAGE_FORMAT_NPT,  /* guest frames to machine frames, as Xen fills them in
                         for AMD, with the page's type in bits 52 to 58 */
    PAGE_FORMAT_EPT,  /* the same for Intel, the type in bits 52 to 57 */
    PAGE_FORMATS
};

#define PAGE_LEVELS_MAX 5u

struct page_walk {
    enum page_format format;
    bool user;     /* only what user mode may read */
    bool no_large; /* PAGE_FORMAT_32: CR4.PSE is clear */
    uint64_t root; /* physical address of the top table */

    /* Kept by a walk: for each level but the highest the table that it came to
     * last, so that the walk to the next page need not start at the top.  of
     * has the address bits that led to the table, plus 1, or 0 without a table.
     * The lowest level is the first. */
    struct {
        uint64_t of;
        uint64_t table;
    } near[PAGE_LEVELS_MAX - 1];
};

/* Makes the next walk start at the top. */
static inline void page_walk_forget(struct page_walk *walk)
{
    for ( unsigned int i = 0; i < PAGE_LEVELS_MAX - 1; i++ )
        walk->near[i].of = 0;
}

/* Returns the entry of so many bytes (4 or 8) at a physical address, or 0,
 * which leads nowhere, if that memory must not be read. */
typedef uint64_t page_entry_reader(void *self, uint64_t address,
                                   unsigned int bytes);

/* Compiled once for each reader and layout, when most of it is constant. */
#define PAGE_WALK static inline __attribute__((always_inline))

/*
 * Finds the physical address that a guest's tables (PAGE_FORMAT_32 to _LA57)
 * map address to, read-only or writable.  Returns true, or false if it is not
 * mapped or an entry has a bit that the processor would not accept.
 * [nmi], if read() is
 */
PAGE_WALK bool page_walk_guest(struct page_walk *walk, uint64_t address,
                               page_entry_reader *read, void *self,
                               uint64_t *ret);

/* The same for Xen's tables (PAGE_FORMAT_NPT, _EPT).  Returns false also if the
 * page is not plain memory (device, grant, foreign, shared, paged out,
 * populated on demand, broken). */
PAGE_WALK bool page_walk_p2m(struct page_walk *walk, uint64_t address,
                             page_entry_reader *read, void *self,
                             uint64_t *ret);

/* How it is done --------------------------------------------------------- */

#define PAGE_PRESENT (1ul << 0) /* EPT: may be read */
#define PAGE_USER    (1ul << 2)
#define PAGE_LARGE   (1ul << 7)
#define PAGE_PAT     (1ul << 12) /* in an entry of a large page */
#define PAGE_FRAME   0x000ffffffffff000ul

#define PAGE_PAE_RESERVED 0x7ff0000000000000ul

/* Levels that may map a large page. */
#define PAGE_LARGE_2M (1u << 2)
#define PAGE_LARGE_1G (1u << 2 | 1u << 3)

/* Types of pages that are plain memory of the guest: Xen's p2m_ram_rw,
 * p2m_ram_logdirty and p2m_ram_ro. */
#define PAGE_PLAIN_MEMORY (1ul << 0 | 1ul << 2 | 1ul << 3)

static const struct page_layout {
    uint8_t levels;
    uint8_t entry;  /* bytes */
    uint8_t bits;   /* of the address for each level, */
    uint8_t top;    /* and for the top one */
    uint8_t large;  /* a bit for each level that may map a large page */
    uint8_t sort;   /* bits of an entry for the type of the page */
    bool is_signed; /* addresses are sign-extended */
    uint8_t rights; /* bits that user mode needs in an entry, */
    uint8_t at_top; /* and in an entry of the top level */
    uint64_t reserved;
} page_layouts[PAGE_FORMATS] = {
    [PAGE_FORMAT_32] = {2, 4, 10, 10, PAGE_LARGE_2M, 0, false, PAGE_USER,
                        PAGE_USER, 0},
    [PAGE_FORMAT_PAE] = {3, 8, 9, 2, PAGE_LARGE_2M, 0, false, PAGE_USER, 0,
                         PAGE_PAE_RESERVED},
    [PAGE_FORMAT_LONG] = {4, 8, 9, 9, PAGE_LARGE_1G, 0, true, PAGE_USER,
                          PAGE_USER, 0},
    [PAGE_FORMAT_LA57] = {5, 8, 9, 9, PAGE_LARGE_1G, 0, true, PAGE_USER,
                          PAGE_USER, 0},
    [PAGE_FORMAT_NPT] = {4, 8, 9, 9, PAGE_LARGE_1G, 7, false, 0, 0, 0},
    [PAGE_FORMAT_EPT] = {4, 8, 9, 9, PAGE_LARGE_1G, 6, false, 0, 0, 0},
};

/* Returns whether the address has so many bits, sign-extended if the layout
 * says so. */
PAGE_WALK bool page_is_address(const struct page_layout *layout,
                               uint64_t address, unsigned int bits)
{
    uint64_t above = address >> (bits - layout->is_signed);

    return !above || (layout->is_signed && above == ~0ul >> (bits - 1));
}

PAGE_WALK bool page_is_plain(const struct page_layout *layout, uint64_t entry)
{
    uint64_t sort = entry >> 52 & ((1ul << layout->sort) - 1);

    return sort < 64 && PAGE_PLAIN_MEMORY >> sort & 1;
}

/* Finds where a large page begins.  Returns false if that is not a multiple of
 * its size. */
PAGE_WALK bool page_large_start(const struct page_layout *layout,
                                uint64_t entry, uint64_t size, uint64_t *ret)
{
    uint64_t start = entry & PAGE_FRAME & ~PAGE_PAT;

    /* With two levels, bits 13 to 20 go above the 32nd. */
    if ( layout->entry == 4 )
        start = (start & ~0x1fe000ul) | (entry >> 13 & 0xff) << 32;
    *ret = start;
    return !(start & (size - 1));
}

/* Returns the lowest bit of an address that is in a level's index. */
PAGE_WALK unsigned int page_shift(const struct page_layout *layout,
                                  unsigned int level)
{
    return 12 + layout->bits * (level - 1);
}

/* Returns the bits of an address that lead to its table of a level, as near[]
 * has them. */
PAGE_WALK uint64_t page_near(const struct page_layout *layout, uint64_t address,
                             unsigned int level)
{
    return (address >> page_shift(layout, level + 1)) + 1;
}

/* Returns the lowest level whose table is known, at worst the top one. */
PAGE_WALK unsigned int page_known(const struct page_walk *walk,
                                  const struct page_layout *layout,
                                  uint64_t address)
{
    unsigned int level = 1;

    while ( level < layout->levels &&
            walk->near[level - 1].of != page_near(layout, address, level) )
        level++;
    return level;
}

/* Returns an entry of a level's table, or 0 if it leads nowhere. */
PAGE_WALK uint64_t page_entry(const struct page_walk *walk,
                              const struct page_layout *layout,
                              uint64_t address, unsigned int level,
                              page_entry_reader *read, void *self)
{
    bool top = level == layout->levels;
    uint64_t table = top ? walk->root : walk->near[level - 1].table;
    uint64_t mask = (1ul << (top ? layout->top : layout->bits)) - 1;
    uint64_t index = address >> page_shift(layout, level) & mask;
    uint64_t rights = walk->user ? top ? layout->at_top : layout->rights : 0;
    uint64_t needed = PAGE_PRESENT | rights;
    uint64_t entry = read(self, table + index * layout->entry, layout->entry);

    return (entry & needed) != needed || entry & layout->reserved ? 0 : entry;
}

/* Returns the entry that maps a page, and its level; or 0 without one. */
PAGE_WALK uint64_t page_last_entry(struct page_walk *walk,
                                   const struct page_layout *layout,
                                   uint64_t address, page_entry_reader *read,
                                   void *self, unsigned int *level)
{
    uint64_t large = layout->entry == 4 && walk->no_large ? 0 : PAGE_LARGE;
    unsigned int known = page_known(walk, layout, address);

#pragma GCC unroll 5
    for ( unsigned int at = layout->levels; at; at-- )
    {
        uint64_t entry;

        if ( at > known )
            continue;
        entry = page_entry(walk, layout, address, at, read, self);
        *level = at;
        if ( at == 1 || !entry || entry & large )
            return entry;
        walk->near[at - 2].of = page_near(layout, address, at - 1);
        walk->near[at - 2].table = entry & PAGE_FRAME;
    }
    return 0;
}

PAGE_WALK bool page_walk_as(struct page_walk *walk,
                            const struct page_layout *layout, uint64_t address,
                            page_entry_reader *read, void *self, uint64_t *ret)
{
    unsigned int shift = page_shift(layout, layout->levels);
    uint64_t entry, start;
    unsigned int level;

    if ( !page_is_address(layout, address, shift + layout->top) )
        return false;
    entry = page_last_entry(walk, layout, address, read, self, &level);
    if ( !entry || (layout->sort && !page_is_plain(layout, entry)) )
        return false;
    start = entry & PAGE_FRAME;
    shift = page_shift(layout, level);
    if ( level > 1 && (!(layout->large >> level & 1) ||
                       !page_large_start(layout, entry, 1ul << shift, &start)) )
        return false;
    *ret = start | (address & ((1ul << shift) - 1));
    return true;
}

#define PAGE_WALK_AS(format)                                                   \
    page_walk_as(walk, &page_layouts[format], address, read, self, ret)

PAGE_WALK bool page_walk_guest(struct page_walk *walk, uint64_t address,
                               page_entry_reader *read, void *self,
                               uint64_t *ret)
{
    if ( walk->format == PAGE_FORMAT_LONG )
        return PAGE_WALK_AS(PAGE_FORMAT_LONG);
    switch ( walk->format )
    {
    case PAGE_FORMAT_LA57: return PAGE_WALK_AS(PAGE_FORMAT_LA57);
    case PAGE_FORMAT_PAE: return PAGE_WALK_AS(PAGE_FORMAT_PAE);
    case PAGE_FORMAT_32: return PAGE_WALK_AS(PAGE_FORMAT_32);
    default: return false;
    }
}

PAGE_WALK bool page_walk_p2m(struct page_walk *walk, uint64_t address,
                             page_entry_reader *read, void *self, uint64_t *ret)
{
    if ( walk->format == PAGE_FORMAT_NPT )
        return PAGE_WALK_AS(PAGE_FORMAT_NPT);
    return walk->format == PAGE_FORMAT_EPT && PAGE_WALK_AS(PAGE_FORMAT_EPT);
}

#undef PAGE_WALK_AS

#endif
