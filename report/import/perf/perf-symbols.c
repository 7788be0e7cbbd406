/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-symbols.h"

#include "base/must.h"
#include "base/sorted.h"
#include "base/vector.h"
#include "rows/cfi/elf-strings.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX (1u << 30) /* of a table of symbols */

struct perf_symbols {
    struct {
        VECTOR(struct perf_symbol);
    } list; /* by start */
};

/* A symbol as it is chosen among others. */
struct raw_symbol {
    struct perf_symbol symbol;
    bool weak, global;
    unsigned int underscores;
};

struct raw_symbols {
    VECTOR(struct raw_symbol);
};

static bool is_function(const GElf_Sym *symbol)
{
    const int type = GELF_ST_TYPE(symbol->st_info);

    return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
           symbol->st_shndx != SHN_UNDEF && symbol->st_value;
}

static void add_symbol(struct raw_symbols *symbols, const GElf_Sym *from,
                       const char *name)
{
    struct raw_symbol *symbol = must(vector_add(symbols));

    *symbol = (struct raw_symbol){
        .symbol = {from->st_value, from->st_value + from->st_size,
                   must(strdup(name))},
        .weak = GELF_ST_BIND(from->st_info) == STB_WEAK,
        .global = GELF_ST_BIND(from->st_info) == STB_GLOBAL,
        .underscores = (unsigned int)strspn(name, "_"),
    };
    if ( symbol->symbol.end < symbol->symbol.start )
        symbol->symbol.end = UINT64_MAX;
}

static void add_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        struct raw_symbols *ret)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    if ( !data || !elf_strings_fit(elf, header->sh_link, STRINGS_MAX) )
        return;
    for ( int i = 0; gelf_getsym(data, i, &symbol); i++ )
    {
        const char *name = is_function(&symbol)
                               ? elf_strptr(elf, header->sh_link,
                                            symbol.st_name)
                               : NULL;

        if ( name && *name )
            add_symbol(ret, &symbol, name);
    }
}

/* The table of all symbols, or that of those which other files use. */
static void read_table(Elf *elf, GElf_Word type, struct raw_symbols *ret)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ( !ret->count && (section = elf_nextscn(elf, section)) )
        if ( gelf_getshdr(section, &header) && header.sh_type == type )
            add_symbols(elf, section, &header, ret);
}

static bool has_size(const struct raw_symbol *symbol)
{
    return symbol->symbol.end > symbol->symbol.start;
}

/* The better of two comes first. */
static int compare_worth(const struct raw_symbol *one,
                         const struct raw_symbol *other)
{
    const size_t length = strlen(one->symbol.name);
    const size_t other_length = strlen(other->symbol.name);

    if ( has_size(one) != has_size(other) )
        return has_size(one) ? -1 : 1;
    if ( one->weak != other->weak )
        return one->weak ? 1 : -1;
    if ( one->global != other->global )
        return one->global ? -1 : 1;
    if ( one->underscores != other->underscores )
        return one->underscores < other->underscores ? -1 : 1;
    if ( length != other_length )
        return length > other_length ? -1 : 1;
    return strcmp(one->symbol.name, other->symbol.name);
}

static int compare_raw(const void *left, const void *right)
{
    const struct raw_symbol *one = left, *other = right;

    if ( one->symbol.start != other->symbol.start )
        return one->symbol.start < other->symbol.start ? -1 : 1;
    return compare_worth(one, other);
}

/* One of each start; one without a size ends where the next begins, and so does
 * one that reaches into it. */
static void keep_best(const struct raw_symbols *raw, struct perf_symbols *ret)
{
    struct perf_symbol *last = NULL;

    must_do(vector_reserve(&ret->list, raw->count));
    for ( size_t i = 0; i < raw->count; i++ )
    {
        const struct perf_symbol *symbol = &raw->items[i].symbol;

        if ( last && last->start == symbol->start )
        {
            free((char *)symbol->name);
            continue;
        }
        if ( last && (last->end == last->start || last->end > symbol->start) )
            last->end = symbol->start;
        last = &ret->list.items[ret->list.count++];
        *last = *symbol;
    }
}

struct perf_symbols *perf_symbols_read(int fd)
{
    struct perf_symbols *ret = NULL;
    struct raw_symbols raw = {.items = NULL};
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if ( elf && elf_kind(elf) == ELF_K_ELF )
    {
        read_table(elf, SHT_SYMTAB, &raw);
        read_table(elf, SHT_DYNSYM, &raw);
    }
    if ( raw.count )
    {
        qsort(raw.items, raw.count, sizeof(raw.items[0]), compare_raw);
        ret = must(calloc(1, sizeof(*ret)));
        keep_best(&raw, ret);
    }
    vector_free(&raw);
    elf_end(elf);
    return ret;
}

void perf_symbols_close(struct perf_symbols *symbols)
{
    if ( !symbols )
        return;
    for ( size_t i = 0; i < symbols->list.count; i++ )
        free((char *)symbols->list.items[i].name);
    vector_free(&symbols->list);
    free(symbols);
}

const struct perf_symbol *perf_symbols_find(const struct perf_symbols *symbols,
                                            uint64_t address)
{
    const size_t count = sorted_until(symbols->list.items, symbols->list.count,
                                      start, address);

    return count && address < symbols->list.items[count - 1].end
               ? &symbols->list.items[count - 1]
               : NULL;
}
