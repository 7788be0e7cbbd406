/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the symbols of ELF files through libbfd. */
#include <stdarg.h>
#include <string.h>

/* bfd.h refuses to be included without config.h or this. */
#define PACKAGE "xenoprof"
#include <bfd.h>

#include "symbols.h"

struct elf_symbols {
    asymbol **list;
    long count;
};

/* Errors are reported at the handle; bfd would print them to stderr. */
static void silent(const char *format, va_list arguments)
{
    (void)format;
    (void)arguments;
}

static bool read_symbol_table(bfd *file, bool dynamic, struct elf_symbols *ret)
{
    long bytes = dynamic ? bfd_get_dynamic_symtab_upper_bound(file)
                         : bfd_get_symtab_upper_bound(file);

    ret->count = 0;
    ret->list = bytes > 0 ? malloc(bytes) : NULL;
    if ( !ret->list )
        return false;
    ret->count = dynamic ? bfd_canonicalize_dynamic_symtab(file, ret->list)
                         : bfd_canonicalize_symtab(file, ret->list);
    if ( ret->count > 0 )
        return true;
    free(ret->list);
    return false;
}

/* size becomes what is left of the section: a limit for symbols_sort(). */
static struct symbol convert_symbol(const asymbol *from)
{
    const asection *section = from->section;
    uint64_t left = section->size - from->value;
    struct symbol symbol = {
        .address = section->vma + from->value,
        .code = section->flags & SEC_CODE,
        .worth = from->flags & BSF_GLOBAL ? WORTH_GLOBAL
                 : from->flags & BSF_WEAK ? WORTH_WEAK
                                          : WORTH_LOCAL,
        .size = left < UINT32_MAX ? left : UINT32_MAX,
    };

    /* A label at a section's end names nothing, it only ends the symbol before
     * it. */
    if ( from->value >= section->size )
        symbol.code = false;
    return symbol;
}

static bool wanted(const asymbol *symbol)
{
    return !(symbol->flags & (BSF_DEBUGGING | BSF_SECTION_SYM | BSF_FILE)) &&
           symbol->name && *symbol->name &&
           !bfd_is_und_section(symbol->section) &&
           !bfd_is_com_section(symbol->section) &&
           !bfd_is_abs_section(symbol->section);
}

static bool add_table(struct xenoprof_symbols *symbols,
                      const struct elf_symbols *table)
{
    for ( long i = 0; i < table->count; i++ )
    {
        struct symbol symbol;

        if ( !wanted(table->list[i]) )
            continue;
        symbol = convert_symbol(table->list[i]);
        if ( !symbols_add(symbols, &symbol, table->list[i]->name,
                          strlen(table->list[i]->name)) )
            return false;
    }
    return true;
}

static enum xenoprof_status read_open(struct xenoprof_handle *handle,
                                      const char *path, bfd *file,
                                      struct xenoprof_symbols *symbols)
{
    struct elf_symbols table;
    bool added;

    if ( !bfd_check_format(file, bfd_object) )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: cannot read it as ELF: %s", path,
                           bfd_errmsg(bfd_get_error()));
    if ( !read_symbol_table(file, false, &table) &&
         !read_symbol_table(file, true, &table) )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: the file has no symbols (stripped?); give a "
                           "file with symbols",
                           path);
    added = add_table(symbols, &table);
    free(table.list);
    return added ? XENOPROF_OK : handle_no_memory(handle);
}

static enum xenoprof_status read_file(struct xenoprof_handle *handle,
                                      const char *path,
                                      struct xenoprof_symbols *symbols)
{
    bfd_error_handler_type before;
    enum xenoprof_status status;
    bfd *file;

    bfd_init();
    before = bfd_set_error_handler(silent);
    file = bfd_openr(path, NULL);
    if ( file )
    {
        status = read_open(handle, path, file, symbols);
        bfd_close(file);
    }
    else
        status = handle_fail(handle, XENOPROF_INVALID, "%s: cannot open it: %s",
                             path, bfd_errmsg(bfd_get_error()));
    bfd_set_error_handler(before);
    return status;
}

enum xenoprof_status symbols_open_elf(struct xenoprof_handle *handle,
                                      const char *path,
                                      struct xenoprof_symbols **ret)
{
    struct xenoprof_symbols *symbols = symbols_create();
    enum xenoprof_status status;

    if ( !symbols )
        return handle_no_memory(handle);
    status = read_file(handle, path, symbols);
    if ( status )
    {
        xenoprof_symbols_close(symbols);
        return status;
    }
    symbols_sort(symbols);
    *ret = symbols;
    return XENOPROF_OK;
}
