/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of kernel modules, walked again and again. */
#include "kmod-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/sorted.h"

#define KERNEL_HALF 0xffff800000000000ull

static void free_kmod(struct kmod *kmod)
{
    symbol_list_free(&kmod->symbols);
    if ( kmod->orc )
        orc_close(kmod->orc);
    free(kmod);
}

void kmods_free(struct kmods *kmods)
{
    struct kmod *next;

    kmods_forget_ranges(kmods);
    for ( ; kmods->list; kmods->list = next )
    {
        next = kmods->list->next;
        free_kmod(kmods->list);
    }
    memset(kmods, 0, sizeof(*kmods));
}

static uint64_t word(const uint8_t *structure, uint32_t at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, structure + at, size);
    return value;
}

static bool take_kmod_name(struct kmod *kmod, const struct kmod_layout *layout,
                           const uint8_t *structure)
{
    size_t i, most = layout->name_length;

    if ( most > KMOD_NAME_MAX )
        most = KMOD_NAME_MAX;
    for ( i = 0; i < most && structure[layout->name + i]; i++ )
    {
        char letter = (char)structure[layout->name + i];

        if ( letter <= ' ' || letter > '~' )
            return false;
        kmod->name[i] = letter;
    }
    return i && i < most;
}

/* Takes what struct module says.  Returns false if it cannot be one. */
static bool take_kmod(struct kmod *kmod, const struct kmod_layout *layout,
                      const uint8_t *structure)
{
    int i;

    if ( !take_kmod_name(kmod, layout, structure) )
        return false;
    for ( i = 0; i < 2; i++ )
    {
        uint64_t start = word(structure, layout->base[i], 8);
        uint64_t size = word(structure, layout->text_size[i], 4);

        if ( !start || !size )
            continue;
        if ( start < KERNEL_HALF || size > KMOD_CODE_MAX ||
             start + size < start )
            return false;
        kmod->code[i].start = start;
        kmod->code[i].end = start + size;
    }
    kmod->kallsyms = word(structure, layout->kallsyms, 8);
    return true;
}

/* Returns the module that is known as wanted, or NULL.  The address alone does
 * not identify a module, since it may have been used again. */
static struct kmod *find_known_kmod(const struct kmods *kmods,
                                    const struct kmod *wanted)
{
    struct kmod *kmod;

    for ( kmod = kmods->list; kmod; kmod = kmod->next )
        if ( kmod->address == wanted->address &&
             kmod->kallsyms == wanted->kallsyms &&
             !memcmp(kmod->code, wanted->code, sizeof(wanted->code)) &&
             !strcmp(kmod->name, wanted->name) )
            return kmod;
    return NULL;
}

struct kmods_walk {
    struct kmods *kmods;
    struct guest_memory *memory;
    const struct kmod_layout *layout;
    enum orc_layout orc;
    uint8_t *structure;
};

void kmods_take_room(struct kmods *kmods, const struct kmod *kmod, int sign)
{
    kmods->used.symbols += (uint32_t)sign * kmod->symbols.count;
    kmods->used.names += (uint32_t)sign * kmod->symbols.names_size;
    if ( kmod->orc )
    {
        kmods->used.orc_rows += (uint32_t)sign * (uint32_t)orc_count(kmod->orc);
        kmods->used.orc_size += (uint32_t)sign * (uint32_t)orc_size(kmod->orc);
    }
}

static void complete(struct kmods_walk *walk, struct kmod *kmod)
{
    const struct kmod_room *used = &walk->kmods->used;
    struct kmod_room room;
    struct kmod_orc orc;
    bool symbols, rows;

    kmods_take_room(walk->kmods, kmod, -1);
    room = (struct kmod_room){KMODS_SYMBOLS_MAX - used->symbols,
                              KMODS_NAMES_MAX - used->names,
                              KMODS_ORC_ROWS_MAX - used->orc_rows,
                              KMODS_ORC_SIZE_MAX - used->orc_size};
    orc = (struct kmod_orc){walk->orc, room.orc_rows, room.orc_size};
    symbols = kmod_read_symbols(kmod, walk->memory, walk->layout, &room);
    rows = kmod_read_orc(kmod, walk->memory, walk->layout, walk->structure,
                         &orc);
    kmods_take_room(walk->kmods, kmod, 1);
    kmod->complete = symbols && rows;
}

/* Takes the module whose list entry is at link; *next is the next entry. */
static enum kernel_status take_kmod_at(struct kmods_walk *walk, uint64_t link,
                                       uint64_t *next)
{
    struct kmod wanted = {.address = link - walk->layout->list};
    struct kmods *kmods = walk->kmods;
    struct kmod *kmod;

    if ( !guest_memory_get(walk->memory, wanted.address, walk->structure,
                           walk->layout->size) )
        return walk->memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    *next = word(walk->structure, walk->layout->list, 8);
    if ( !take_kmod(&wanted, walk->layout, walk->structure) )
        return KERNEL_DAMAGED;
    kmod = find_known_kmod(kmods, &wanted);
    if ( !kmod )
    {
        kmod = malloc(sizeof(*kmod));
        if ( !kmod )
            return KERNEL_NO_MEMORY;
        *kmod = wanted;
        kmod->next = kmods->list;
        kmods->list = kmod;
        kmods->count++;
    }
    kmod->seen = true;
    if ( !kmod->complete )
        complete(walk, kmod);
    return KERNEL_OK;
}

static enum kernel_status walk_list(struct kmods_walk *walk, uint64_t head)
{
    enum kernel_status status = KERNEL_OK;
    uint64_t link;
    uint32_t i;

    if ( !guest_memory_get(walk->memory, head, &link, sizeof(link)) )
        return walk->memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    for ( i = 0; i < KMODS_MAX && !status && link != head; i++ )
        status = take_kmod_at(walk, link, &link);
    return !status && link != head ? KERNEL_DAMAGED : status;
}

static void drop_unseen(struct kmods *kmods)
{
    struct kmod **at = &kmods->list, *kmod;

    while ( (kmod = *at) )
    {
        if ( kmod->seen )
        {
            at = &kmod->next;
            continue;
        }
        *at = kmod->next;
        kmods->count--;
        kmods_take_room(kmods, kmod, -1);
        free_kmod(kmod);
    }
}

void kmods_forget_ranges(struct kmods *kmods)
{
    free(kmods->ranges);
    kmods->ranges = NULL;
    kmods->ranges_count = 0;
}

static int compare_kmod_ranges(const void *left, const void *right)
{
    const struct kmod_range *a = left, *b = right;

    if ( a->code.start != b->code.start )
        return a->code.start < b->code.start ? -1 : 1;
    return a->code.end < b->code.end ? -1 : a->code.end > b->code.end;
}

bool kmods_sort(struct kmods *kmods)
{
    const struct kmod *kmod;
    struct kmod_range *ranges;

    kmods_forget_ranges(kmods);
    if ( !kmods->count )
        return true;
    ranges = reallocarray(NULL, 2ul * kmods->count, sizeof(*ranges));
    if ( !ranges )
        return false;
    kmods->ranges = ranges;
    for ( kmod = kmods->list; kmod; kmod = kmod->next )
        for ( int i = 0; i < 2; i++ )
            if ( kmod->code[i].end )
                ranges[kmods->ranges_count++] = (struct kmod_range){
                    kmod->code[i], kmod};
    qsort(ranges, kmods->ranges_count, sizeof(*ranges), compare_kmod_ranges);
    return true;
}

/* Asked for each frame of each stack, of a guest that may have thousands of
 * modules. */
const struct kmod *kmods_at(const struct kmods *kmods, uint64_t address)
{
    size_t count = sorted_until(kmods->ranges, kmods->ranges_count, code.start,
                                address);

    return count && address < kmods->ranges[count - 1].code.end
               ? kmods->ranges[count - 1].kmod
               : NULL;
}

enum kernel_status kmods_read(struct kmods *kmods, struct guest_memory *memory,
                              const struct kmod_layout *layout,
                              enum orc_layout orc, uint64_t head)
{
    uint8_t *structure SCOPE_FREE = NULL;
    struct kmods_walk walk = {kmods, memory, layout, orc, NULL};
    struct kmod *kmod;
    enum kernel_status status;

    if ( !layout->known )
        return KERNEL_UNKNOWN;
    structure = walk.structure = malloc(layout->size);
    if ( !structure )
        return KERNEL_NO_MEMORY;
    for ( kmod = kmods->list; kmod; kmod = kmod->next )
        kmod->seen = false;
    status = walk_list(&walk, head);
    /* Only a walk that came back to the head shows that a module is gone. */
    kmods_forget_ranges(kmods);
    if ( !status )
        drop_unseen(kmods);
    return kmods_sort(kmods) ? status : KERNEL_NO_MEMORY;
}
