/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modules.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_HALF 0xffff800000000000ull

static void free_module(struct module *module)
{
    symbol_list_free(&module->symbols);
    if ( module->orc )
        orc_close(module->orc);
    free(module);
}

void modules_free(struct modules *modules)
{
    struct module *next;

    modules_forget_ranges(modules);
    for ( ; modules->list; modules->list = next )
    {
        next = modules->list->next;
        free_module(modules->list);
    }
    memset(modules, 0, sizeof(*modules));
}

bool module_has_code(const struct module *module, uint64_t address)
{
    int i;

    for ( i = 0; i < 2; i++ )
        if ( address >= module->code[i].start && address < module->code[i].end )
            return true;
    return false;
}

static uint64_t word(const uint8_t *structure, uint32_t at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, structure + at, size);
    return value;
}

static bool take_name(struct module *module, const struct module_layout *layout,
                      const uint8_t *structure)
{
    size_t i, most = layout->name_length;

    if ( most > MODULE_NAME_MAX )
        most = MODULE_NAME_MAX;
    for ( i = 0; i < most && structure[layout->name + i]; i++ )
    {
        char letter = (char)structure[layout->name + i];

        if ( letter <= ' ' || letter > '~' )
            return false;
        module->name[i] = letter;
    }
    return i && i < most;
}

/* What struct module says; false: that is none. */
static bool take_module(struct module *module,
                        const struct module_layout *layout,
                        const uint8_t *structure)
{
    int i;

    if ( !take_name(module, layout, structure) )
        return false;
    for ( i = 0; i < 2; i++ )
    {
        uint64_t start = word(structure, layout->base[i], 8);
        uint64_t size = word(structure, layout->text_size[i], 4);

        if ( !start || !size )
            continue;
        if ( start < KERNEL_HALF || size > MODULE_CODE_MAX ||
             start + size < start )
            return false;
        module->code[i].start = start;
        module->code[i].end = start + size;
    }
    module->kallsyms = word(structure, layout->kallsyms, 8);
    return true;
}

/* The same as before?  What it says of itself tells: an address may have been
 * used again. */
static struct module *find_known(const struct modules *modules,
                                 const struct module *wanted)
{
    struct module *module;

    for ( module = modules->list; module; module = module->next )
        if ( module->address == wanted->address &&
             module->kallsyms == wanted->kallsyms &&
             !memcmp(module->code, wanted->code, sizeof(wanted->code)) &&
             !strcmp(module->name, wanted->name) )
            return module;
    return NULL;
}

static struct module *add_module(struct modules *modules,
                                 const struct module *wanted)
{
    struct module *module = malloc(sizeof(*module));

    if ( !module )
        return NULL;
    *module = *wanted;
    module->next = modules->list;
    modules->list = module;
    modules->count++;
    return module;
}

struct walk {
    struct modules *modules;
    struct guest_memory *memory;
    const struct module_layout *layout;
    enum orc_layout orc;
    uint8_t *structure;
};

static void take_room(struct modules *modules, const struct module *module,
                      int sign)
{
    modules->used.symbols += (uint32_t)sign * module->symbols.count;
    modules->used.names += (uint32_t)sign * module->symbols.names_size;
    if ( module->orc )
    {
        modules->used.orc_rows += (uint32_t)sign *
                                  (uint32_t)orc_count(module->orc);
        modules->used.orc_size += (uint32_t)sign *
                                  (uint32_t)orc_size(module->orc);
    }
}

static void complete(struct walk *walk, struct module *module)
{
    const struct module_room *used = &walk->modules->used;
    struct module_room room;
    struct module_orc orc;
    bool symbols, rows;

    take_room(walk->modules, module, -1);
    room = (struct module_room){MODULES_SYMBOLS_MAX - used->symbols,
                                MODULES_NAMES_MAX - used->names,
                                MODULES_ORC_ROWS_MAX - used->orc_rows,
                                MODULES_ORC_SIZE_MAX - used->orc_size};
    orc = (struct module_orc){walk->orc, room.orc_rows, room.orc_size};
    symbols = module_read_symbols(module, walk->memory, walk->layout, &room);
    rows = module_read_orc(module, walk->memory, walk->layout, walk->structure,
                           &orc);
    take_room(walk->modules, module, 1);
    module->complete = symbols && rows;
}

/* The module whose link is at link; *next is where its link leads. */
static enum kernel_code look_at(struct walk *walk, uint64_t link,
                                uint64_t *next)
{
    struct module wanted = {.address = link - walk->layout->list};
    struct module *module;

    if ( !guest_memory_get(walk->memory, wanted.address, walk->structure,
                           walk->layout->size) )
        return walk->memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    *next = word(walk->structure, walk->layout->list, 8);
    if ( !take_module(&wanted, walk->layout, walk->structure) )
        return KERNEL_DAMAGED;
    module = find_known(walk->modules, &wanted);
    if ( !module )
        module = add_module(walk->modules, &wanted);
    if ( !module )
        return KERNEL_NO_MEMORY;
    module->seen = true;
    if ( !module->complete )
        complete(walk, module);
    return KERNEL_OK;
}

static enum kernel_code walk_list(struct walk *walk, uint64_t head)
{
    enum kernel_code code = KERNEL_OK;
    uint64_t link;
    uint32_t i;

    if ( !guest_memory_get(walk->memory, head, &link, sizeof(link)) )
        return walk->memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    for ( i = 0; i < MODULES_MAX && !code && link != head; i++ )
        code = look_at(walk, link, &link);
    return !code && link != head ? KERNEL_DAMAGED : code;
}

static void drop_unseen(struct modules *modules)
{
    struct module **at = &modules->list, *module;

    while ( (module = *at) )
    {
        if ( module->seen )
        {
            at = &module->next;
            continue;
        }
        *at = module->next;
        modules->count--;
        take_room(modules, module, -1);
        free_module(module);
    }
}

enum kernel_code modules_read(struct modules *modules,
                              struct guest_memory *memory,
                              const struct module_layout *layout,
                              enum orc_layout orc, uint64_t head)
{
    struct walk walk = {modules, memory, layout, orc, NULL};
    struct module *module;
    enum kernel_code code;

    if ( !layout->known )
        return KERNEL_UNKNOWN;
    walk.structure = malloc(layout->size);
    if ( !walk.structure )
        return KERNEL_NO_MEMORY;
    for ( module = modules->list; module; module = module->next )
        module->seen = false;
    code = walk_list(&walk, head);
    free(walk.structure);
    /* Only a walk that came round says that something is gone. */
    modules_forget_ranges(modules);
    if ( !code )
        drop_unseen(modules);
    return modules_sort(modules) ? code : KERNEL_NO_MEMORY;
}
