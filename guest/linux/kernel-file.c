/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image-file.h"
#include "kernel-inside.h"
#include "unpack.h"

#include <string.h>

/* What a file is made into. */
struct source {
    const uint8_t *key;
    struct unpacked file;
    struct guest_memory *guest; /* may be NULL */
    uint64_t address;
    struct image *image;
    uint64_t base; /* where the guest has it */
    bool checked;
};

static void start_fingerprint(const struct source *source,
                              struct fingerprint *fingerprint)
{
    fingerprint_start(fingerprint, source->key);
    fingerprint_add(fingerprint, source->file.bytes, source->file.size);
}

/* Not Linux, or a Linux without a table of its symbols: it has an ELF one. */
static enum kernel_code read_symtab(struct source *source,
                                    struct elf_memory *elf)
{
    struct gathered gathered = {0};
    struct fingerprint fingerprint;
    enum kernel_code code;

    image_want_marks(gathered.marks);
    code = gather_elf(&gathered, elf);
    if ( code )
    {
        symbol_list_free(&gathered.symbols);
        return code;
    }
    source->image = image_of_gathered(&gathered);
    if ( !source->image )
        return KERNEL_NO_MEMORY;
    if ( !source->image->code[0].end )
        image_take_segments(source->image, elf);
    start_fingerprint(source, &fingerprint);
    return image_complete(source->image, &elf->memory, gathered.marks,
                          &fingerprint);
}

static uint64_t first_code(const struct elf_memory *elf)
{
    uint32_t i;

    for ( i = 0; i < elf->count; i++ )
        if ( elf->segments[i].code )
            return elf->segments[i].address;
    return elf->segments[0].address;
}

static enum kernel_code read_elf(struct source *source, struct elf_memory *elf)
{
    enum kernel_code code;

    code = image_read(&elf->memory, first_code(elf), source->key,
                      &source->image);
    if ( code == KERNEL_UNKNOWN )
        code = read_symtab(source, elf);
    if ( code )
        return code;
    source->base = source->image->base;
    if ( !source->guest )
        return KERNEL_OK;
    source->checked = source->image->build_id_length;
    return image_place(source->image, elf, source->guest, source->address,
                       &source->base);
}

/* All but the names comes from the guest: the text says where it is. */
static enum kernel_code complete_text(struct source *source,
                                      struct gathered *gathered)
{
    struct image *image = source->image;
    struct fingerprint fingerprint;
    enum kernel_code code;

    source->base = image->base;
    if ( !source->guest )
        return KERNEL_OK;
    if ( gathered->marks[MARK_BANNER].found )
        image->banner_at = (uint32_t)gathered->marks[MARK_BANNER].offset;
    code = image_place(image, NULL, source->guest, source->address,
                       &source->base);
    if ( code )
        return code;
    image->base = source->base;
    start_fingerprint(source, &fingerprint);
    return image_complete(image, source->guest, gathered->marks, &fingerprint);
}

static enum kernel_code read_text(struct source *source)
{
    struct gathered gathered = {0};
    enum kernel_code code;

    image_want_marks(gathered.marks);
    code = gather_text(&gathered, (const char *)source->file.bytes,
                       source->file.size);
    if ( code )
    {
        symbol_list_free(&gathered.symbols);
        return code;
    }
    source->image = image_of_gathered(&gathered);
    if ( !source->image )
        return KERNEL_NO_MEMORY;
    /* No end of code is known but that of the last symbol's start. */
    if ( !source->image->code[0].end )
        source->image->code[0].end = source->image->symbols
                                         .list[source->image->symbols.count - 1]
                                         .address +
                                     1;
    return complete_text(source, &gathered);
}

static enum kernel_code read_source(struct source *source)
{
    struct elf_memory elf;
    enum kernel_code code;

    if ( elf_memory_open(&elf, source->file.bytes, source->file.size) )
    {
        code = read_elf(source, &elf);
        elf_memory_close(&elf);
    }
    else
        code = read_text(source);
    if ( code && source->image )
        image_free(source->image);
    return code;
}

enum kernel_code kernel_from_file(struct kernel_images *images,
                                  const void *bytes, size_t size,
                                  struct guest_memory *memory, uint64_t address,
                                  struct kernel **ret)
{
    struct source source = {
        .key = images->key, .guest = memory, .address = address};
    uint64_t before = memory ? memory->left : 0;
    struct kernel *kernel;
    enum kernel_code code = unpack_kernel(bytes, size, &source.file);

    if ( code )
        return code;
    code = read_source(&source);
    unpack_free(&source.file);
    if ( code )
        return code;
    kernel = kernel_of_image(images, source.image, source.base);
    if ( !kernel )
        return KERNEL_NO_MEMORY;
    kernel->checked = source.checked;
    if ( memory )
    {
        kernel->bytes_read = before - memory->left;
        kernel_look_at_modules(kernel, memory);
    }
    *ret = kernel;
    return KERNEL_OK;
}
