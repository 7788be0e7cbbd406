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
    uint8_t entry;  /* bytes */
    uint8_t bits;   /* of the address for each level, */
    uint8_t top;    /* and for the top one */
    uint8_t large;  /* a bit for each level that may map a large page */
    uint8_t sort;   /* bits of an entry that say which sort of page it is */
    bool is_signed; /* the address is continued by its top bit */
    uint8_t rights; /* of user mode, in an entry, */
    uint8_t at_top; /* and in the top one's */
    uint64_t reserved;
} layouts[PAGE_FORMATS] = {
    [PAGE_FORMAT_32] = {2, 4, 10, 10, LARGE_2M, 0, false, USER, USER, 0},
    [PAGE_FORMAT_PAE] = {3, 8, 9, 2, LARGE_2M, 0, false, USER, 0, PAE_RESERVED},
    [PAGE_FORMAT_LONG] = {4, 8, 9, 9, LARGE_1G, 0, true, USER, USER, 0},
    [PAGE_FORMAT_LA57] = {5, 8, 9, 9, LARGE_1G, 0, true, USER, USER, 0},
    [PAGE_FORMAT_NPT] = {4, 8, 9, 9, LARGE_1G, 7, false, 0, 0, 0},
    [PAGE_FORMAT_EPT] = {4, 8, 9, 9, LARGE_1G, 6, false, 0, 0, 0},
};

/* bits: the whole address has so many, or says so with its top bit. */
static bool is_address(const struct layout *layout, uint64_t address,
                       unsigned int bits)
{
    uint64_t above = address >> (bits - layout->is_signed);

    return !above || (layout->is_signed && above == ~0ul >> (bits - 1));
}

static bool is_plain(const struct layout *layout, uint64_t entry)
{
    uint64_t sort = entry >> 52 & ((1ul << layout->sort) - 1);

    return sort < 64 && PLAIN_MEMORY >> sort & 1;
}

/* Where a large page begins; false: not at a multiple of its size. */
static bool large_start(const struct layout *layout, uint64_t entry,
                        uint64_t size, uint64_t *ret)
{
    uint64_t start = entry & FRAME & ~PAT;

    /* With two levels, bits 13 to 20 go above the 32nd. */
    if ( layout->entry == 4 )
        start = (start & ~0x1fe000ul) | (entry >> 13 & 0xff) << 32;
    *ret = start;
    return !(start & (size - 1));
}

/* Compiled once for each layout: most of it is known then. */
#define FOR_EACH_LAYOUT static inline __attribute__((always_inline))

/* Where a walk is. */
struct place {
    uint64_t table;
    uint64_t mask;   /* bits of the address that are its index, */
    uint64_t needed; /* and bits that its entries must have */
    unsigned int shift;
    unsigned int level;
};

FOR_EACH_LAYOUT struct place lowest(const struct page_walk *walk,
                                    const struct layout *layout, uint64_t table)
{
    return (struct place){
        .table = table,
        .mask = (1ul << layout->bits) - 1,
        .needed = PRESENT | (walk->user ? layout->rights : 0),
        .shift = 12,
        .level = 1,
    };
}

FOR_EACH_LAYOUT struct place highest(const struct page_walk *walk,
                                     const struct layout *layout)
{
    return (struct place){
        .table = walk->root,
        .mask = (1ul << layout->top) - 1,
        .needed = PRESENT | (walk->user ? layout->at_top : 0),
        .shift = 12 + layout->bits * (layout->levels - 1),
        .level = layout->levels,
    };
}

/* The entry that maps a page, and of which level it is; 0: there is none. */
FOR_EACH_LAYOUT uint64_t last_entry(struct page_walk *walk,
                                    const struct layout *layout,
                                    uint64_t address, unsigned int *level)
{
    uint64_t large = layout->entry == 4 && walk->no_large ? 0 : LARGE;
    uint64_t near = (address >> (12 + layout->bits)) + 1;
    struct place low = lowest(walk, layout, walk->near_table);
    struct place at = walk->near == near ? low : highest(walk, layout);

    for ( ;; )
    {
        uint64_t index = address >> at.shift & at.mask;
        uint64_t entry = walk->read(
            walk->self, at.table + index * layout->entry, layout->entry);

        if ( (entry & at.needed) != at.needed || entry & layout->reserved )
            return 0;
        *level = at.level;
        if ( at.level == 1 || entry & large )
            return entry;
        at.table = entry & FRAME;
        at.mask = low.mask;
        at.needed = low.needed;
        at.shift -= layout->bits;
        if ( --at.level > 1 )
            continue;
        walk->near = near;
        walk->near_table = at.table;
    }
}

FOR_EACH_LAYOUT bool walk_as(struct page_walk *walk,
                             const struct layout *layout, uint64_t address,
                             uint64_t *ret)
{
    unsigned int shift = 12 + layout->bits * (layout->levels - 1);
    uint64_t entry, start;
    unsigned int level;

    if ( !is_address(layout, address, shift + layout->top) )
        return false;
    entry = last_entry(walk, layout, address, &level);
    if ( !entry || (layout->sort && !is_plain(layout, entry)) )
        return false;
    start = entry & FRAME;
    shift = 12 + layout->bits * (level - 1);
    if ( level > 1 && (!(layout->large >> level & 1) ||
                       !large_start(layout, entry, 1ul << shift, &start)) )
        return false;
    *ret = start | (address & ((1ul << shift) - 1));
    return true;
}

bool page_walk(struct page_walk *walk, uint64_t address, uint64_t *ret)
{
#define WALK_AS(format)                                                        \
    case format: return walk_as(walk, &layouts[format], address, ret)

    switch ( walk->format )
    {
        WALK_AS(PAGE_FORMAT_NPT);
        WALK_AS(PAGE_FORMAT_EPT);
        WALK_AS(PAGE_FORMAT_LONG);
        WALK_AS(PAGE_FORMAT_LA57);
        WALK_AS(PAGE_FORMAT_PAE);
        WALK_AS(PAGE_FORMAT_32);
    case PAGE_FORMATS: break;
    }
    return false;
#undef WALK_AS
}
