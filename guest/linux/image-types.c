/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One walk over the types, for all that is wanted of them. */
#include "image-types.h"

#include <stdlib.h>

#include "base/scope.h"

/* Code is a second source, so it is left out before the budget is spent: rows
 * and modules are to be read as well. */
#define BYTES_KEPT (4ull << 20)

enum { WANT_MODULE = KERNEL_TYPES, WANTS };

static struct task_symbol symbol_of_mark(const struct kallsyms_wanted *mark)
{
    return (struct task_symbol){mark->found, mark->absolute, mark->offset};
}

static void find_tasks(struct linux_image *image, struct guest_memory *memory,
                       const struct kallsyms_wanted marks[MARKS],
                       const struct kernel_layout *layout)
{
    const struct task_symbols symbols = {
        .offsets = symbol_of_mark(&marks[MARK_CPU_OFFSETS]),
        .current = symbol_of_mark(&marks[MARK_CURRENT]),
        .hot = symbol_of_mark(&marks[MARK_HOT]),
        .vcpu_id = symbol_of_mark(&marks[MARK_VCPU_ID]),
        .processor = symbol_of_mark(&marks[MARK_PROCESSOR]),
        .canary = symbol_of_mark(&marks[MARK_CANARY]),
    };
    struct code_loads *loads SCOPE_FREE = NULL;

    if ( layout && (layout->known & FOR_TASKS) && memory->left > BYTES_KEPT )
        loads = calloc(1, sizeof(*loads));
    if ( loads )
        code_loads_read(loads, memory, image->base + image->code[0].start,
                        image->base + image->code[0].end);
    task_facts_make(&symbols, layout, loads, image->base, &image->tasks);
}

/* A symbol says of some whether the kernel may have them. */
static uint32_t groups_of(const struct kallsyms_wanted marks[MARKS])
{
    return FOR_ALL & ~(marks[MARK_HOT].found ? 0 : FOR_HOT) &
           ~(marks[MARK_MAPLE].found ? 0 : FOR_TREE);
}

void image_read_types(struct linux_image *image, struct guest_memory *memory,
                      const struct kallsyms_wanted marks[MARKS])
{
    struct btf *btf SCOPE_FREE = malloc(sizeof(*btf));
    struct btf_wanted wanted[WANTS];

    if ( !btf || !marks[MARK_BTF].found || !marks[MARK_BTF_END].found ||
         !btf_open(btf, memory, image->base + marks[MARK_BTF].offset,
                   image->base + marks[MARK_BTF_END].offset) )
    {
        find_tasks(image, memory, marks, NULL);
        return;
    }
    kernel_layout_want(wanted, groups_of(marks));
    kmod_layout_want(&wanted[WANT_MODULE]);
    btf_find_structs(btf, wanted, WANTS);
    if ( marks[MARK_MODULES].found )
    {
        image->kmods_at = (uint32_t)marks[MARK_MODULES].offset;
        kmod_layout_read(btf, &wanted[WANT_MODULE], &image->kmods);
    }
    kernel_layout_read(btf, wanted, &image->layout);
    image->pid_ns_at = marks[MARK_PID_NS].offset;
    image->pages_at = marks[MARK_PAGES].offset;
    image->direct_at = marks[MARK_DIRECT].offset;
    find_tasks(image, memory, marks, &image->layout);
}

bool image_knows_origins(const struct linux_image *image)
{
    return image->pid_ns_at && (image->layout.known & FOR_ORIGINS);
}

bool image_knows_mapped(const struct linux_image *image)
{
    return image_knows_origins(image) && (image->layout.known & FOR_AREAS) &&
           image->tasks.status == TASK_LIST_KNOWN;
}

bool image_knows_cached(const struct linux_image *image)
{
    return image_knows_mapped(image) && (image->layout.known & FOR_PAGES);
}

void image_read_tasks(const struct linux_image *image,
                      struct guest_memory *memory,
                      const struct task_place *place, struct task_list *ret)
{
    task_cpus_read(&image->tasks, &image->layout, memory, place, ret);
    ret->origins = image_knows_origins(image);
    ret->mapped = image_knows_mapped(image);
    ret->cached = image_knows_cached(image);
}
