/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One walk over the types, for all that is wanted of them. */
#include "image-types.h"

#include <stdlib.h>

#include "base/scope.h"

/* Code is a second source, so it is left out before the budget is spent: rows
 * and modules are to be read as well. */
#define BYTES_KEPT (4ull << 20)

enum {
    WANT_ORIGIN = TASK_STRUCTS,
    WANT_MAPPED = WANT_ORIGIN + ORIGIN_STRUCTS,
    WANT_MODULE = WANT_MAPPED + MAPPING_STRUCTS,
    WANTS
};

static struct task_symbol symbol_of(const struct kallsyms_wanted *mark)
{
    return (struct task_symbol){mark->found, mark->absolute, mark->offset};
}

static void find_tasks(struct linux_image *image, struct guest_memory *memory,
                       const struct kallsyms_wanted marks[MARKS],
                       const struct task_layout *layout)
{
    const struct task_symbols symbols = {
        .offsets = symbol_of(&marks[MARK_CPU_OFFSETS]),
        .current = symbol_of(&marks[MARK_CURRENT]),
        .hot = symbol_of(&marks[MARK_HOT]),
        .vcpu_id = symbol_of(&marks[MARK_VCPU_ID]),
        .processor = symbol_of(&marks[MARK_PROCESSOR]),
        .canary = symbol_of(&marks[MARK_CANARY]),
    };
    struct code_loads *loads SCOPE_FREE = NULL;

    if ( layout && layout->known && memory->left > BYTES_KEPT )
        loads = calloc(1, sizeof(*loads));
    if ( loads )
        code_loads_read(loads, memory, image->base + image->code[0].start,
                        image->base + image->code[0].end);
    task_facts_make(&symbols, layout, loads, image->base, &image->tasks);
}

static bool open_types(struct btf *btf, const struct linux_image *image,
                       struct guest_memory *memory,
                       const struct kallsyms_wanted marks[MARKS])
{
    return btf && marks[MARK_BTF].found && marks[MARK_BTF_END].found &&
           btf_open(btf, memory, image->base + marks[MARK_BTF].offset,
                    image->base + marks[MARK_BTF_END].offset);
}

void image_read_types(struct linux_image *image, struct guest_memory *memory,
                      const struct kallsyms_wanted marks[MARKS])
{
    struct btf *btf SCOPE_FREE = malloc(sizeof(*btf));
    struct btf_wanted wanted[WANTS];
    struct task_layout layout;

    if ( !open_types(btf, image, memory, marks) )
    {
        find_tasks(image, memory, marks, NULL);
        return;
    }
    task_layout_want(wanted, marks[MARK_HOT].found);
    origin_layout_want(&wanted[WANT_ORIGIN]);
    mapping_layout_want(&wanted[WANT_MAPPED], marks[MARK_MAPLE].found);
    kmod_layout_want(&wanted[WANT_MODULE]);
    btf_find_structs(btf, wanted, WANTS);
    if ( marks[MARK_MODULES].found )
    {
        image->kmods_at = (uint32_t)marks[MARK_MODULES].offset;
        kmod_layout_read(btf, &wanted[WANT_MODULE], &image->kmods);
    }
    task_layout_read(btf, wanted, &layout);
    if ( marks[MARK_PID_NS].found )
    {
        image->pid_ns_at = marks[MARK_PID_NS].offset;
        origin_layout_read(btf, &wanted[TASK_STRUCT], &wanted[WANT_ORIGIN],
                           &image->origins);
        mapping_layout_read(btf, &wanted[TASK_STRUCT], &wanted[WANT_MAPPED],
                            &image->mapped);
        cache_layout_read(btf, &wanted[TASK_STRUCT], &image->cached);
        image->pages_at = marks[MARK_PAGES].offset;
        image->direct_at = marks[MARK_DIRECT].offset;
    }
    find_tasks(image, memory, marks, &layout);
}

bool image_knows_origins(const struct linux_image *image)
{
    return image->pid_ns_at && image->origins.known;
}

bool image_knows_mapped(const struct linux_image *image)
{
    return image_knows_origins(image) && image->mapped.sort &&
           image->tasks.layout.known;
}

bool image_knows_cached(const struct linux_image *image)
{
    return image_knows_mapped(image) && image->cached.page_bytes;
}

void image_read_tasks(const struct linux_image *image,
                      struct guest_memory *memory,
                      const struct task_place *place, struct task_list *ret)
{
    task_cpus_read(&image->tasks, memory, place, ret);
    ret->origins = image_knows_origins(image);
    ret->mapped = image_knows_mapped(image);
    ret->cached = image_knows_cached(image);
}
