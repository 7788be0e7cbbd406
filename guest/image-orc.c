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

/* How many rows the marks enclose; 0: none, or they contradict each other. */
static uint32_t count_rows(const struct kallsyms_wanted wanted[MARKS])
{
    uint64_t ips, rows;
    int i;

    for ( i = MARK_ORC_IP; i <= MARK_ORC_END; i++ )
        if ( !wanted[i].found )
            return 0;
    if ( wanted[MARK_ORC_IP_END].offset < wanted[MARK_ORC_IP].offset ||
         wanted[MARK_ORC_END].offset < wanted[MARK_ORC].offset )
        return 0;
    ips = wanted[MARK_ORC_IP_END].offset - wanted[MARK_ORC_IP].offset;
    rows = wanted[MARK_ORC_END].offset - wanted[MARK_ORC].offset;
    if ( ips % 4 || rows / ORC_ROW_SIZE != ips / 4 || ips / 4 > ORC_ROWS_MAX )
        return 0;
    return (uint32_t)(ips / 4);
}

enum kernel_code image_read_orc(struct image *image,
                                struct guest_memory *memory,
                                const struct kallsyms_wanted wanted[MARKS],
                                struct fingerprint *fingerprint)
{
    uint32_t count = count_rows(wanted);
    size_t ips_size = 4ull * count, rows_size = (size_t)ORC_ROW_SIZE * count;
    enum orc_layout layout;
    uint8_t *bytes;
    bool there;

    if ( !count )
        return KERNEL_OK;
    layout = layout_of(image, memory, &wanted[MARK_ORC_HEADER]);
    bytes = malloc(ips_size + rows_size);
    if ( !bytes )
        return KERNEL_NO_MEMORY;
    there = guest_memory_get(memory, image->base + wanted[MARK_ORC_IP].offset,
                             bytes, ips_size) &&
            guest_memory_get(memory, image->base + wanted[MARK_ORC].offset,
                             bytes + ips_size, rows_size);
    if ( there )
    {
        fingerprint_add(fingerprint, bytes, ips_size + rows_size);
        image->orc = orc_open((const int32_t *)bytes, bytes + ips_size, count,
                              wanted[MARK_ORC_IP].offset, layout);
    }
    free(bytes);
    return there || memory->left ? KERNEL_OK : KERNEL_BUDGET;
}
