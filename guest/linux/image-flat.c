/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts an image into flat bytes, and checks those before they are used. */
#include <string.h>

#include "image-flat.h"
#include "image-rows.h"

struct flat_image {
    char release[96];
    uint8_t build_id[KERNEL_BUILD_ID_MAX];
    uint8_t build_id_length, has_kallsyms, has_orc, frame_pointers;
    uint32_t build_id_at, banner_at, kmods_at;
    uint8_t fred, has_rows, reserved[2];
    struct kernel_range code[2];
    struct task_facts tasks;
    uint64_t pid_ns_at, pages_at, direct_at, rows_base;
    struct kmod_layout kmods; /* numbers of 16 bits, without padding */
};

static bool put_flat_image(const struct linux_image *image, struct buffer *to)
{
    struct flat_image flat = {
        .build_id_length = image->shared.build_id_length,
        .has_kallsyms = image->kallsyms != NULL,
        .has_orc = image->orc != NULL,
        .frame_pointers = image->frame_pointers,
        .fred = image->fred,
        .has_rows = image->rows != NULL,
        .build_id_at = image->build_id_at,
        .banner_at = image->banner_at,
        .kmods_at = image->kmods_at,
        .code = {image->code[0], image->code[1]},
        .tasks = image->tasks,
        .kmods = image->kmods,
        .pid_ns_at = image->pid_ns_at,
        .pages_at = image->pages_at,
        .direct_at = image->direct_at,
        .rows_base = image->rows_base,
    };

    memcpy(flat.release, image->release, strlen(image->release));
    memcpy(flat.build_id, image->shared.build_id, sizeof(flat.build_id));
    return flat_put(to, &flat, 1, sizeof(flat)) &&
           flat_put(to, &image->layout, 1, sizeof(image->layout));
}

bool image_put(const struct linux_image *image, struct buffer *to)
{
    return put_flat_image(image, to) &&
           (image->kallsyms ? kallsyms_put(image->kallsyms, to)
                            : symbol_list_put(&image->symbols, to)) &&
           (!image->orc || orc_put(image->orc, to)) &&
           (!image->rows || image_rows_put(image, to));
}

static bool take_flat_image(struct linux_image *image,
                            const struct flat_image *flat)
{
    if ( flat->release[sizeof(flat->release) - 1] ||
         flat->build_id_length > KERNEL_BUILD_ID_MAX )
        return false;
    memcpy(image->release, flat->release, sizeof(image->release));
    memcpy(image->shared.build_id, flat->build_id, KERNEL_BUILD_ID_MAX);
    image->shared.build_id_length = flat->build_id_length;
    image->frame_pointers = flat->frame_pointers != 0;
    image->fred = flat->fred != 0;
    image->build_id_at = flat->build_id_at;
    image->banner_at = flat->banner_at;
    image->kmods_at = flat->kmods_at;
    memcpy(image->code, flat->code, sizeof(image->code));
    image->kmods = flat->kmods;
    image->tasks = flat->tasks;
    image->pid_ns_at = flat->pid_ns_at;
    image->pages_at = flat->pages_at;
    image->direct_at = flat->direct_at;
    image->rows_base = flat->rows_base;
    return kmod_layout_is_sound(&image->kmods) &&
           task_facts_are_sound(&image->tasks);
}

static bool take_flat_tables(struct linux_image *image, struct cursor *from)
{
    const struct flat_image *flat = flat_get(from, 1, sizeof(*flat));
    const struct kernel_layout *layout = flat_get(from, 1, sizeof(*layout));

    if ( !flat || !take_flat_image(image, flat) || !layout ||
         !kernel_layout_is_sound(layout) )
        return false;
    image->layout = *layout;
    if ( flat->has_kallsyms )
        image->kallsyms = kallsyms_get(from);
    else if ( !symbol_list_get(from, &image->symbols) )
        return false;
    if ( flat->has_orc )
        image->orc = orc_get(from);
    return (!flat->has_kallsyms || image->kallsyms) &&
           (!flat->has_orc || image->orc) &&
           (!flat->has_rows || image_rows_get(image, from));
}

enum kernel_status image_get(struct cursor *from, struct linux_image **ret)
{
    struct linux_image *image = linux_image_create();

    if ( !image )
        return KERNEL_NO_MEMORY;
    if ( !take_flat_tables(image, from) )
    {
        linux_image_free(image);
        return KERNEL_DAMAGED;
    }
    *ret = image;
    return KERNEL_OK;
}
