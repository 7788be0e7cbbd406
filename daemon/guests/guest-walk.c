/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page tables of x86, in the shapes that a guest may use. */
#include <string.h>

#include "guest-walk.h"

#define ENTRY_PRESENT 1u
#define ENTRY_LARGE   0x80u
#define ENTRY_FRAME   0x000ffffffffff000ul
/* Of an entry in PAE's first level the processor takes none with these bits,
 * one of which it sets itself in each entry of other tables that it uses. */
#define ENTRY_NOT_PAE 0x1e6u

/* One level of tables: which bits of an address choose the entry. */
struct level {
    unsigned int shift, bits;
    bool may_be_large;
};

struct shape {
    unsigned int levels, entry_bytes, address_bits;
    uint64_t root;    /* bits of cr3 that are its address */
    uint64_t not_top; /* bits that no entry of the first level has */
    struct level level[5];
};

static const struct shape walk_shapes[WALK_SHAPES] = {
    [WALK_PAE] = {3,
                  8,
                  32,
                  0xffffffe0u,
                  ENTRY_NOT_PAE,
                  {{30, 2, false}, {21, 9, true}, {12, 9, false}}},
    [WALK_64] =
        {4,
         8,
         48,
         ENTRY_FRAME,
         0,
         {{39, 9, false}, {30, 9, true}, {21, 9, true}, {12, 9, false}}},
    [WALK_LA57] = {5,
                   8,
                   57,
                   ENTRY_FRAME,
                   0,
                   {{48, 9, false},
                    {39, 9, false},
                    {30, 9, true},
                    {21, 9, true},
                    {12, 9, false}}},
    [WALK_32] = {2, 4, 32, 0xfffff000u, 0, {{22, 10, true}, {12, 10, false}}},
    [WALK_NONE] = {.address_bits = 32},
};

/* An address that the processor would take: its high bits are copies. */
static bool has_sign_bits(const struct shape *shape, uint64_t address)
{
    uint64_t high = address >> (shape->address_bits - 1);

    if ( shape->address_bits == 32 )
        return address >> 32 == 0;
    return high == 0 || high == ~0ul >> (shape->address_bits - 1);
}

static size_t read_guest_frames(const struct guest_walk *walk,
                                const uint64_t *frames, size_t count, void *to)
{
    const struct xen *xen = walk->xen;

    return xen->calls->read_frames(xen->self, walk->domain, frames, count, to);
}

/* A page of tables; NULL: it cannot be read. */
static const uint8_t *table_page(struct guest_walk *walk, uint64_t frame)
{
    struct walk_cached *cached;

    for ( unsigned int i = 0; i < WALK_CACHED; i++ )
        if ( walk->cache[i].valid && walk->cache[i].frame == frame )
            return walk->cache[i].bytes;
    cached = &walk->cache[walk->next++ % WALK_CACHED];
    cached->frame = frame;
    cached->valid = read_guest_frames(walk, &frame, 1, cached->bytes) == 1;
    return cached->valid ? cached->bytes : NULL;
}

static bool read_entry(struct guest_walk *walk, const struct shape *shape,
                       uint64_t table, uint64_t index, uint64_t *entry)
{
    uint64_t at = table + index * shape->entry_bytes;
    const uint8_t *page = table_page(walk, at / GUEST_PAGE);

    *entry = 0;
    if ( page )
        memcpy(entry, page + at % GUEST_PAGE, shape->entry_bytes);
    return page && (*entry & ENTRY_PRESENT);
}

bool guest_walk_find(struct guest_walk *walk, uint64_t address, uint64_t *frame)
{
    const struct shape *shape = &walk_shapes[walk->shape];
    uint64_t table = shape->levels ? walk->cr3 & shape->root : address;
    uint64_t entry = 0;

    if ( !has_sign_bits(shape, address) )
        return false;
    for ( unsigned int i = 0; i < shape->levels; i++ )
    {
        const struct level *level = &shape->level[i];
        uint64_t index = address >> level->shift & ((1ul << level->bits) - 1);
        uint64_t inside = (1ul << level->shift) - 1;

        if ( !read_entry(walk, shape, table, index, &entry) ||
             (i == 0 && entry & shape->not_top) )
            return false;
        table = entry & ENTRY_FRAME;
        if ( level->may_be_large && (entry & ENTRY_LARGE) )
        {
            table = (table & ~inside) + (address & inside);
            break;
        }
    }
    *frame = table / GUEST_PAGE;
    return true;
}

/* As much as one group of pages has. */
static size_t read_page_group(struct guest_walk *walk, uint64_t address,
                              void *to, size_t size)
{
    uint8_t bytes[WALK_PAGES_AT_ONCE * GUEST_PAGE];
    uint64_t frames[WALK_PAGES_AT_ONCE];
    size_t offset = address % GUEST_PAGE, count = 0, there;
    size_t pages = (offset + size + GUEST_PAGE - 1) / GUEST_PAGE;

    while ( count < WALK_PAGES_AT_ONCE && count < pages &&
            guest_walk_find(walk, address - offset + count * GUEST_PAGE,
                            &frames[count]) )
        count++;
    if ( count )
        count = read_guest_frames(walk, frames, count, bytes);
    there = count ? count * GUEST_PAGE - offset : 0;
    if ( there > size )
        there = size;
    memcpy(to, bytes + offset, there);
    return there;
}

size_t guest_walk_read(struct guest_walk *walk, uint64_t address, void *to,
                       size_t size)
{
    size_t got = 0, some;

    do
    {
        some = read_page_group(walk, address + got, (uint8_t *)to + got,
                               size - got);
        got += some;
    } while ( some && got < size && (address + got) % GUEST_PAGE == 0 );
    return got;
}

size_t guest_walk_answer(void *walk, uint64_t address, void *to, size_t size)
{
    return guest_walk_read(walk, address, to, size);
}

void guest_walk_forget(struct guest_walk *walk)
{
    for ( unsigned int i = 0; i < WALK_CACHED; i++ )
        walk->cache[i].valid = false;
}

bool guest_walk_open(struct guest_walk *walk, const struct xen *xen,
                     uint16_t domain, uint64_t cr3, uint64_t address)
{
    uint8_t byte;

    walk->xen = xen;
    walk->domain = domain;
    walk->cr3 = cr3;
    walk->next = 0;
    guest_walk_forget(walk);
    for ( int shape = 0; shape < WALK_SHAPES; shape++ )
    {
        if ( (shape == WALK_NONE) != (cr3 == 0) )
            continue;
        walk->shape = (enum walk_shape)shape;
        if ( guest_walk_read(walk, address, &byte, 1) == 1 )
            return true;
    }
    return false;
}
