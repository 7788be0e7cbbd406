/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up symbols and code by name and by address. */
#include "xen-image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

const char *xen_bare_name(const char *name)
{
    const char *hash = strrchr(name, '#');

    return hash ? hash + 1 : name;
}

static int compare_address(const void *a, const void *b)
{
    const struct xen_symbol *left = a, *right = b;

    if ( left->address != right->address )
        return left->address < right->address ? -1 : 1;

    return strcmp(left->name, right->name);
}

static int compare_name(const void *a, const void *b)
{
    const struct xen_symbol *const *left = a, *const *right = b;

    return strcmp(xen_bare_name((*left)->name), xen_bare_name((*right)->name));
}

int xen_image_index(struct xen_image *image)
{
    if ( !image->symbol_count )
        return -EINVAL;

    image->by_name = malloc(image->symbol_count * sizeof(*image->by_name));
    if ( !image->by_name )
        return -ENOMEM;

    qsort(image->symbols, image->symbol_count, sizeof(*image->symbols),
          compare_address);
    for ( size_t i = 0; i < image->symbol_count; i++ )
        image->by_name[i] = &image->symbols[i];
    qsort(image->by_name, image->symbol_count, sizeof(*image->by_name),
          compare_name);

    return 0;
}

void xen_image_close(struct xen_image *image)
{
    free(image->symbols);
    free(image->by_name);
    free(image->names);
    free(image->contents);
    memset(image, 0, sizeof(*image));
}

/* Returns where names begin that are not before a bare name. */
static size_t first_of_name(const struct xen_image *image, const char *bare)
{
    size_t low = 0, high = image->symbol_count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( strcmp(xen_bare_name(image->by_name[middle]->name), bare) < 0 )
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}

const struct xen_symbol *xen_image_find(const struct xen_image *image,
                                        const char *name)
{
    const char *bare = xen_bare_name(name);
    const struct xen_symbol *found = NULL;
    size_t same = 0;

    for ( size_t i = first_of_name(image, bare); i < image->symbol_count; i++ )
    {
        const struct xen_symbol *symbol = image->by_name[i];

        if ( strcmp(xen_bare_name(symbol->name), bare) )
            break;
        if ( !strcmp(symbol->name, name) )
            return symbol;
        if ( bare == name )
        {
            found = symbol;
            same++;
        }
    }

    return same == 1 ? found : NULL;
}

bool xen_image_is_debug(const struct xen_image *image)
{
    return xen_image_find(image, "ASSERT_NOT_IN_ATOMIC");
}

const struct xen_symbol *xen_image_at(const struct xen_image *image,
                                      uint64_t address)
{
    size_t count = sorted_until(image->symbols, image->symbol_count, address,
                                address);

    return count ? &image->symbols[count - 1] : NULL;
}

uint64_t xen_image_end(const struct xen_image *image,
                       const struct xen_symbol *symbol)
{
    const struct xen_symbol *end = image->symbols + image->symbol_count;
    uint64_t text_end = image->text.address + image->text.size;

    for ( const struct xen_symbol *next = symbol + 1; next < end; next++ )
        if ( next->address > symbol->address )
            return next->address < text_end ? next->address : text_end;

    return text_end;
}

const uint8_t *xen_image_code(const struct xen_image *image, uint64_t address,
                              size_t *size)
{
    uint64_t offset = address - image->text.address;

    if ( address < image->text.address || offset >= image->text.size )
        return NULL;
    *size = image->text.size - offset;

    return image->text.bytes + offset;
}
