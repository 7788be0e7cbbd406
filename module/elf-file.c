/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every reader of an ELF file here asks libelf for. */
#include "elf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int elf_file_open(struct elf_file *file, const char *path)
{
    GElf_Ehdr header;

    *file = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if ( file->fd < 0 )
        return -errno;
    if ( elf_version(EV_CURRENT) == EV_NONE )
        return -ENOEXEC;
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if ( !file->elf || !gelf_getehdr(file->elf, &header) ||
         gelf_getclass(file->elf) != ELFCLASS64 ||
         header.e_machine != EM_X86_64 )
        return -ENOEXEC;
    return 0;
}

void elf_file_close(struct elf_file *file)
{
    elf_end(file->elf);
    if ( file->fd >= 0 )
        close(file->fd);
}

const char *elf_section_name(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    size_t strings;

    if ( elf_getshdrstrndx(elf, &strings) || !gelf_getshdr(section, header) )
        return NULL;
    return elf_strptr(elf, strings, header->sh_name);
}

Elf_Scn *elf_section_named(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL, *found = NULL;
    GElf_Shdr header;

    while ( (section = elf_nextscn(elf, section)) )
    {
        const char *at = elf_section_name(elf, section, &header);

        if ( at && !strcmp(at, name) )
            found = section;
    }
    return found;
}

bool elf_symbols_find(struct elf_symbol_table *symbols, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ( (section = elf_nextscn(elf, section)) )
        if ( gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
             header.sh_entsize )
        {
            *symbols = (struct elf_symbol_table){
                .elf = elf,
                .data = elf_getdata(section, NULL),
                .strings = header.sh_link,
                .count = header.sh_size / header.sh_entsize,
            };
            return symbols->data;
        }
    return false;
}

const char *elf_symbol(const struct elf_symbol_table *symbols, size_t index,
                       GElf_Sym *symbol)
{
    if ( !gelf_getsym(symbols->data, (int)index, symbol) )
        return NULL;
    return elf_strptr(symbols->elf, symbols->strings, symbol->st_name);
}
