/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_AT_ONCE 256u
#define NAMES_SIZE_MAX  (4u << 20)
#define NAME_LENGTH_MAX 512u
#define ORC_ROW_SIZE    6u
#define KALLSYMS_SIZE   64u /* of struct mod_kallsyms, at most */

struct table {
    uint64_t symbols;
    uint64_t names;
    uint32_t count;
};

/* struct mod_kallsyms */
static bool read_table(struct guest_memory *memory,
                       const struct module_layout *layout, uint64_t address,
                       struct table *ret)
{
    uint8_t bytes[KALLSYMS_SIZE] = {0};

    if ( layout->symtab > KALLSYMS_SIZE - 8 ||
         layout->strtab > KALLSYMS_SIZE - 8 ||
         layout->symbols > KALLSYMS_SIZE - 8 ||
         guest_memory_read(memory, address, bytes, sizeof(bytes)) < 32 )
        return false;
    memcpy(&ret->symbols, bytes + layout->symtab, 8);
    memcpy(&ret->names, bytes + layout->strtab, 8);
    memcpy(&ret->count, bytes + layout->symbols, 4);
    return ret->count <= MODULE_SYMBOLS_MAX;
}

struct chosen {
    Elf64_Sym *list;
    uint32_t count, room;
    uint32_t names_size;
};

/* Keeps what names code. */
static bool choose(struct chosen *chosen, const struct module *module,
                   const Elf64_Sym *symbol)
{
    Elf64_Sym *more;

    if ( symbol->st_shndx == SHN_UNDEF || !symbol->st_name ||
         symbol->st_name >= NAMES_SIZE_MAX ||
         !module_has_code(module, symbol->st_value) )
        return true;
    if ( chosen->count == chosen->room )
    {
        chosen->room = chosen->room ? 2 * chosen->room : SYMBOLS_AT_ONCE;
        more = realloc(chosen->list, chosen->room * sizeof(*more));
        if ( !more )
            return false;
        chosen->list = more;
    }
    chosen->list[chosen->count++] = *symbol;
    if ( symbol->st_name >= chosen->names_size )
        chosen->names_size = symbol->st_name + 1;
    return true;
}

static bool read_symbols(struct chosen *chosen, const struct module *module,
                         struct guest_memory *memory, const struct table *table)
{
    Elf64_Sym symbols[SYMBOLS_AT_ONCE];
    uint32_t i, done, part;

    for ( done = 0; done < table->count; done += part )
    {
        part = table->count - done;
        if ( part > SYMBOLS_AT_ONCE )
            part = SYMBOLS_AT_ONCE;
        if ( !guest_memory_get(
                 memory, table->symbols + (uint64_t)done * sizeof(*symbols),
                 symbols, part * sizeof(*symbols)) )
            return false;
        for ( i = 0; i < part; i++ )
            if ( !choose(chosen, module, &symbols[i]) )
                return false;
    }
    return true;
}

static bool is_name(const char *name, size_t length)
{
    size_t i;

    for ( i = 0; i < length; i++ )
        if ( name[i] <= ' ' || name[i] > '~' )
            return false;
    return length && length < NAME_LENGTH_MAX;
}

static bool add_symbols(struct module *module, const struct chosen *chosen,
                        const char *names, size_t size, uint32_t most)
{
    uint32_t i;

    for ( i = 0; i < chosen->count; i++ )
    {
        const Elf64_Sym *symbol = &chosen->list[i];
        const char *name = names + symbol->st_name;
        size_t length, most_here;

        if ( symbol->st_name >= size )
            continue;
        most_here = size - symbol->st_name;
        length = strnlen(name, most_here < NAME_LENGTH_MAX ? most_here
                                                           : NAME_LENGTH_MAX);
        if ( !is_name(name, length) )
            continue;
        /* Many symbols may have one long name. */
        if ( length >= most - module->symbols.names_size ||
             !symbol_list_add(&module->symbols, symbol->st_value, name,
                              length) )
            return false;
    }
    symbol_list_sort(&module->symbols);
    return true;
}

static bool read_names(struct module *module, struct guest_memory *memory,
                       const struct table *table, const struct chosen *chosen,
                       uint32_t most)
{
    size_t size = chosen->names_size + NAME_LENGTH_MAX;
    char *names = malloc(size);
    bool done;

    if ( !names )
        return false;
    size = guest_memory_read(memory, table->names, names, size);
    done = size >= chosen->names_size &&
           add_symbols(module, chosen, names, size, most);
    free(names);
    if ( !done )
        symbol_list_free(&module->symbols);
    return done;
}

bool module_read_symbols(struct module *module, struct guest_memory *memory,
                         const struct module_layout *layout,
                         const struct module_room *room)
{
    struct chosen chosen = {0};
    struct table table;
    bool done;

    if ( module->symbols.count )
        return true;
    done = read_table(memory, layout, module->kallsyms, &table) &&
           read_symbols(&chosen, module, memory, &table) &&
           chosen.count <= room->symbols &&
           (!chosen.count ||
            read_names(module, memory, &table, &chosen, room->names));
    free(chosen.list);
    return done;
}

bool module_read_orc(struct module *module, struct guest_memory *memory,
                     const struct module_layout *layout,
                     const uint8_t *structure, const struct module_orc *orc)
{
    uint64_t ips, rows;
    uint32_t count = 0;
    uint8_t *bytes;
    bool there;

    if ( layout->orc_ips )
        memcpy(&count, structure + layout->orc_count, sizeof(count));
    if ( !count || module->orc )
        return true;
    if ( count > orc->most )
        return false;
    memcpy(&ips, structure + layout->orc_ips, sizeof(ips));
    memcpy(&rows, structure + layout->orc_rows, sizeof(rows));
    bytes = malloc(count * (4ull + ORC_ROW_SIZE));
    if ( !bytes )
        return false;
    there = guest_memory_get(memory, ips, bytes, 4ull * count) &&
            guest_memory_get(memory, rows, bytes + 4ull * count,
                             (size_t)ORC_ROW_SIZE * count);
    if ( there )
        module->orc = orc_open((const int32_t *)bytes, bytes + 4ull * count,
                               count, ips, orc->layout);
    free(bytes);
    /* Rows that are far from each other take more than their number says. */
    if ( module->orc && orc_size(module->orc) > orc->most_bytes )
    {
        orc_close(module->orc);
        module->orc = NULL;
        return false;
    }
    return there;
}
