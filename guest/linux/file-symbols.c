/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes symbols from ELF tables and from lines of text. */
#include "file-symbols.h"

#include <gelf.h>
#include <string.h>

static void take_mark(struct file_symbols *symbols, uint64_t address,
                      const char *name, size_t length)
{
    int i;

    for ( i = 0; i < MARKS; i++ )
    {
        struct kallsyms_wanted *mark = &symbols->marks[i];

        if ( mark->found || strlen(mark->name) != length ||
             memcmp(mark->name, name, length) )
            continue;
        mark->found = true;
        mark->offset = address;
    }
}

static bool gather_symbol(struct file_symbols *symbols, uint64_t address,
                          bool code, const char *name, size_t length)
{
    take_mark(symbols, address, name, length);
    return !code || !length || length >= KALLSYMS_NAME_MAX ||
           symbol_list_add(&symbols->list, address, name, length);
}

static bool is_code_section(Elf *file, size_t index)
{
    Elf_Scn *section = elf_getscn(file, index);
    GElf_Shdr header;

    return section && gelf_getshdr(section, &header) &&
           (header.sh_flags & SHF_EXECINSTR);
}

static bool gather_table(struct file_symbols *symbols, Elf *file,
                         Elf_Data *data, const GElf_Shdr *table)
{
    size_t i, count = table->sh_entsize ? data->d_size / table->sh_entsize : 0;
    GElf_Sym symbol;

    for ( i = 0; i < count && i < SYMBOL_LIST_MAX; i++ )
    {
        const char *name;
        int type;
        bool code;

        if ( !gelf_getsym(data, (int)i, &symbol) ||
             symbol.st_shndx == SHN_UNDEF )
            continue;
        type = GELF_ST_TYPE(symbol.st_info);
        name = elf_strptr(file, table->sh_link, symbol.st_name);
        code = type == STT_FUNC ||
               (type == STT_NOTYPE && is_code_section(file, symbol.st_shndx));
        if ( name && !gather_symbol(symbols, symbol.st_value, code, name,
                                    strnlen(name, KALLSYMS_NAME_MAX)) )
            return false;
    }
    return true;
}

enum kernel_status gather_elf(struct file_symbols *symbols,
                              struct elf_memory *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    Elf_Data *data;

    while ( (section = elf_nextscn(elf->file, section)) )
    {
        if ( !gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB )
            continue;
        data = elf_getdata(section, NULL);
        if ( data && !gather_table(symbols, elf->file, data, &header) )
            return KERNEL_NO_MEMORY;
    }
    return symbols->list.count ? KERNEL_OK : KERNEL_UNKNOWN;
}

struct symbol_line {
    uint64_t address;
    char type;
    const char *name;
    size_t length;
};

static int digit_of(char letter)
{
    if ( letter >= '0' && letter <= '9' )
        return letter - '0';
    if ( letter >= 'a' && letter <= 'f' )
        return letter - 'a' + 10;
    return -1;
}

static bool is_printed(char letter)
{
    return letter > ' ' && letter <= '~';
}

/* "ffffffff81000000 T _stext"; what follows a module's name, is not of the
 * kernel itself. */
static bool parse_line(const char *at, const char *end,
                       struct symbol_line *line)
{
    int digits = 0;

    line->address = 0;
    for ( ; at < end && digit_of(*at) >= 0 && digits < 16; at++, digits++ )
        line->address = line->address << 4 | (uint64_t)digit_of(*at);
    if ( !digits || end - at < 4 || at[0] != ' ' || at[2] != ' ' )
        return false;
    line->type = at[1];
    line->name = at += 3;
    while ( at < end && is_printed(*at) )
        at++;
    line->length = (size_t)(at - line->name);
    return line->length && at == end;
}

enum kernel_status gather_text(struct file_symbols *symbols, const char *text,
                               size_t size)
{
    const char *at = text, *end = text + size, *next;
    struct symbol_line line;

    for ( ; at < end; at = next + 1 )
    {
        next = memchr(at, '\n', (size_t)(end - at));
        if ( !next )
            next = end;
        if ( parse_line(at, next, &line) && line.address &&
             !gather_symbol(symbols, line.address, strchr("tTwW", line.type),
                            line.name, line.length) )
            return KERNEL_NO_MEMORY;
    }
    return symbols->list.count ? KERNEL_OK : KERNEL_UNKNOWN;
}
