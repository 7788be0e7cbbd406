/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "assemble-symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A dot: no symbol of Xen's has our prefix, whatever Xen calls xenoprof. */
#define PREFIX "xenoprof."

/* Statics that several files of Xen have: the one that the module means. */
static const struct {
    const char *name;
    const char *spelling;
} ambiguous[] = {
    {"nmi_callback", "arch/x86/traps.c#nmi_callback"},
};

static const char *const optional[] = {
#define XEN_OPTIONAL(name) #name,
#include "hypervisor/port-payload/optional.def"
#undef XEN_OPTIONAL
};

struct names {
    char *bytes;
    size_t size;
    size_t room;
};

static int names_add(struct names *names, const char *prefix, const char *name,
                     GElf_Word *ret)
{
    size_t length = strlen(prefix) + strlen(name) + 1;

    if ( names->size + length > names->room )
    {
        size_t room = (names->room + length) * 2;
        char *bytes = realloc(names->bytes, room);

        if ( !bytes )
            return -ENOMEM;
        names->bytes = bytes;
        names->room = room;
    }
    *ret = names->size;
    names->size += sprintf(names->bytes + names->size, "%s%s", prefix, name) +
                   1;
    return 0;
}

static bool is_optional(const char *name)
{
    for ( size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++ )
        if ( !strcmp(name, optional[i]) )
            return true;
    return false;
}

static const char *spelling_of(const struct hypervisor_image *image,
                               const char *name)
{
    const struct image_symbol *symbol;

    for ( size_t i = 0; i < sizeof(ambiguous) / sizeof(*ambiguous); i++ )
        if ( !strcmp(name, ambiguous[i].name) )
            name = ambiguous[i].spelling;
    symbol = image_find(image, name);
    return symbol ? symbol->name : NULL;
}

static int import(const struct hypervisor_image *image, const char *name,
                  struct names *names, GElf_Sym *symbol)
{
    const char *spelling = spelling_of(image, name);

    if ( spelling )
        return names_add(names, "", spelling, &symbol->st_name);
    if ( !is_optional(name) )
        return -ENOENT;
    symbol->st_shndx = SHN_ABS;
    symbol->st_value = 0;
    return names_add(names, PREFIX "no-", name, &symbol->st_name);
}

static int rename_one(const struct hypervisor_image *image, const char *name,
                      struct names *names, GElf_Sym *symbol)
{
    unsigned int type = GELF_ST_TYPE(symbol->st_info);

    if ( !*name )
        return 0;
    if ( symbol->st_shndx == SHN_UNDEF )
        return import(image, name, names, symbol);
    if ( type == STT_FILE || type == STT_SECTION )
        return names_add(names, "", name, &symbol->st_name);
    return names_add(names, PREFIX, name, &symbol->st_name);
}

static Elf_Scn *symbol_section(Elf *elf, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ( (section = elf_nextscn(elf, section)) )
        if ( gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB )
            return section;
    return NULL;
}

static int rename_all(Elf *elf, const struct hypervisor_image *image,
                      struct names *names, char missing[128])
{
    GElf_Shdr header;
    Elf_Scn *section = symbol_section(elf, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    Elf_Data *strings;
    GElf_Sym symbol;

    if ( !data )
        return -ENOEXEC;
    for ( int i = 1; gelf_getsym(data, i, &symbol); i++ )
    {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        int result = name ? rename_one(image, name, names, &symbol) : -ENOEXEC;

        if ( result == -ENOENT )
            snprintf(missing, 128, "%s", name);
        if ( result )
            return result;
        gelf_update_sym(data, i, &symbol);
    }
    strings = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
    if ( !strings )
        return -ENOEXEC;
    strings->d_buf = names->bytes;
    strings->d_size = names->size;
    elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
    elf_flagdata(strings, ELF_C_SET, ELF_F_DIRTY);
    return 0;
}

int assemble_symbols(Elf *elf, const struct hypervisor_image *image,
                     char **strings, char missing[128])
{
    struct names names = {.bytes = calloc(1, 4096), .size = 1, .room = 4096};
    int result = names.bytes ? rename_all(elf, image, &names, missing)
                             : -ENOMEM;

    *strings = names.bytes;
    return result;
}
