/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "packed-elf.h"

#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "rows/cfi/elf-strings.h"

#define SECTION    ".gnu_debugdata"
#define MEMORY_MAX (64u << 20) /* that unpacking itself may take */

static Elf_Data *find_section(Elf *elf, size_t most)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr section;
    size_t names;

    if ( elf_getshdrstrndx(elf, &names) ||
         !elf_strings_fit(elf, names, ELF_SECTION_NAMES_MAX) )
        return NULL;
    while ( (scn = elf_nextscn(elf, scn)) )
    {
        const char *name = gelf_getshdr(scn, &section)
                               ? elf_strptr(elf, names, section.sh_name)
                               : NULL;

        if ( name && !strcmp(name, SECTION) )
            return section.sh_type == SHT_PROGBITS && section.sh_size <= most
                       ? elf_getdata(scn, NULL)
                       : NULL;
    }
    return NULL;
}

uint8_t *packed_elf_read(Elf *elf, size_t most, size_t *size)
{
    const Elf_Data *data = find_section(elf, most);
    uint8_t *bytes = data && data->d_buf ? malloc(most) : NULL;
    uint64_t memory = MEMORY_MAX;
    size_t at = 0;

    *size = 0;
    if ( bytes &&
         lzma_stream_buffer_decode(&memory, 0, NULL, data->d_buf, &at,
                                   data->d_size, bytes, size, most) == LZMA_OK )
        return bytes;
    free(bytes);
    return NULL;
}
