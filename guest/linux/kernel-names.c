/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel-inside.h"

#include <string.h>

static bool name_in_module(const struct module *module, uint64_t address,
                           struct kernel_symbol *ret)
{
    int i;

    ret->name = symbol_list_at(&module->symbols, address, &ret->start,
                               &ret->end);
    if ( !ret->name )
        return false;
    ret->module = module->name;
    for ( i = 0; i < 2; i++ )
    {
        const struct module_code *code = &module->code[i];

        if ( address < code->start || address >= code->end )
            continue;
        if ( !ret->end || ret->end > code->end )
            ret->end = code->end;
        return ret->start >= code->start;
    }
    return false;
}

bool kernel_name(const struct kernel *kernel, uint64_t address,
                 struct kernel_symbol *ret)
{
    uint64_t offset = address - kernel->base;
    const struct module *module;

    memset(ret, 0, sizeof(*ret));
    if ( image_is_code(kernel->image, offset) )
    {
        if ( !image_symbol(kernel->image, offset, &ret->name, &ret->start,
                           &ret->end) )
            return false;
        ret->start += kernel->base;
        ret->end += ret->end ? kernel->base : 0;
        return true;
    }
    module = modules_at(&kernel->modules, address);
    return module && name_in_module(module, address, ret);
}

bool kernel_is_code(const struct kernel *kernel, uint64_t address)
{
    return image_is_code(kernel->image, address - kernel->base) ||
           modules_at(&kernel->modules, address);
}

bool kernel_orc(const struct kernel *kernel, uint64_t address,
                struct orc_row *ret)
{
    uint64_t offset = address - kernel->base;
    const struct module *module;

    if ( image_is_code(kernel->image, offset) )
        return kernel->image->orc && orc_find(kernel->image->orc, offset, ret);
    module = modules_at(&kernel->modules, address);
    return module && module->orc && orc_find(module->orc, address, ret);
}

bool kernel_has_frame_pointers(const struct kernel *kernel)
{
    return kernel->image->frame_pointers;
}

void kernel_get_info(const struct kernel *kernel, struct kernel_info *ret)
{
    const struct image *image = kernel->image;

    memset(ret, 0, sizeof(*ret));
    memcpy(ret->release, image->release, sizeof(ret->release));
    memcpy(ret->build_id, image->build_id, sizeof(ret->build_id));
    ret->build_id_length = image->build_id_length;
    ret->base = kernel->base + image->code[0].start;
    ret->symbols = image->kallsyms
                       ? image->kallsyms->count - image->kallsyms->first
                       : image->symbols.count;
    ret->symbols += kernel->modules.used.symbols;
    ret->modules = kernel->modules.count;
    ret->orc_rows = kernel->modules.used.orc_rows;
    if ( image->orc )
    {
        ret->orc_rows += (uint32_t)orc_count(image->orc);
        ret->orc_layout = (uint8_t)orc_layout(image->orc);
    }
    ret->frame_pointers = image->frame_pointers;
    ret->bytes_read = kernel->bytes_read;
    ret->checked = kernel->checked;
}
