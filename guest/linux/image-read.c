/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#define MODULES_BEGIN 0xffffffffc0000000ull
#define KERNEL_BEGIN  0xffffffff80000000ull

/* An address of this kernel, of a module, or of what the kernel wrote. */
static bool belongs(const struct image *image, uint64_t address)
{
    return address < KERNEL_BEGIN || address >= MODULES_BEGIN ||
           image_is_code(image, address - image->base);
}

static void add_symbols(struct fingerprint *fingerprint,
                        const struct kallsyms *kallsyms)
{
    uint32_t numbers[] = {kallsyms->count, kallsyms->first,
                          kallsyms->names_size};

    fingerprint_add(fingerprint, numbers, sizeof(numbers));
    fingerprint_add(fingerprint, kallsyms->offsets, 4ull * kallsyms->count);
    fingerprint_add(fingerprint, kallsyms->names, kallsyms->names_size);
    fingerprint_add(fingerprint, kallsyms->tokens.table, kallsyms->tokens.size);
}

static enum kernel_code fill(struct image *image, struct guest_memory *memory,
                             uint64_t address, const uint8_t key[16])
{
    struct kallsyms_wanted wanted[MARKS];
    struct fingerprint fingerprint;

    image_want_marks(wanted);
    if ( !kallsyms_look_up(image->kallsyms, wanted, MARKS) ||
         !wanted[MARK_STEXT].found || !wanted[MARK_ETEXT].found )
        return KERNEL_DAMAGED;
    image->base = image->kallsyms->base;
    image_take_code(image, wanted);
    if ( !belongs(image, address) )
        return KERNEL_UNKNOWN;
    fingerprint_start(&fingerprint, key);
    add_symbols(&fingerprint, image->kallsyms);
    return image_complete(image, memory, wanted, &fingerprint);
}

enum kernel_code image_read(struct guest_memory *memory, uint64_t address,
                            const uint8_t key[16], struct image **ret)
{
    struct image *image = image_create();
    enum kernel_code code;

    if ( !image )
        return KERNEL_NO_MEMORY;
    code = kallsyms_find(memory, address, &image->kallsyms);
    if ( !code )
        code = fill(image, memory, address, key);
    if ( code )
        image_free(image);
    else
        *ret = image;
    return code;
}
