/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds sections through libelf, which also decompresses. */
#include "dwarf-file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows/cfi/elf-strings.h"

static const char *const names[DWARF_SECTIONS] = {
    [DWARF_INFO] = ".debug_info",
    [DWARF_ABBREV] = ".debug_abbrev",
    [DWARF_STR] = ".debug_str",
    [DWARF_LINE_STR] = ".debug_line_str",
    [DWARF_LINE] = ".debug_line",
    [DWARF_RANGES] = ".debug_ranges",
    [DWARF_RNGLISTS] = ".debug_rnglists",
    [DWARF_ADDR] = ".debug_addr",
    [DWARF_STR_OFFSETS] = ".debug_str_offsets",
};

static bool is_x86_64_elf(Elf *elf)
{
    GElf_Ehdr header;

    return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
           header.e_machine == EM_X86_64 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type != ET_REL;
}

/* What libelf read is not read again from the file. */
static bool decompress(struct dwarf_file *file, Elf_Scn *scn, size_t most,
                       struct dwarf_section *ret)
{
    GElf_Chdr head;
    Elf_Data *data;

    if ( !gelf_getchdr(scn, &head) || head.ch_size > most - file->bytes ||
         elf_compress(scn, 0, 0) < 0 || !(data = elf_getdata(scn, NULL)) ||
         !data->d_buf )
        return false;
    file->bytes += data->d_size;
    *ret = (struct dwarf_section){.fd = -1,
                                  .size = data->d_size,
                                  .bytes = data->d_buf,
                                  .have = data->d_size};
    return true;
}

/* Returns false if it is too large. */
static bool take_section(struct dwarf_file *file, Elf_Scn *scn,
                         const GElf_Shdr *header, size_t most,
                         struct dwarf_section *ret)
{
    if ( header->sh_type == SHT_NOBITS || ret->size )
        return true;
    if ( header->sh_flags & SHF_COMPRESSED )
        return header->sh_size <= most && decompress(file, scn, most, ret);
    if ( header->sh_offset > INT64_MAX || header->sh_size > INT64_MAX / 2 )
        return false;
    *ret = (struct dwarf_section){.fd = file->fd,
                                  .offset = header->sh_offset,
                                  .size = header->sh_size,
                                  .steps = &file->steps};
    return true;
}

static bool take_sections(struct dwarf_file *file, size_t most)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    size_t texts;

    if ( elf_getshdrstrndx(file->elf, &texts) ||
         !elf_strings_fit(file->elf, texts, ELF_SECTION_NAMES_MAX) )
        return false;
    while ( (scn = elf_nextscn(file->elf, scn)) )
    {
        const char *name = gelf_getshdr(scn, &header)
                               ? elf_strptr(file->elf, texts, header.sh_name)
                               : NULL;

        for ( int i = 0; name && i < DWARF_SECTIONS; i++ )
            if ( !strcmp(name, names[i]) &&
                 !take_section(file, scn, &header, most, &file->sections[i]) )
                return false;
    }
    return file->sections[DWARF_INFO].size && file->sections[DWARF_ABBREV].size;
}

struct dwarf_file *dwarf_file_open(int fd, size_t most)
{
    struct dwarf_file *file = calloc(1, sizeof(*file));

    if ( !file )
    {
        close(fd);
        return NULL;
    }
    elf_version(EV_CURRENT);
    file->fd = fd;
    file->elf = elf_begin(fd, ELF_C_READ, NULL);
    if ( is_x86_64_elf(file->elf) && take_sections(file, most) )
        return file;
    dwarf_file_close(file);
    return NULL;
}

void dwarf_file_close(struct dwarf_file *file)
{
    if ( !file )
        return;
    for ( int i = 0; i < DWARF_SECTIONS; i++ )
        dwarf_section_free(&file->sections[i]);
    dwarf_abbrevs_free(&file->abbrevs);
    elf_end(file->elf);
    close(file->fd);
    free(file);
}
