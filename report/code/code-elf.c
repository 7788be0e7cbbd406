/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds bytes and relocations in an ELF file, through libelf. */
#include "code-elf.h"

#include <gelf.h>

#define FIELD_SIZE 4u /* of a relocated operand */

static size_t section_bytes(Elf_Scn *section, uint64_t address,
                            const uint8_t **ret)
{
    GElf_Shdr header;
    Elf_Data *data;

    if ( !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
         !(header.sh_flags & SHF_EXECINSTR) || address < header.sh_addr ||
         address - header.sh_addr >= header.sh_size )
        return 0;
    data = elf_getdata(section, NULL);
    address -= header.sh_addr;
    if ( !data || !data->d_buf || address >= data->d_size )
        return 0;
    *ret = (const uint8_t *)data->d_buf + address;
    return data->d_size - address;
}

static size_t segment_bytes(Elf *elf, size_t index, uint64_t address,
                            const uint8_t **ret)
{
    size_t size;
    const char *file = elf_rawfile(elf, &size);
    GElf_Phdr header;

    if ( !file || !gelf_getphdr(elf, (int)index, &header) ||
         header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
         address < header.p_vaddr ||
         address - header.p_vaddr >= header.p_filesz ||
         header.p_offset > size || header.p_filesz > size - header.p_offset )
        return 0;
    address -= header.p_vaddr;
    *ret = (const uint8_t *)file + header.p_offset + address;
    return header.p_filesz - address;
}

/* A file with debug information only has sections without their bytes, and its
 * segments are not true, so segments count only in files without sections. */
size_t elf_code_bytes(Elf *elf, uint64_t address, const uint8_t **ret)
{
    size_t sections = 0, segments = 0, size = 0;
    Elf_Scn *section = NULL;

    elf_getshdrnum(elf, &sections);
    while ( !size && (section = elf_nextscn(elf, section)) )
        size = section_bytes(section, address, ret);
    if ( sections || elf_getphdrnum(elf, &segments) )
        return size;
    for ( size_t i = 0; i < segments && !size; i++ )
        size = segment_bytes(elf, i, address, ret);
    return size;
}

/* Returns whether section number contains that address; *offset says where. */
static bool section_has(Elf *elf, size_t number, uint64_t at, uint64_t *offset)
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

/* Find the target of a relocation in a table of symbols.  Returns false if its
 * symbol has none. */
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
         !section_has(elf, header.sh_info, at, &offset) )
        return false;
    data = elf_getdata(section, NULL);
    for ( int i = 0; data && gelf_getrela(data, i, &rela); i++ )
        if ( rela.r_offset == offset )
            return resolve(elf, header.sh_link, &rela, ret);
    return false;
}

bool elf_relocation(Elf *elf, uint64_t at, struct relocated *ret)
{
    Elf_Scn *section = NULL;
    GElf_Ehdr header;

    if ( !gelf_getehdr(elf, &header) || header.e_type != ET_REL )
        return false;
    while ( (section = elf_nextscn(elf, section)) )
        if ( find_in(elf, section, at, ret) )
            return true;
    return false;
}
