/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-relocs.h"

#include <gelf.h>
#include <stddef.h>

#define FIELD_SIZE 4u

static bool is_object(Elf *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) && header.e_type == ET_REL;
}

/* The section that another one (its number) is about holds that address; at
 * which offset. */
static bool holds(Elf *elf, size_t number, uint64_t at, uint64_t *offset)
{
    Elf_Scn *section = elf_getscn(elf, number);
    GElf_Shdr header;

    if ( !section || !gelf_getshdr(section, &header) ||
         !(header.sh_flags & SHF_EXECINSTR) || at < header.sh_addr ||
         at - header.sh_addr >= header.sh_size )
        return false;
    *offset = at - header.sh_addr;
    return true;
}

/* What a relocation leads to, by a symbol of the table. */
static bool resolve(Elf *elf, size_t table, const GElf_Rela *rela,
                    struct relocated *ret)
{
    Elf_Scn *section = elf_getscn(elf, table), *home;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    if ( !data || !gelf_getshdr(section, &header) ||
         !gelf_getsym(data, (int)GELF_R_SYM(rela->r_info), &symbol) )
        return false;
    *ret = (struct relocated){.name = NULL};
    if ( symbol.st_shndx == SHN_UNDEF )
    {
        ret->name = elf_strptr(elf, header.sh_link, symbol.st_name);
        return ret->name && *ret->name;
    }
    home = elf_getscn(elf, symbol.st_shndx);
    if ( symbol.st_shndx >= SHN_LORESERVE || !home ||
         !gelf_getshdr(home, &header) )
        return false;
    ret->address = header.sh_addr + symbol.st_value + (uint64_t)rela->r_addend +
                   FIELD_SIZE;
    return true;
}

static bool find_in(Elf *elf, Elf_Scn *section, uint64_t at,
                    struct relocated *ret)
{
    GElf_Shdr header;
    Elf_Data *data;
    GElf_Rela rela;
    uint64_t offset;

    if ( !gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
         !holds(elf, header.sh_info, at, &offset) )
        return false;
    data = elf_getdata(section, NULL);
    for ( int i = 0; data && gelf_getrela(data, i, &rela); i++ )
        if ( rela.r_offset == offset )
            return resolve(elf, header.sh_link, &rela, ret);
    return false;
}

bool relocs_find(Elf *elf, uint64_t at, struct relocated *ret)
{
    Elf_Scn *section = NULL;

    if ( !is_object(elf) )
        return false;
    while ( (section = elf_nextscn(elf, section)) )
        if ( find_in(elf, section, at, ret) )
            return true;
    return false;
}
