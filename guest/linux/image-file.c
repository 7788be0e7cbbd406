/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file is read as the memory that it describes.  Only a file without
 * kallsyms in it gives its symbols by its own list.
 */
#include "image-file.h"

#include <string.h>

#include "file-symbols.h"
#include "image-base.h"
#include "image-read.h"
#include "image-rows.h"

#define SCOPE_SYMBOLS __attribute__((cleanup(free_symbols)))

static void free_symbols(struct file_symbols *symbols)
{
    symbol_list_free(&symbols->list);
}

/* Returns the base for a sorted list that is not empty: all code lies at it or
 * behind. */
static uint64_t choose_base(const struct file_symbols *symbols)
{
    const struct kallsyms_wanted *stext = &symbols->marks[MARK_STEXT];
    const struct symbol_list *list = &symbols->list;
    uint64_t highest = list->items[list->count - 1].address;

    return stext->found && stext->offset <= highest ? stext->offset
                                                    : list->items[0].address;
}

/* Makes the addresses of a sorted list distances, and drops those below the
 * base. */
static void make_relative(struct symbol_list *symbols, uint64_t base)
{
    size_t from, to = 0;

    for ( from = 0; from < symbols->count; from++ )
    {
        struct listed_symbol symbol = symbols->items[from];

        if ( symbol.address < base )
            continue;
        symbol.address -= base;
        symbols->items[to++] = symbol;
    }
    symbols->count = to;
}

static void make_marks_relative(struct kallsyms_wanted marks[MARKS],
                                uint64_t base)
{
    for ( int i = 0; i < MARKS; i++ )
    {
        marks[i].absolute = marks[i].per_cpu && marks[i].offset < base;
        if ( marks[i].absolute )
            continue;
        marks[i].found = marks[i].found && marks[i].offset >= base &&
                         marks[i].offset - base < UINT32_MAX;
        marks[i].offset = marks[i].found ? marks[i].offset - base : 0;
    }
}

/* Returns an image that has taken the symbols over, or NULL if there is no
 * memory.  The marks become distances from the image's base. */
static struct linux_image *image_of_symbols(struct file_symbols *symbols)
{
    struct linux_image *image = linux_image_create();

    if ( !image )
        return NULL;
    symbol_list_sort(&symbols->list);
    image->base = choose_base(symbols);
    make_relative(&symbols->list, image->base);
    make_marks_relative(symbols->marks, image->base);
    image->symbols = symbols->list;
    memset(&symbols->list, 0, sizeof(symbols->list));
    linux_image_take_code(image, symbols->marks);
    return image;
}

/* Without marks, code is where the file's segments of code are. */
static void take_code_from_segments(struct linux_image *image,
                                    const struct elf_memory *elf)
{
    uint32_t i, used = 0;

    for ( i = 0; i < elf->count && used < 2; i++ )
    {
        const struct elf_segment *segment = &elf->segments[i];

        if ( !segment->code || segment->address + segment->size <= image->base )
            continue;
        image->code[used].start = segment->address > image->base
                                      ? segment->address - image->base
                                      : 0;
        image->code[used].end = segment->address + segment->size - image->base;
        used++;
    }
}

/* The file stands for all that is read from it. */
static void start_fingerprint(const struct kernel_search *search,
                              struct fingerprint *fingerprint)
{
    fingerprint_start(fingerprint, search->key);
    fingerprint_add(fingerprint, search->file, search->size);
}

/* What is not Linux, or a Linux without kallsyms, may have an ELF symbol
 * table. */
static enum kernel_status read_symtab(const struct kernel_search *search,
                                      struct elf_memory *elf,
                                      struct linux_image **ret)
{
    struct file_symbols symbols SCOPE_SYMBOLS = {.list = {0}};
    struct fingerprint fingerprint;
    enum kernel_status status;

    linux_image_want_marks(symbols.marks);
    status = gather_elf(&symbols, elf);
    if ( status )
        return status;
    *ret = image_of_symbols(&symbols);
    if ( !*ret )
        return KERNEL_NO_MEMORY;
    if ( !(*ret)->code[0].end )
        take_code_from_segments(*ret, elf);
    start_fingerprint(search, &fingerprint);
    status = image_complete(*ret, &elf->memory, symbols.marks, &fingerprint);
    if ( !status && !(*ret)->orc )
        image_read_rows(*ret, search->file, search->size);
    return status;
}

static uint64_t first_code(const struct elf_memory *elf)
{
    uint32_t i;

    for ( i = 0; i < elf->count; i++ )
        if ( elf->segments[i].code )
            return elf->segments[i].address;
    return elf->segments[0].address;
}

static enum kernel_status read_elf_image(const struct kernel_search *search,
                                         struct elf_memory *elf,
                                         struct found_image *found)
{
    const struct kernel_search in_file = {
        .memory = &elf->memory, .address = first_code(elf), .key = search->key};
    enum kernel_status status = image_read(&in_file, &found->image);

    if ( status == KERNEL_UNKNOWN )
        status = read_symtab(search, elf, &found->image);
    if ( status )
        return status;
    found->base = found->image->base;
    if ( !search->memory )
        return KERNEL_OK;
    found->checked = found->image->shared.build_id_length;
    return image_find_base(found->image, elf, search->memory, search->address,
                           &found->base);
}

/* Text has only names, and says where the rest is: that comes from the
 * guest. */
static enum kernel_status complete_text(const struct kernel_search *search,
                                        const struct file_symbols *symbols,
                                        struct found_image *found)
{
    struct linux_image *image = found->image;
    struct fingerprint fingerprint;
    enum kernel_status status;

    found->base = image->base;
    if ( !search->memory )
        return KERNEL_OK;
    if ( symbols->marks[MARK_BANNER].found )
        image->banner_at = (uint32_t)symbols->marks[MARK_BANNER].offset;
    status = image_find_base(image, NULL, search->memory, search->address,
                             &found->base);
    if ( status )
        return status;
    image->base = found->base;
    start_fingerprint(search, &fingerprint);
    return image_complete(image, search->memory, symbols->marks, &fingerprint);
}

static enum kernel_status read_text_image(const struct kernel_search *search,
                                          struct found_image *found)
{
    struct file_symbols symbols SCOPE_SYMBOLS = {.list = {0}};
    const struct symbol_list *list;
    struct kernel_range *code;
    enum kernel_status status;

    linux_image_want_marks(symbols.marks);
    status = gather_text(&symbols, (const char *)search->file, search->size);
    if ( status )
        return status;
    found->image = image_of_symbols(&symbols);
    if ( !found->image )
        return KERNEL_NO_MEMORY;
    /* Without marks, the last symbol's start is the only known end. */
    list = &found->image->symbols;
    code = &found->image->code[0];
    if ( !code->end )
        code->end = list->items[list->count - 1].address + 1;
    return complete_text(search, &symbols, found);
}

enum kernel_status image_from_file(const struct kernel_search *search,
                                   struct found_image *ret)
{
    struct elf_memory elf;
    enum kernel_status status;

    *ret = (struct found_image){.image = NULL};
    if ( elf_memory_open(&elf, search->file, search->size) )
    {
        status = read_elf_image(search, &elf, ret);
        elf_memory_close(&elf);
    }
    else
        status = read_text_image(search, ret);
    if ( status )
        linux_image_free(ret->image);
    return status;
}
