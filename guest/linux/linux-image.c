/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image answers, and the symbols that say where its parts are. */
#include "linux-image.h"

#include <stdlib.h>
#include <string.h>

struct linux_image *linux_image_create(void)
{
    struct linux_image *image = calloc(1, sizeof(*image));

    if ( image )
        image->shared.references = 1;
    return image;
}

void linux_image_free(struct linux_image *image)
{
    uint32_t i;

    if ( !image )
        return;
    kallsyms_close(image->kallsyms);
    symbol_list_free(&image->symbols);
    if ( image->orc )
        orc_close(image->orc);
    row_table_close(image->rows);
    for ( i = 0; i < NAMES_KEPT; i++ )
        free(image->names[i].name);
    free(image);
}

bool linux_image_is_code(const struct linux_image *image, uint64_t offset)
{
    int i;

    for ( i = 0; i < 2; i++ )
        if ( offset >= image->code[i].start && offset < image->code[i].end )
            return true;
    return false;
}

/* Names stay packed.  Some are kept in full, since the same names are asked
 * for again and again. */
static const char *keep_kallsyms_name(struct linux_image *image, uint32_t index)
{
    struct kept_name *kept = &image->names[index % NAMES_KEPT];
    char name[KALLSYMS_NAME_MAX];

    if ( kept->name && kept->index == index )
        return kept->name;
    if ( !kallsyms_name(image->kallsyms, index, name) )
        return NULL;
    free(kept->name);
    kept->index = index;
    kept->name = strdup(name + 1);
    return kept->name;
}

bool linux_image_symbol(struct linux_image *image, uint64_t offset,
                        const char **name, uint64_t *start, uint64_t *end)
{
    uint32_t index;

    if ( !image->kallsyms )
    {
        *name = symbol_list_at(&image->symbols, offset, start, end);
        return *name;
    }
    if ( offset > UINT32_MAX ||
         !kallsyms_at(image->kallsyms, (uint32_t)offset, &index) )
        return false;
    *start = image->kallsyms->offsets[index];
    *end = kallsyms_next(image->kallsyms, index);
    *name = keep_kallsyms_name(image, index);
    return *name;
}

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
    [MARK_CPU_OFFSETS] = "__per_cpu_offset",
    [MARK_CURRENT] = "current_task",
    [MARK_HOT] = "pcpu_hot",
    [MARK_VCPU_ID] = "xen_vcpu_id",
    [MARK_PROCESSOR] = "boot_cpu_data",
    [MARK_CANARY] = "__stack_chk_guard",
    [MARK_PID_NS] = "init_pid_ns",
    [MARK_FRED] = "fred_entry_from_user",
    [MARK_MAPLE] = "mas_walk",
    [MARK_PAGES] = "vmemmap_base",
    [MARK_DIRECT] = "page_offset_base",
};

void linux_image_want_marks(struct kallsyms_wanted wanted[MARKS])
{
    memset(wanted, 0, MARKS * sizeof(*wanted));
    for ( int i = 0; i < MARKS; i++ )
        wanted[i].name = mark_names[i];
    wanted[MARK_CURRENT].per_cpu = true;
    wanted[MARK_HOT].per_cpu = true;
    wanted[MARK_VCPU_ID].per_cpu = true;
    wanted[MARK_CANARY].per_cpu = true;
}

void linux_image_take_code(struct linux_image *image,
                           const struct kallsyms_wanted wanted[MARKS])
{
    image->fred = wanted[MARK_FRED].found;
    if ( !wanted[MARK_STEXT].found || !wanted[MARK_ETEXT].found )
        return;
    image->code[0].start = wanted[MARK_STEXT].offset;
    image->code[0].end = wanted[MARK_ETEXT].offset;
    if ( !wanted[MARK_SINITTEXT].found || !wanted[MARK_EINITTEXT].found )
        return;
    image->code[1].start = wanted[MARK_SINITTEXT].offset;
    image->code[1].end = wanted[MARK_EINITTEXT].offset;
}
