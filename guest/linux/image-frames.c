/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include "code-frames.h"

#define FUNCTIONS_LOOKED 128u

void image_look_for_frame_pointers(struct image *image,
                                   struct guest_memory *memory)
{
    uint64_t size = image->code[0].end - image->code[0].start;
    unsigned int i, seen = 0, with = 0;

    for ( i = 0; i < FUNCTIONS_LOOKED; i++ )
    {
        uint64_t at = image->code[0].start + size / FUNCTIONS_LOOKED * i;
        uint64_t start, end;
        uint8_t code[PROLOGUE_BYTES];
        const char *name;

        if ( !image_symbol(image, at, &name, &start, &end) ||
             (end && end - start < PROLOGUE_BYTES) ||
             !guest_memory_get(memory, image->base + start, code,
                               sizeof(code)) )
            continue;
        seen++;
        with += code_makes_frame(code);
    }
    image->frame_pointers = seen && with * 2 > seen;
}
