/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf-strings.h"

#include <gelf.h>

bool elf_strings_fit(Elf *elf, size_t section, size_t most)
{
    Elf_Scn *found = elf_getscn(elf, section);
    GElf_Shdr header;

    return found && gelf_getshdr(found, &header) &&
           header.sh_type == SHT_STRTAB && header.sh_size <= most;
}
