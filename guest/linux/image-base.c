/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares an image with memory, at each base that KASLR can choose. */
#include "image-base.h"

#include <string.h>

#define KERNEL_LOWEST  0xffffffff80000000ull
#define KERNEL_HIGHEST 0xffffffffc0000000ull
#define STEP           (2ull << 20) /* KASLR's */
#define CODE_LOOKED    64u
#define CODE_BYTES     16u

bool image_has_build_id(const struct linux_image *image,
                        struct guest_memory *memory, uint64_t base)
{
    uint8_t bytes[KERNEL_BUILD_ID_MAX];

    return image->shared.build_id_length &&
           guest_memory_get(memory, base + image->build_id_at, bytes,
                            image->shared.build_id_length) &&
           !memcmp(bytes, image->shared.build_id,
                   image->shared.build_id_length);
}

static bool has_banner(const struct linux_image *image,
                       struct guest_memory *memory, uint64_t base)
{
    static const char prefix[] = "Linux version ";
    char text[sizeof(prefix) + sizeof(image->release)];
    size_t known = strlen(image->release);

    return guest_memory_get(memory, base + image->banner_at, text,
                            sizeof(text)) &&
           !memcmp(text, prefix, sizeof(prefix) - 1) &&
           (!known ||
            (!memcmp(text + sizeof(prefix) - 1, image->release, known) &&
             text[sizeof(prefix) - 1 + known] == ' '));
}

/* Half of the places that were looked at: code may be patched when it
 * starts. */
static bool has_code_of_image(const struct linux_image *image,
                              const struct elf_memory *elf,
                              struct guest_memory *memory, uint64_t base)
{
    uint64_t size = image->code[0].end - image->code[0].start;
    struct guest_memory file = elf->memory;
    unsigned int i, equal = 0, there = 0;

    for ( i = 0; i < CODE_LOOKED; i++ )
    {
        uint64_t at = image->code[0].start + size / CODE_LOOKED * i;
        uint8_t wanted[CODE_BYTES], bytes[CODE_BYTES];

        if ( !guest_memory_get(&file, image->base + at, wanted, CODE_BYTES) ||
             !guest_memory_get(memory, base + at, bytes, CODE_BYTES) )
            continue;
        there++;
        equal += !memcmp(wanted, bytes, CODE_BYTES);
    }
    return there && equal * 2 >= there;
}

static bool is_here(const struct linux_image *image,
                    const struct elf_memory *elf, struct guest_memory *memory,
                    uint64_t base)
{
    if ( image->shared.build_id_length )
        return image_has_build_id(image, memory, base);
    if ( image->banner_at )
        return has_banner(image, memory, base);
    return elf && has_code_of_image(image, elf, memory, base);
}

bool image_is_replaced(const struct linux_image *image,
                       struct guest_memory *memory, uint64_t base)
{
    uint8_t byte;
    uint64_t at = image->shared.build_id_length ? image->build_id_at
                                                : image->banner_at;

    return at && !is_here(image, NULL, memory, base) &&
           guest_memory_get(memory, base + at, &byte, 1);
}

enum kernel_status image_find_base(const struct linux_image *image,
                                   const struct elf_memory *elf,
                                   struct guest_memory *memory,
                                   uint64_t address, uint64_t *base)
{
    uint64_t at;

    *base = image->base;
    if ( is_here(image, elf, memory, *base) )
        return KERNEL_OK;
    if ( !elf && !image->banner_at && !image->shared.build_id_length )
        return linux_image_is_code(image, address - *base) ? KERNEL_OK
                                                           : KERNEL_MISMATCH;
    if ( image->base < KERNEL_LOWEST || image->base >= KERNEL_HIGHEST )
        return KERNEL_MISMATCH;
    for ( at = KERNEL_LOWEST + image->base % STEP; at < KERNEL_HIGHEST;
          at += STEP )
        if ( at != image->base && is_here(image, elf, memory, at) )
        {
            *base = at;
            return KERNEL_OK;
        }
    return memory->left ? KERNEL_MISMATCH : KERNEL_BUDGET;
}
