/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-bytes.h"

#include <gelf.h>

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

/* A file of debug information only has sections, without their bytes; what its
 * segments say is not so. */
size_t code_bytes(Elf *elf, uint64_t address, const uint8_t **ret)
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
