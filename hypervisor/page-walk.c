/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-walk.h"

#define PRESENT (1ul << 0) /* EPT: may be read */
#define USER    (1ul << 2)
#define LARGE   (1ul << 7)
#define PAT     (1ul << 12) /* in an entry of a large page */
#define FRAME   0x000ffffffffff000ul

#define PAE_RESERVED 0x7ff0000000000000ul

/* Levels that may map a large page. */
#define LARGE_2M (1u << 2)
#define LARGE_1G (1u << 2 | 1u << 3)

/* Sorts of pages that are plain memory of the guest's own: as it is, watched
 * for writes, and read-only. */
#define PLAIN_MEMORY (1ul << 0 | 1ul << 2 | 1ul << 3)

static const struct layout {
    uint8_t levels;
    uint8_t entry;   /* bytes */
    uint8_t bits;    /* of the address for each level, */
    uint8_t top;     /* and for the top one */
    uint8_t large;   /* a bit for each level that may map a large page */
    uint8_t sort;    /* bits of an entry that say which sort of page it is */
    bool is_signed;  /* the address is continued by its top bit */
    bool has_rights; /* of user mode, in all levels */
    uint64_t reserved;
} layouts[PAGE_FORMATS] = {
    [PAGE_FORMAT_32] = {2, 4, 10, 10, LARGE_2M, 0, false, true, 0},
    [PAGE_FORMAT_PAE] = {3, 8, 9, 2, LARGE_2M, 0, false, true, PAE_RESERVED},
    [PAGE_FORMAT_LONG] = {4, 8, 9, 9, LARGE_1G, 0, true, true, 0},
    [PAGE_FORMAT_LA57] = {5, 8, 9, 9, LARGE_1G, 0, true, true, 0},
    [PAGE_FORMAT_NPT] = {4, 8, 9, 9, LARGE_1G, 7, false, false, 0},
    [PAGE_FORMAT_EPT] = {4, 8, 9, 9, LARGE_1G, 6, false, false, 0},
};

/* How far right the address goes before a level's bits are its lowest. */
static unsigned int shift_of(const struct layout *layout, unsigned int level)
{
    return 12 + layout->bits * (level - 1);
}

static bool is_address(const struct layout *layout, uint64_t address)
{
    unsigned int bits = shift_of(layout, layout->levels) + layout->top;
    uint64_t above = address >> (layout->is_signed ? bits - 1 : bits);

    return !above || (layout->is_signed && above == ~0ul >> (bits - 1));
}

/* The processor looks for rights of user mode in each entry but PAE's top. */
static bool may_read(const struct page_walk *walk, unsigned int level,
                     uint64_t entry)
{
    if ( !walk->user || !layouts[walk->format].has_rights )
        return true;
    return entry & USER || (walk->format == PAGE_FORMAT_PAE && level == 3);
}

static bool is_large(const struct page_walk *walk, unsigned int level,
                     uint64_t entry)
{
    if ( level == 1 || !(entry & LARGE) )
        return false;
    return !(walk->format == PAGE_FORMAT_32 && walk->no_large);
}

static bool is_plain(const struct layout *layout, uint64_t entry)
{
    uint64_t sort = entry >> 52 & ((1ul << layout->sort) - 1);

    return !layout->sort || (sort < 64 && PLAIN_MEMORY >> sort & 1);
}

/* Where a page of this size begins; false: not at a multiple of it. */
static bool page_start(const struct page_walk *walk, uint64_t entry,
                       uint64_t size, uint64_t *ret)
{
    uint64_t start = entry & FRAME;

    if ( size > XENOPROF_PAGE_SIZE )
        start &= ~PAT;
    /* Large pages of two levels: bits 13 to 20 go above the 32nd. */
    if ( size > XENOPROF_PAGE_SIZE && walk->format == PAGE_FORMAT_32 )
        start = (start & ~0x1fe000ul) | (entry >> 13 & 0xff) << 32;
    *ret = start;
    return !(start & (size - 1));
}

bool page_walk(const struct page_walk *walk, uint64_t address, uint64_t *ret)
{
    const struct layout *layout = &layouts[walk->format];
    uint64_t table = walk->root, entry, start;
    unsigned int level = layout->levels, shift;

    if ( !is_address(layout, address) )
        return false;
    for ( ;; level-- )
    {
        unsigned int bits = level == layout->levels ? layout->top
                                                    : layout->bits;
        uint64_t index;

        shift = shift_of(layout, level);
        index = address >> shift & ((1ul << bits) - 1);
        if ( !walk->read(walk->self, table + index * layout->entry,
                         layout->entry, &entry) ||
             !(entry & PRESENT) || entry & layout->reserved ||
             !may_read(walk, level, entry) )
            return false;
        if ( level == 1 || is_large(walk, level, entry) )
            break;
        table = entry & FRAME;
    }
    if ( (level > 1 && !(layout->large >> level & 1)) ||
         !is_plain(layout, entry) ||
         !page_start(walk, entry, 1ul << shift, &start) )
        return false;
    *ret = start | (address & ((1ul << shift) - 1));
    return true;
}
