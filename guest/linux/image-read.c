/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the symbol table to all that an image has. */
#include "image-read.h"

#include <string.h>

#include "guest/code-frames.h"
#include "guest/elf-memory.h"
#include "image-orc.h"
#include "image-types.h"
#include "kallsyms-find.h"

#define NOTES_SIZE_MAX   8192u
#define RELEASE_PREFIX   "Linux version "
#define FUNCTIONS_LOOKED 128u

#define MODULES_BEGIN 0xffffffffc0000000ull
#define KERNEL_BEGIN  0xffffffff80000000ull

static void read_notes(struct linux_image *image, struct guest_memory *memory,
                       uint64_t start, uint64_t end)
{
    uint8_t notes[NOTES_SIZE_MAX];
    const uint8_t *build_id;
    size_t size, length;

    if ( end <= start || end - start > sizeof(notes) )
        return;
    size = guest_memory_read(memory, start, notes, end - start);
    build_id = elf_note(notes, size, "GNU", NT_GNU_BUILD_ID, &length);
    if ( !build_id || !length || length > KERNEL_BUILD_ID_MAX )
        return;
    memcpy(image->shared.build_id, build_id, length);
    image->shared.build_id_length = (uint8_t)length;
    image->build_id_at = (uint32_t)(start + (uint64_t)(build_id - notes) -
                                    image->base);
}

static void read_release(struct linux_image *image, struct guest_memory *memory,
                         uint64_t address)
{
    char text[sizeof(RELEASE_PREFIX) + sizeof(image->release)] = "";
    const size_t prefix = sizeof(RELEASE_PREFIX) - 1;
    size_t length, i;

    guest_memory_read(memory, address, text, sizeof(text) - 1);
    if ( memcmp(text, RELEASE_PREFIX, prefix) )
        return;
    length = strcspn(text + prefix, " ");
    if ( length >= sizeof(image->release) )
        return;
    for ( i = 0; i < length; i++ )
        if ( text[prefix + i] < ' ' || text[prefix + i] > '~' )
            return;
    memcpy(image->release, text + prefix, length);
    image->release[length] = '\0';
    image->banner_at = (uint32_t)(address - image->base);
}

static void read_marked(struct linux_image *image, struct guest_memory *memory,
                        const struct kallsyms_wanted *wanted)
{
    if ( wanted[MARK_NOTES].found && wanted[MARK_NOTES_END].found )
        read_notes(image, memory, image->base + wanted[MARK_NOTES].offset,
                   image->base + wanted[MARK_NOTES_END].offset);
    if ( wanted[MARK_BANNER].found )
        read_release(image, memory, image->base + wanted[MARK_BANNER].offset);
    image_read_types(image, memory, wanted);
}

static void add_info(struct fingerprint *fingerprint,
                     const struct linux_image *image)
{
    const struct kmod_layout *layout = &image->kmods;
    uint16_t members[] = {
        layout->known,     layout->size,         layout->list,
        layout->name,      layout->name_length,  layout->kallsyms,
        layout->base[0],   layout->base[1],      layout->text_size[0],
        layout->orc_count, layout->text_size[1], layout->orc_ips,
        layout->orc_rows,  layout->symtab,       layout->symbols,
        layout->strtab,    image->frame_pointers};
    uint32_t offsets[] = {image->build_id_at, image->banner_at,
                          image->kmods_at};

    fingerprint_add(fingerprint, members, sizeof(members));
    fingerprint_add(fingerprint, offsets, sizeof(offsets));
    fingerprint_add(fingerprint, &image->tasks, sizeof(image->tasks));
    fingerprint_add(fingerprint, image->shared.build_id,
                    sizeof(image->shared.build_id));
    fingerprint_add(fingerprint, image->release, strlen(image->release) + 1);
}

static void look_for_frame_pointers(struct linux_image *image,
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

        if ( !linux_image_symbol(image, at, &name, &start, &end) ||
             (end && end - start < PROLOGUE_BYTES) ||
             !guest_memory_get(memory, image->base + start, code,
                               sizeof(code)) )
            continue;
        seen++;
        with += code_makes_frame(code);
    }
    image->frame_pointers = seen && with * 2 > seen;
}

/* Reads what takes longest; the marks are taken. */
static enum kernel_status read_image_rows(
    struct linux_image *image, struct guest_memory *memory,
    const struct kallsyms_wanted wanted[MARKS], struct fingerprint *fingerprint)
{
    enum kernel_status status;

    status = image_read_orc(image, memory, wanted, fingerprint);
    if ( status )
        return status;
    if ( !image->orc )
        look_for_frame_pointers(image, memory);
    add_info(fingerprint, image);
    image->shared.fingerprint = fingerprint_end(fingerprint);
    return KERNEL_OK;
}

enum kernel_status image_complete(struct linux_image *image,
                                  struct guest_memory *memory,
                                  const struct kallsyms_wanted wanted[MARKS],
                                  struct fingerprint *fingerprint)
{
    read_marked(image, memory, wanted);
    return read_image_rows(image, memory, wanted, fingerprint);
}

static void tell_tasks(const struct linux_image *image,
                       const struct kernel_search *search)
{
    const struct task_taker *taker = search->tasks;
    struct task_list list;

    if ( !taker )
        return;
    image_read_tasks(image, search->memory,
                     &(struct task_place){image->base, taker->image_only},
                     &list);
    taker->take(taker->self, &list);
}

/* Whether address is in this kernel, in a module, or in code that the kernel
 * wrote. */
static bool belongs(const struct linux_image *image, uint64_t address)
{
    return address < KERNEL_BEGIN || address >= MODULES_BEGIN ||
           linux_image_is_code(image, address - image->base);
}

static void hash_symbols(struct fingerprint *fingerprint,
                         const struct kallsyms *kallsyms)
{
    uint32_t numbers[] = {kallsyms->count, kallsyms->first,
                          kallsyms->names_size};

    fingerprint_add(fingerprint, numbers, sizeof(numbers));
    fingerprint_add(fingerprint, kallsyms->offsets, 4ull * kallsyms->count);
    fingerprint_add(fingerprint, kallsyms->names, kallsyms->names_size);
    fingerprint_add(fingerprint, kallsyms->tokens.table, kallsyms->tokens.size);
}

static enum kernel_status fill_image(struct linux_image *image,
                                     const struct kernel_search *search)
{
    struct kallsyms_wanted wanted[MARKS];
    struct fingerprint fingerprint;

    linux_image_want_marks(wanted);
    if ( !kallsyms_look_up(image->kallsyms, wanted, MARKS) ||
         !wanted[MARK_STEXT].found || !wanted[MARK_ETEXT].found )
        return KERNEL_DAMAGED;
    image->base = image->kallsyms->base;
    linux_image_take_code(image, wanted);
    if ( !belongs(image, search->address) )
        return KERNEL_UNKNOWN;
    fingerprint_start(&fingerprint, search->key);
    hash_symbols(&fingerprint, image->kallsyms);
    read_marked(image, search->memory, wanted);
    tell_tasks(image, search);
    return read_image_rows(image, search->memory, wanted, &fingerprint);
}

enum kernel_status image_read(const struct kernel_search *search,
                              struct linux_image **ret)
{
    struct linux_image *image = linux_image_create();
    enum kernel_status status;

    if ( !image )
        return KERNEL_NO_MEMORY;
    status = kallsyms_find(search->memory, search->address, &image->kallsyms);
    if ( !status )
        status = fill_image(image, search);
    if ( status )
        linux_image_free(image);
    else
        *ret = image;
    return status;
}
