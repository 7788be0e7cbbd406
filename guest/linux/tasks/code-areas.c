/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Areas, read some at a time, since each read is a message. */
#include "code-areas.h"

#include <string.h>
#include <xenoprof/fetch.h>

#include "area-tree.h"

/* Linux's VM_EXEC, PAGE_SHIFT. */
#define AREA_EXECUTES 4u
#define PAGE_BITS     12u

struct area_reading {
    const struct kernel_layout *layout;
    struct guest_memory *memory;
    uint64_t mm;
    uint32_t bytes; /* of an area, that are read */
    uint32_t left;  /* areas that may still be looked at */
    struct code_areas *ret;
};

static uint64_t word_of_area(const struct area_reading *reading,
                             const uint8_t *area, enum kernel_member which)
{
    uint64_t word;

    memcpy(&word, area + reading->layout->at[which], sizeof(word));
    return word;
}

/* Keeps it if it is code.  Returns whether it is an area of this memory. */
static bool take_area(const struct area_reading *reading, const uint8_t *area)
{
    struct code_areas *ret = reading->ret;
    struct code_area found = {
        .start = word_of_area(reading, area, MEMBER_AREA_START),
        .end = word_of_area(reading, area, MEMBER_AREA_END),
        .offset = word_of_area(reading, area, MEMBER_AREA_OFFSET) << PAGE_BITS,
        .file = word_of_area(reading, area, MEMBER_AREA_FILE),
    };

    if ( word_of_area(reading, area, MEMBER_AREA_MM) != reading->mm ||
         found.start >= found.end )
        return false;
    if ( (word_of_area(reading, area, MEMBER_AREA_FLAGS) & AREA_EXECUTES) &&
         ret->count < MAPPED_MAX )
        ret->items[ret->count++] = found;
    return true;
}

/* Returns whether all of them, GUEST_PIECES_MAX at most, are areas; those
 * beyond the limit are not looked at. */
static bool take_areas(void *self, const uint64_t *addresses, size_t count)
{
    struct area_reading *reading = self;
    struct guest_piece pieces[GUEST_PIECES_MAX];
    uint8_t areas[GUEST_PIECES_MAX * AREA_BYTES_MAX];

    if ( count > reading->left )
        count = reading->left;
    if ( !count )
        return true;
    reading->left -= (uint32_t)count;
    for ( size_t i = 0; i < count; i++ )
        pieces[i] = (struct guest_piece){addresses[i], reading->bytes};
    if ( guest_memory_read_pieces(reading->memory, pieces, count, areas) !=
         count * reading->bytes )
        return false;
    for ( size_t i = 0; i < count; i++ )
        if ( !take_area(reading, areas + i * reading->bytes) )
            return false;
    return true;
}

/* Of kernels before 6.1.  A circle does not ascend. */
static bool take_area_list(struct area_reading *reading, uint64_t address)
{
    uint8_t area[AREA_BYTES_MAX];
    uint64_t end = 0;

    while ( address && reading->left-- )
    {
        if ( address % 8 || !xenoprof_fetch_is_kernel(address) ||
             !guest_memory_get(reading->memory, address, area,
                               reading->bytes) ||
             !take_area(reading, area) ||
             word_of_area(reading, area, MEMBER_AREA_START) < end )
            return false;
        end = word_of_area(reading, area, MEMBER_AREA_END);
        address = word_of_area(reading, area, MEMBER_AREA_NEXT);
    }
    return true;
}

bool code_areas_read(const struct kernel_layout *layout,
                     struct guest_memory *memory, uint64_t mm,
                     struct code_areas *ret)
{
    struct area_reading reading = {
        .layout = layout,
        .memory = memory,
        .mm = mm,
        .bytes = kernel_area_bytes(layout),
        .left = AREAS_MAX,
        .ret = ret,
    };
    const struct area_taker taker = {take_areas, &reading};
    bool tree = layout->known & FOR_TREE;
    uint64_t at = mm, first;

    ret->count = 0;
    if ( !(layout->known & FOR_AREAS) )
        return false;
    at += tree ? layout->at[MEMBER_MM_TREE] + layout->at[MEMBER_TREE_ROOT]
               : layout->at[MEMBER_MM_LIST];
    if ( !guest_memory_get(memory, at, &first, sizeof(first)) )
        return false;
    return tree ? area_tree_walk(layout, memory, first, &taker)
                : take_area_list(&reading, first);
}
