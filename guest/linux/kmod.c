/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols and ORC rows of one kernel module, copied and then checked. */
#include "kmod.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/vector.h"

#define SYMBOLS_AT_ONCE 256u
#define NAMES_SIZE_MAX  (4u << 20)
#define NAME_LENGTH_MAX 512u
#define KALLSYMS_SIZE   64u /* of struct mod_kallsyms, at most */

bool kmod_has_code(const struct kmod *kmod, uint64_t address)
{
    int i;

    for ( i = 0; i < 2; i++ )
        if ( address >= kmod->code[i].start && address < kmod->code[i].end )
            return true;
    return false;
}

/* A symbol ends where its piece of code does, and names only that piece. */
bool kmod_symbol(const struct kmod *kmod, uint64_t address,
                 struct kernel_symbol *ret)
{
    ret->name = symbol_list_at(&kmod->symbols, address, &ret->start, &ret->end);
    if ( !ret->name )
        return false;
    ret->module = kmod->name;
    for ( int i = 0; i < 2; i++ )
    {
        const struct kmod_code *code = &kmod->code[i];

        if ( address < code->start || address >= code->end )
            continue;
        if ( !ret->end || ret->end > code->end )
            ret->end = code->end;
        return ret->start >= code->start;
    }
    return false;
}

struct kmod_table {
    uint64_t symbols;
    uint64_t names;
    uint32_t count;
};

/* struct mod_kallsyms */
static bool read_kmod_table(struct guest_memory *memory,
                            const struct kmod_layout *layout, uint64_t address,
                            struct kmod_table *ret)
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
    return ret->count <= KMOD_SYMBOLS_MAX;
}

/* Symbols that name code of the module. */
struct chosen {
    VECTOR(Elf64_Sym);
    uint32_t names_size; /* up to the start of the last name */
};

/* Returns false if there is no memory. */
static bool choose_symbol(struct chosen *chosen, const struct kmod *kmod,
                          const Elf64_Sym *symbol)
{
    Elf64_Sym *kept;

    if ( symbol->st_shndx == SHN_UNDEF || !symbol->st_name ||
         symbol->st_name >= NAMES_SIZE_MAX ||
         !kmod_has_code(kmod, symbol->st_value) )
        return true;
    kept = vector_add(chosen);
    if ( !kept )
        return false;
    *kept = *symbol;
    if ( symbol->st_name >= chosen->names_size )
        chosen->names_size = symbol->st_name + 1;
    return true;
}

static bool read_kmod_symbols(struct chosen *chosen, const struct kmod *kmod,
                              struct guest_memory *memory,
                              const struct kmod_table *table)
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
            if ( !choose_symbol(chosen, kmod, &symbols[i]) )
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

static bool add_chosen_symbols(struct kmod *kmod, const struct chosen *chosen,
                               const char *names, size_t size, uint32_t most)
{
    uint32_t i;

    for ( i = 0; i < chosen->count; i++ )
    {
        const Elf64_Sym *symbol = &chosen->items[i];
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
        if ( length >= most - kmod->symbols.names_size ||
             !symbol_list_add(&kmod->symbols, symbol->st_value, name, length) )
            return false;
    }
    symbol_list_sort(&kmod->symbols);
    return true;
}

static bool read_kmod_names(struct kmod *kmod, struct guest_memory *memory,
                            const struct kmod_table *table,
                            const struct chosen *chosen, uint32_t most)
{
    size_t size = chosen->names_size + NAME_LENGTH_MAX;
    char *names SCOPE_FREE = malloc(size);

    if ( !names )
        return false;
    size = guest_memory_read(memory, table->names, names, size);
    if ( size >= chosen->names_size &&
         add_chosen_symbols(kmod, chosen, names, size, most) )
        return true;
    symbol_list_free(&kmod->symbols);
    return false;
}

bool kmod_read_symbols(struct kmod *kmod, struct guest_memory *memory,
                       const struct kmod_layout *layout,
                       const struct kmod_room *room)
{
    struct chosen chosen = {.items = NULL};
    struct kmod_table table;
    bool done;

    if ( kmod->symbols.count )
        return true;
    done = read_kmod_table(memory, layout, kmod->kallsyms, &table) &&
           read_kmod_symbols(&chosen, kmod, memory, &table) &&
           chosen.count <= room->symbols &&
           (!chosen.count ||
            read_kmod_names(kmod, memory, &table, &chosen, room->names));
    vector_free(&chosen);
    return done;
}

/* Copies count rows.  Returns false if they cannot be read. */
static bool read_kmod_rows(struct kmod *kmod, struct guest_memory *memory,
                           uint64_t ips, uint64_t rows, uint32_t count,
                           enum orc_layout layout)
{
    size_t ips_size = 4ull * count, rows_size = (size_t)ORC_ENTRY_SIZE * count;
    uint8_t *bytes SCOPE_FREE = malloc(ips_size + rows_size);

    if ( !bytes || !guest_memory_get(memory, ips, bytes, ips_size) ||
         !guest_memory_get(memory, rows, bytes + ips_size, rows_size) )
        return false;
    kmod->orc = orc_open((const int32_t *)bytes, bytes + ips_size, count, ips,
                         layout);
    return true;
}

bool kmod_read_orc(struct kmod *kmod, struct guest_memory *memory,
                   const struct kmod_layout *layout, const uint8_t *structure,
                   const struct kmod_orc *orc)
{
    uint64_t ips, rows;
    uint32_t count = 0;

    if ( layout->orc_ips )
        memcpy(&count, structure + layout->orc_count, sizeof(count));
    if ( !count || kmod->orc )
        return true;
    if ( count > orc->most )
        return false;
    memcpy(&ips, structure + layout->orc_ips, sizeof(ips));
    memcpy(&rows, structure + layout->orc_rows, sizeof(rows));
    if ( !read_kmod_rows(kmod, memory, ips, rows, count, orc->layout) )
        return false;
    /* Rows that are far from each other take more than their number says. */
    if ( !kmod->orc || orc_size(kmod->orc) <= orc->most_bytes )
        return true;
    orc_close(kmod->orc);
    kmod->orc = NULL;
    return false;
}
