/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives every symbol of a module object the name that Xen's loader wants. */
#include "assemble-symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "elf-file.h"

/* The dot keeps our names apart from every name in Xen, whatever those are. */
#define PREFIX "xenoprof."

/* Xen's thunks, and the object's own that stand in for them (thunks.c). */
#define THUNK      "__x86_"
#define OWN_THUNK  "xenoprof_"
#define THUNKS_MAX 24u

struct own_thunk {
    const char *name; /* behind the prefix */
    GElf_Sym symbol;
};

/*
 * Statics that several files of Xen have, with the file that the module means.
 */
static const struct {
    const char *name;
    const char *spelling;
} ambiguous[] = {
    {"nmi_callback", "arch/x86/traps.c#nmi_callback"},
};

static const char *const optional[] = {
#define XEN_OPTIONAL(name) #name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};

struct renaming {
    const struct xen_image *image;
    uint64_t guest_exit;
    struct elf_symbol_table symbols; /* with the old names */
    struct own_thunk thunks[THUNKS_MAX];
    size_t thunks_count;
    struct buffer names;
};

/* Adds a name and sets *ret to where it begins. */
static int add_name(struct buffer *names, const char *prefix, const char *name,
                    GElf_Word *ret)
{
    *ret = names->used;
    return buffer_append(names, prefix, strlen(prefix)) &&
                   buffer_append(names, name, strlen(name) + 1)
               ? 0
               : -ENOMEM;
}

static bool is_optional(const char *name)
{
    for ( size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++ )
        if ( !strcmp(name, optional[i]) )
            return true;
    return false;
}

static const char *spelling_of(const struct xen_image *image, const char *name)
{
    const struct xen_symbol *symbol;

    for ( size_t i = 0; i < sizeof(ambiguous) / sizeof(*ambiguous); i++ )
        if ( !strcmp(name, ambiguous[i].name) )
            name = ambiguous[i].spelling;
    symbol = xen_image_find(image, name);
    return symbol ? symbol->name : NULL;
}

/* A hypervisor without a thunk gets the object's own. */
static bool use_own(const struct renaming *renaming, const char *name,
                    GElf_Sym *symbol)
{
    if ( strncmp(name, THUNK, strlen(THUNK)) )
        return false;
    for ( size_t i = 0; i < renaming->thunks_count; i++ )
        if ( !strcmp(name + strlen(THUNK), renaming->thunks[i].name) )
        {
            symbol->st_shndx = renaming->thunks[i].symbol.st_shndx;
            symbol->st_value = renaming->thunks[i].symbol.st_value;
            return true;
        }
    return false;
}

/* What has no symbol in some builds, but is found in their code. */
static uint64_t found_in_code(const struct renaming *renaming, const char *name)
{
    return strcmp(name, "svm_stgi_label") ? 0 : renaming->guest_exit;
}

static int import(struct renaming *renaming, const char *name, GElf_Sym *symbol)
{
    const char *spelling = spelling_of(renaming->image, name);
    struct buffer *names = &renaming->names;

    if ( spelling )
        return add_name(names, "", spelling, &symbol->st_name);
    if ( use_own(renaming, name, symbol) )
        return add_name(names, PREFIX "own-", name, &symbol->st_name);
    if ( !is_optional(name) )
        return -ENOENT;
    symbol->st_shndx = SHN_ABS;
    symbol->st_value = found_in_code(renaming, name);
    return add_name(names, symbol->st_value ? PREFIX "at-" : PREFIX "no-", name,
                    &symbol->st_name);
}

static int rename_one(struct renaming *renaming, const char *name,
                      GElf_Sym *symbol)
{
    unsigned int type = GELF_ST_TYPE(symbol->st_info);
    struct buffer *names = &renaming->names;

    if ( !*name )
        return 0;
    if ( symbol->st_shndx == SHN_UNDEF )
        return import(renaming, name, symbol);
    if ( type == STT_FILE || type == STT_SECTION )
        return add_name(names, "", name, &symbol->st_name);
    return add_name(names, PREFIX, name, &symbol->st_name);
}

static bool is_own_thunk(const char *name)
{
    return !strncmp(name, OWN_THUNK, strlen(OWN_THUNK)) &&
           (!strncmp(name + strlen(OWN_THUNK), "return_thunk", 12) ||
            !strncmp(name + strlen(OWN_THUNK), "indirect_thunk_", 15));
}

/* Must run before the first symbol gets its new name. */
static void find_own_thunks(struct renaming *renaming)
{
    GElf_Sym symbol;

    for ( size_t i = 1; i < renaming->symbols.count; i++ )
    {
        const char *name = elf_symbol(&renaming->symbols, i, &symbol);

        if ( name && is_own_thunk(name) && renaming->thunks_count < THUNKS_MAX )
            renaming->thunks[renaming->thunks_count++] = (struct own_thunk){
                name + strlen(OWN_THUNK), symbol};
    }
}

static int rename_all(struct renaming *renaming, char missing[128])
{
    GElf_Sym symbol;

    for ( size_t i = 1; i < renaming->symbols.count; i++ )
    {
        const char *name = elf_symbol(&renaming->symbols, i, &symbol);
        int result = name ? rename_one(renaming, name, &symbol) : -ENOEXEC;

        if ( result == -ENOENT )
            snprintf(missing, 128, "%s", name);
        if ( result )
            return result;
        gelf_update_sym(renaming->symbols.data, (int)i, &symbol);
    }
    return 0;
}

static int replace_strings(struct renaming *renaming)
{
    struct elf_symbol_table *symbols = &renaming->symbols;
    Elf_Data *strings = elf_getdata(elf_getscn(symbols->elf, symbols->strings),
                                    NULL);

    if ( !strings )
        return -ENOEXEC;
    strings->d_buf = renaming->names.bytes;
    strings->d_size = renaming->names.used;
    elf_flagdata(symbols->data, ELF_C_SET, ELF_F_DIRTY);
    elf_flagdata(strings, ELF_C_SET, ELF_F_DIRTY);
    return 0;
}

int assemble_symbols(Elf *elf, const struct xen_image *image,
                     uint64_t guest_exit, char **strings, char missing[128])
{
    struct renaming renaming = {.image = image, .guest_exit = guest_exit};
    int result;

    *strings = NULL;
    if ( !elf_symbols_find(&renaming.symbols, elf) )
        return -ENOEXEC;
    if ( !buffer_append(&renaming.names, "", 1) )
        return -ENOMEM;
    find_own_thunks(&renaming);
    result = rename_all(&renaming, missing);
    if ( !result )
        result = replace_strings(&renaming);
    *strings = (char *)renaming.names.bytes;
    return result;
}
