/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image-rows.h"

#include <stdlib.h>

#include "rows/cfi/elf-rows.h"
#include "rows/user-space.h"

/* Any table has a rule that says nothing, and may have one of where the program
 * begins. */
#define RULES_OF_NOTHING 2u

void image_read_rows(struct linux_image *image, const void *file, size_t size)
{
    struct row_table *rows;

    if ( elf_rows_of(file, size, &rows, NULL) != ELF_ROWS_MADE )
        return;
    if ( rows->rules > RULES_OF_NOTHING )
    {
        image->rows = rows;
        image->rows_base = image->base;
    }
    else
        row_table_close(rows);
}

bool image_rows_put(const struct linux_image *image, struct buffer *to)
{
    struct buffer bytes = {0};
    bool done = row_table_put(image->rows, &bytes);
    const uint64_t size = bytes.used;

    done = done && flat_put(to, &size, 1, sizeof(size)) &&
           flat_put(to, bytes.bytes, bytes.used, 1);
    buffer_free(&bytes);
    return done;
}

bool image_rows_get(struct linux_image *image, struct cursor *from)
{
    const uint64_t *size = flat_get(from, 1, sizeof(*size));
    const void *bytes = size ? flat_get(from, *size, 1) : NULL;

    image->rows = bytes ? row_table_get(bytes, *size) : NULL;
    return image->rows;
}

struct user_space *image_space(const struct linux_image *image, uint64_t base)
{
    struct user_mapping mappings[2];
    size_t count = 0;

    for ( unsigned int i = 0; i < 2; i++ )
        if ( image->code[i].end > image->code[i].start )
            mappings[count++] = (struct user_mapping){
                .start = base + image->code[i].start,
                .end = base + image->code[i].end,
                .bias = base - image->rows_base,
                .rows = image->rows,
            };
    return user_space_of_kernel(mappings, count);
}
