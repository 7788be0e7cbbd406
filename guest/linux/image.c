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
    for ( i = 0; i < NAMES_KEPT; i++ )
        free(image->names[i].name);
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

/* Names stay packed.  Some are kept in full: the same ones are asked for again
 * and again. */
static const char *name_of(struct image *image, uint32_t index)
{
    struct kept_name *kept = &image->names[index % NAMES_KEPT];
    char name[KALLSYMS_NAME_MAX];

    if ( kept->name && kept->index == index )
        return kept->name;
    if ( !kallsyms_name(image->kallsyms, index, name) )
        return NULL;
    free(kept->name);
    kept->index = index;
    kept->name = strdup(name + 1);
    return kept->name;
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
