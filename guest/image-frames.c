/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <string.h>

#define FUNCTIONS_LOOKED 128u
#define FUNCTION_BYTES   16u
#define PUSH             0x55

/* push %rbp; mov %rsp, %rbp, or the same of 32 bits, with little in between,
 * behind what a tracer or CET puts before it. */
static bool has_prologue(const uint8_t code[FUNCTION_BYTES])
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e};
    static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    static const uint8_t move[] = {0x89, 0xe5};
    size_t at = 0;

    if ( !memcmp(code, endbr, sizeof(endbr)) )
        at = sizeof(endbr) + 1;
    if ( code[at] == 0xe8 || !memcmp(code + at, nop5, sizeof(nop5)) )
        at += sizeof(nop5);
    return code[at] == PUSH &&
           memmem(code + at + 1, FUNCTION_BYTES - at - 1, move, sizeof(move));
}

void image_look_for_frame_pointers(struct image *image,
                                   struct guest_memory *memory)
{
    uint64_t size = image->code[0].end - image->code[0].start;
    unsigned int i, seen = 0, with = 0;

    for ( i = 0; i < FUNCTIONS_LOOKED; i++ )
    {
        uint64_t at = image->code[0].start + size / FUNCTIONS_LOOKED * i;
        uint64_t start, end;
        uint8_t code[FUNCTION_BYTES];
        const char *name;

        if ( !image_symbol(image, at, &name, &start, &end) ||
             (end && end - start < FUNCTION_BYTES) ||
             !guest_memory_get(memory, image->base + start, code,
                               sizeof(code)) )
            continue;
        seen++;
        with += has_prologue(code);
    }
    image->frame_pointers = seen && with * 2 > seen;
}
