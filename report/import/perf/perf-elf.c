/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads ELF files through libelf, which checks what it is asked for. */
#include "perf-elf.h"

#include <gelf.h>

#define PAGE 4096u /* Linux maps whole pages */

static void take_id(Elf *elf, const GElf_Phdr *header, struct perf_elf *ret)
{
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header->p_offset,
                                          header->p_filesz, ELF_T_NHDR);
    size_t at = 0, name, content;
    GElf_Nhdr note;

    while ( data && !ret->id.size &&
            (at = gelf_getnote(data, at, &note, &name, &content)) )
    {
        if ( note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
             memcmp((const char *)data->d_buf + name, "GNU", 4) ||
             note.n_descsz > PERF_BUILD_ID_MAX )
            continue;
        memcpy(ret->id.bytes, (const char *)data->d_buf + content,
               note.n_descsz);
        ret->id.size = (uint8_t)note.n_descsz;
    }
}

static void take_segment(const GElf_Phdr *header, struct perf_elf *ret)
{
    if ( ret->segment_count == PERF_SEGMENTS )
        return;
    ret->segments[ret->segment_count].offset = header->p_offset;
    ret->segments[ret->segment_count].address = header->p_vaddr;
    ret->segments[ret->segment_count++].size = header->p_filesz;
}

static bool has_symbols(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ( (section = elf_nextscn(elf, section)) )
        if ( gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB )
            return true;
    return false;
}

bool perf_elf_read(int fd, struct perf_elf *ret)
{
    size_t count = 0;
    Elf *elf;

    *ret = (struct perf_elf){.whole = false};
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if ( !elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) )
    {
        elf_end(elf);
        return false;
    }
    for ( size_t i = 0; i < count; i++ )
    {
        GElf_Phdr header;

        if ( !gelf_getphdr(elf, (int)i, &header) )
            break;
        if ( header.p_type == PT_LOAD )
            take_segment(&header, ret);
        else if ( header.p_type == PT_NOTE )
            take_id(elf, &header, ret);
    }
    ret->whole = has_symbols(elf);
    elf_end(elf);
    return true;
}

bool perf_elf_address(const struct perf_elf *elf, uint64_t offset,
                      uint64_t *ret)
{
    for ( unsigned int i = 0; i < elf->segment_count; i++ )
        if ( offset >= elf->segments[i].offset / PAGE * PAGE &&
             offset < elf->segments[i].offset + elf->segments[i].size )
        {
            *ret = offset - elf->segments[i].offset + elf->segments[i].address;
            return true;
        }
    return false;
}
