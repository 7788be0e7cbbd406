/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <string.h>

#include "elf-memory.h"

#define NOTES_SIZE_MAX 8192u
#define RELEASE_PREFIX "Linux version "

static const char *const mark_names[MARKS] = {
    [MARK_STEXT] = "_stext",
    [MARK_ETEXT] = "_etext",
    [MARK_SINITTEXT] = "_sinittext",
    [MARK_EINITTEXT] = "_einittext",
    [MARK_ORC_IP] = "__start_orc_unwind_ip",
    [MARK_ORC_IP_END] = "__stop_orc_unwind_ip",
    [MARK_ORC] = "__start_orc_unwind",
    [MARK_ORC_END] = "__stop_orc_unwind",
    [MARK_ORC_HEADER] = "__start_orc_header",
    [MARK_NOTES] = "__start_notes",
    [MARK_NOTES_END] = "__stop_notes",
    [MARK_BANNER] = "linux_banner",
    [MARK_MODULES] = "modules",
    [MARK_BTF] = "__start_BTF",
    [MARK_BTF_END] = "__stop_BTF",
};

void image_want_marks(struct kallsyms_wanted wanted[MARKS])
{
    int i;

    memset(wanted, 0, MARKS * sizeof(*wanted));
    for ( i = 0; i < MARKS; i++ )
        wanted[i].name = mark_names[i];
}

static void read_notes(struct image *image, struct guest_memory *memory,
                       uint64_t start, uint64_t end)
{
    uint8_t notes[NOTES_SIZE_MAX];
    const uint8_t *build_id;
    size_t size, length;

    if ( end <= start || end - start > sizeof(notes) )
        return;
    size = guest_memory_read(memory, start, notes, end - start);
    build_id = elf_note(notes, size, "GNU", NT_GNU_BUILD_ID, &length);
    if ( !build_id || !length || length > IMAGE_BUILD_ID_MAX )
        return;
    memcpy(image->build_id, build_id, length);
    image->build_id_length = (uint8_t)length;
    image->build_id_at = (uint32_t)(start + (uint64_t)(build_id - notes) -
                                    image->base);
}

static void read_release(struct image *image, struct guest_memory *memory,
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

void image_take_code(struct image *image,
                     const struct kallsyms_wanted wanted[MARKS])
{
    if ( !wanted[MARK_STEXT].found || !wanted[MARK_ETEXT].found )
        return;
    image->code[0].start = wanted[MARK_STEXT].offset;
    image->code[0].end = wanted[MARK_ETEXT].offset;
    if ( !wanted[MARK_SINITTEXT].found || !wanted[MARK_EINITTEXT].found )
        return;
    image->code[1].start = wanted[MARK_SINITTEXT].offset;
    image->code[1].end = wanted[MARK_EINITTEXT].offset;
}

static void take_places(struct image *image, struct guest_memory *memory,
                        const struct kallsyms_wanted *wanted)
{
    if ( wanted[MARK_NOTES].found && wanted[MARK_NOTES_END].found )
        read_notes(image, memory, image->base + wanted[MARK_NOTES].offset,
                   image->base + wanted[MARK_NOTES_END].offset);
    if ( wanted[MARK_BANNER].found )
        read_release(image, memory, image->base + wanted[MARK_BANNER].offset);
    if ( !wanted[MARK_MODULES].found || !wanted[MARK_BTF].found ||
         !wanted[MARK_BTF_END].found )
        return;
    image->modules_at = (uint32_t)wanted[MARK_MODULES].offset;
    module_layout_read(memory, image->base + wanted[MARK_BTF].offset,
                       image->base + wanted[MARK_BTF_END].offset,
                       &image->modules);
}

static void add_facts(struct fingerprint *fingerprint,
                      const struct image *image)
{
    const struct module_layout *layout = &image->modules;
    uint16_t members[] = {
        layout->known,     layout->size,         layout->list,
        layout->name,      layout->name_length,  layout->kallsyms,
        layout->base[0],   layout->base[1],      layout->text_size[0],
        layout->orc_count, layout->text_size[1], layout->orc_ips,
        layout->orc_rows,  layout->symtab,       layout->symbols,
        layout->strtab,    image->frame_pointers};
    uint32_t places[] = {image->build_id_at, image->banner_at,
                         image->modules_at};

    fingerprint_add(fingerprint, members, sizeof(members));
    fingerprint_add(fingerprint, places, sizeof(places));
    fingerprint_add(fingerprint, image->build_id, sizeof(image->build_id));
    fingerprint_add(fingerprint, image->release, strlen(image->release) + 1);
}

enum kernel_code image_complete(struct image *image,
                                struct guest_memory *memory,
                                const struct kallsyms_wanted wanted[MARKS],
                                struct fingerprint *fingerprint)
{
    enum kernel_code code;

    take_places(image, memory, wanted);
    code = image_read_orc(image, memory, wanted, fingerprint);
    if ( code )
        return code;
    if ( !image->orc )
        image_look_for_frame_pointers(image, memory);
    add_facts(fingerprint, image);
    image->fingerprint = fingerprint_end(fingerprint);
    return KERNEL_OK;
}
