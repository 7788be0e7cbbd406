/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged ELF files: what comes of them is a sound table, or none. */
#include <elf.h>
#include <string.h>

#include "rows/cfi/elf-rows.h"
#include "tests/unit/rows/cfi/cfi-kit.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row_table *table = NULL;
    enum elf_rows_status status = elf_rows_of(data, size, &table, NULL);

    FUZZ_CHECK((status == ELF_ROWS_MADE) == (table != NULL));
    for ( uint32_t i = 0; table && i < table->segments; i++ )
    {
        const struct row_segment *segment = &table->segment[i];
        uint64_t end = segment->address + segment->size;

        FUZZ_CHECK(row_rule_sound(row_table_find(table, segment->address)));
        FUZZ_CHECK(row_rule_sound(row_table_find(table, end - 1)));
    }
    row_table_close(table);
    return 0;
}

/* A file of a segment and a section. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint8_t code[] = {0x44, 0x0e, 32};
    static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
    struct file {
        Elf64_Ehdr head;
        Elf64_Phdr segment;
        Elf64_Shdr sections[3];
        char names[sizeof(names)];
        uint8_t frames[256];
    } file = {.head.e_type = ET_DYN};
    static struct cfi_kit kit;

    if ( number > 1 )
        return 0;
    kit.used = 0;
    kit.debug = number;
    cfi_kit_cie(&kit, "", NULL, 0);
    cfi_kit_fde(&kit, 0, 0x100, code, sizeof(code));
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_ident[EI_VERSION] = file.head.e_version = EV_CURRENT;
    file.head.e_machine = EM_X86_64;
    file.head.e_entry = CFI_KIT_TEXT + 0x700;
    file.head.e_ehsize = sizeof(file.head);
    file.head.e_phoff = offsetof(struct file, segment);
    file.head.e_phentsize = sizeof(file.segment);
    file.head.e_phnum = 1;
    file.head.e_shoff = offsetof(struct file, sections);
    file.head.e_shentsize = sizeof(file.sections[0]);
    file.head.e_shnum = 3;
    file.head.e_shstrndx = 2;
    file.segment = (Elf64_Phdr){.p_type = PT_LOAD,
                                .p_flags = PF_X,
                                .p_offset = 0x1000,
                                .p_vaddr = CFI_KIT_TEXT,
                                .p_filesz = 0x800};
    file.sections[1] = (Elf64_Shdr){.sh_name = number ? 11 : 1,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_addr = CFI_KIT_FRAME,
                                    .sh_offset = offsetof(struct file, frames),
                                    .sh_size = kit.used};
    file.sections[2] = (Elf64_Shdr){.sh_name = 24,
                                    .sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(struct file, names),
                                    .sh_size = sizeof(names)};
    memcpy(file.names, names, sizeof(names));
    memcpy(file.frames, kit.bytes, kit.used);
    memcpy(bytes, &file, sizeof(file));
    return sizeof(file);
}
