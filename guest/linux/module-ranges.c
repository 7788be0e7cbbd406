/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which module an address is in: asked for each frame of each stack, of a
 * guest that may have thousands of modules.
 */
#include "modules.h"

#include <stdlib.h>

void modules_forget_ranges(struct modules *modules)
{
    free(modules->ranges);
    modules->ranges = NULL;
    modules->ranges_count = 0;
}

static int compare(const void *left, const void *right)
{
    const struct module_range *a = left, *b = right;

    if ( a->code.start != b->code.start )
        return a->code.start < b->code.start ? -1 : 1;
    return a->code.end < b->code.end ? -1 : a->code.end > b->code.end;
}

bool modules_sort(struct modules *modules)
{
    const struct module *module;
    struct module_range *ranges;

    modules_forget_ranges(modules);
    if ( !modules->count )
        return true;
    ranges = reallocarray(NULL, 2ul * modules->count, sizeof(*ranges));
    if ( !ranges )
        return false;
    modules->ranges = ranges;
    for ( module = modules->list; module; module = module->next )
        for ( int i = 0; i < 2; i++ )
            if ( module->code[i].end )
                ranges[modules->ranges_count++] = (struct module_range){
                    module->code[i], module};
    qsort(ranges, modules->ranges_count, sizeof(*ranges), compare);
    return true;
}

const struct module *modules_at(const struct modules *modules, uint64_t address)
{
    uint32_t low = 0, high = modules->ranges_count;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( modules->ranges[middle].code.start <= address )
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < modules->ranges[low - 1].code.end
               ? modules->ranges[low - 1].module
               : NULL;
}
