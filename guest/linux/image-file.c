/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image-file.h"

#include <string.h>

/* Of a sorted list that is not empty.  Code lies at it or behind. */
static uint64_t choose_base(const struct gathered *gathered)
{
    const struct kallsyms_wanted *stext = &gathered->marks[MARK_STEXT];
    const struct symbol_list *symbols = &gathered->symbols;
    uint64_t highest = symbols->list[symbols->count - 1].address;

    return stext->found && stext->offset <= highest ? stext->offset
                                                    : symbols->list[0].address;
}

/* The sorted list, as distances; what lies before the base goes. */
static void make_relative(struct symbol_list *symbols, uint64_t base)
{
    uint32_t from, to = 0;

    for ( from = 0; from < symbols->count; from++ )
    {
        struct listed_symbol symbol = symbols->list[from];

        if ( symbol.address < base )
            continue;
        symbol.address -= base;
        symbols->list[to++] = symbol;
    }
    symbols->count = to;
}

struct image *image_of_gathered(struct gathered *gathered)
{
    struct image *image = image_create();
    int i;

    if ( !image )
    {
        symbol_list_free(&gathered->symbols);
        return NULL;
    }
    symbol_list_sort(&gathered->symbols);
    image->base = choose_base(gathered);
    make_relative(&gathered->symbols, image->base);
    image->symbols = gathered->symbols;
    memset(&gathered->symbols, 0, sizeof(gathered->symbols));
    for ( i = 0; i < MARKS; i++ )
    {
        struct kallsyms_wanted *mark = &gathered->marks[i];

        mark->found = mark->found && mark->offset >= image->base &&
                      mark->offset - image->base < UINT32_MAX;
        mark->offset -= image->base;
    }
    image_take_code(image, gathered->marks);
    return image;
}

void image_take_segments(struct image *image, const struct elf_memory *elf)
{
    uint32_t i, used = 0;

    for ( i = 0; i < elf->count && used < 2; i++ )
    {
        const struct elf_segment *segment = &elf->segments[i];

        if ( !segment->code || segment->address + segment->size <= image->base )
            continue;
        image->code[used].start = segment->address > image->base
                                      ? segment->address - image->base
                                      : 0;
        image->code[used].end = segment->address + segment->size - image->base;
        used++;
    }
}
