/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

#define ORC_ROW_SIZE    6u
#define ORC_HEADER_SIZE 20u
#define ORC_ROWS_MAX    (2u << 20)

static enum orc_layout layout_of(const struct image *image,
                                 struct guest_memory *memory,
                                 const struct kallsyms_wanted *header)
{
    uint8_t bytes[ORC_HEADER_SIZE];
    unsigned int major = 0, minor = 0;
    bool there = header->found &&
                 guest_memory_get(memory, image->base + header->offset, bytes,
                                  sizeof(bytes));

    if ( sscanf(image->release, "%3u.%3u", &major, &minor) != 2 )
        major = minor = 0;
    return orc_layout_of(major, minor, there ? bytes : NULL);
}

/* What the marks enclose; false: nothing, or they contradict each other. */
static bool take_place(const struct kallsyms_wanted wanted[MARKS],
                       struct orc_place *ret)
{
    uint64_t ips, rows;
    int i;

    for ( i = MARK_ORC_IP; i <= MARK_ORC_END; i++ )
        if ( !wanted[i].found )
            return false;
    if ( wanted[MARK_ORC_IP_END].offset < wanted[MARK_ORC_IP].offset ||
         wanted[MARK_ORC_END].offset < wanted[MARK_ORC].offset )
        return false;
    ips = wanted[MARK_ORC_IP_END].offset - wanted[MARK_ORC_IP].offset;
    rows = wanted[MARK_ORC_END].offset - wanted[MARK_ORC].offset;
    ret->ips = wanted[MARK_ORC_IP].offset;
    ret->rows = wanted[MARK_ORC].offset;
    ret->count = (uint32_t)(ips / 4);
    return ips % 4 == 0 && rows / ORC_ROW_SIZE == ips / 4;
}

static enum kernel_code read_rows(struct image *image,
                                  struct guest_memory *memory,
                                  const struct orc_place *place,
                                  struct fingerprint *fingerprint)
{
    size_t ips_size = 4ull * place->count;
    size_t rows_size = (size_t)ORC_ROW_SIZE * place->count;
    uint8_t *bytes = malloc(ips_size + rows_size);
    bool there;

    if ( !bytes )
        return KERNEL_NO_MEMORY;
    there = guest_memory_get(memory, image->base + place->ips, bytes,
                             ips_size) &&
            guest_memory_get(memory, image->base + place->rows,
                             bytes + ips_size, rows_size);
    if ( there )
    {
        /* Where they lie is what they say. */
        const uint64_t at[] = {place->ips, place->layout};

        fingerprint_add(fingerprint, at, sizeof(at));
        fingerprint_add(fingerprint, bytes, ips_size + rows_size);
        image->orc = orc_open((const int32_t *)bytes, bytes + ips_size,
                              place->count, place->ips, place->layout);
    }
    free(bytes);
    return there || memory->left ? KERNEL_OK : KERNEL_BUDGET;
}

enum kernel_code image_read_orc(struct image *image,
                                struct guest_memory *memory,
                                const struct kallsyms_wanted wanted[MARKS],
                                struct fingerprint *fingerprint)
{
    struct orc_place place;

    if ( take_place(wanted, &place) )
        place.layout = layout_of(image, memory, &wanted[MARK_ORC_HEADER]);
    else if ( wanted[MARK_MODULES].found || !wanted[MARK_STEXT].found ||
              !image_find_orc(image, memory, &place) )
        /* It would be there if it had one, or it is not Linux. */
        return memory->left ? KERNEL_OK : KERNEL_BUDGET;
    return place.count && place.count <= ORC_ROWS_MAX
               ? read_rows(image, memory, &place, fingerprint)
               : KERNEL_OK;
}
