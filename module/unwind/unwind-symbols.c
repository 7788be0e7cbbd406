/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind-symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int unwind_symbols(const struct hypervisor_image *image,
                   const struct unwind_object *object,
                   struct unwind_symbol **symbols, size_t *count)
{
    size_t own = object ? object->symbol_count : 0;
    struct unwind_symbol *list = calloc(image->symbol_count + own + 1,
                                        sizeof(*list));

    if ( !list )
        return -ENOMEM;
    *symbols = list;
    for ( size_t i = 0; i < image->symbol_count; i++ )
    {
        const struct image_symbol *symbol = &image->symbols[i];

        if ( symbol->address - image->text.address < image->text.size )
            *list++ = (struct unwind_symbol){symbol->address,
                                             image_bare_name(symbol->name)};
    }
    if ( own )
        memcpy(list, object->symbols, own * sizeof(*list));
    *count = list - *symbols + own;
    return 0;
}
