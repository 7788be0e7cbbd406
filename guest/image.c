/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image *image_create(void)
{
    struct image *image = calloc(1, sizeof(*image));

    if ( image )
        image->references = 1;
    return image;
}

void image_free(struct image *image)
{
    uint32_t i;

    if ( !image )
        return;
    kallsyms_close(image->kallsyms);
    symbol_list_free(&image->symbols);
    if ( image->orc )
        orc_close(image->orc);
    for ( i = 0; i < image->names.room; i++ )
        free(image->names.slots[i].name);
    free(image->names.slots);
    free(image);
}

bool image_is_code(const struct image *image, uint64_t offset)
{
    int i;

    for ( i = 0; i < 2; i++ )
        if ( offset >= image->code[i].start && offset < image->code[i].end )
            return true;
    return false;
}

static struct cached_name *slot_of(const struct name_cache *names,
                                   uint32_t index)
{
    uint32_t at = index * 2654435761u;

    for ( ;; at++ )
    {
        struct cached_name *slot = &names->slots[at & (names->room - 1)];

        if ( !slot->index || slot->index == index + 1 )
            return slot;
    }
}

static bool grow_cache(struct name_cache *names)
{
    struct name_cache more = {.room = names->room ? names->room * 2 : 256};
    uint32_t i;

    if ( names->count < names->room / 2 )
        return true;
    more.slots = calloc(more.room, sizeof(*more.slots));
    if ( !more.slots )
        return false;
    for ( i = 0; i < names->room; i++ )
        if ( names->slots[i].index )
            *slot_of(&more, names->slots[i].index - 1) = names->slots[i];
    more.count = names->count;
    free(names->slots);
    *names = more;
    return true;
}

/* Names stay packed; those that are asked for are kept in full. */
static const char *name_of(struct image *image, uint32_t index)
{
    struct cached_name *slot;
    char name[KALLSYMS_NAME_MAX];

    if ( !grow_cache(&image->names) )
        return NULL;
    slot = slot_of(&image->names, index);
    if ( slot->index )
        return slot->name;
    if ( !kallsyms_name(image->kallsyms, index, name) )
        return NULL;
    slot->name = strdup(name + 1);
    if ( !slot->name )
        return NULL;
    slot->index = index + 1;
    image->names.count++;
    return slot->name;
}

bool image_symbol(struct image *image, uint64_t offset, const char **name,
                  uint64_t *start, uint64_t *end)
{
    uint32_t index;

    if ( !image->kallsyms )
    {
        *name = symbol_list_at(&image->symbols, offset, start, end);
        return *name;
    }
    if ( offset > UINT32_MAX ||
         !kallsyms_at(image->kallsyms, (uint32_t)offset, &index) )
        return false;
    *start = image->kallsyms->offsets[index];
    *end = kallsyms_next(image->kallsyms, index);
    *name = name_of(image, index);
    return *name;
}
