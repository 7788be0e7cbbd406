/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files in, tables out: this test itself, files made by hand, and what is
 * neither. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/scope.h"
#include "cfi-kit.h"
#include "rows/cfi/elf-rows.h"
#include "tests/harness.h"

#define TEXT_SIZE 0x800u

/* A file of one segment of code and one section of call frame information, or
 * two. */
static struct {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    Elf64_Shdr sections[4];
    char names[64];
    Elf64_Chdr compressed;
    uint8_t frames[4096];
} file;

#define NAME_FRAMES     1u
#define NAME_NAMES      32u
#define HEAD_TO(member) (offsetof(typeof(file), member))

static struct cfi_kit kit;
static struct row_table *table;

static void make_file(const char *name)
{
    memset(&file, 0, sizeof(file));
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_ident[EI_VERSION] = EV_CURRENT;
    file.head.e_type = ET_DYN;
    file.head.e_machine = EM_X86_64;
    file.head.e_version = EV_CURRENT;
    file.head.e_entry = CFI_KIT_TEXT + 0x700;
    file.head.e_ehsize = sizeof(file.head);
    file.head.e_phoff = HEAD_TO(segment);
    file.head.e_phentsize = sizeof(file.segment);
    file.head.e_phnum = 1;
    file.head.e_shoff = HEAD_TO(sections);
    file.head.e_shentsize = sizeof(file.sections[0]);
    file.head.e_shnum = 3;
    file.head.e_shstrndx = 2;
    file.segment = (Elf64_Phdr){.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_X,
                                .p_offset = 0x1000,
                                .p_vaddr = CFI_KIT_TEXT,
                                .p_filesz = TEXT_SIZE,
                                .p_memsz = TEXT_SIZE};
    strcpy(file.names + NAME_FRAMES, name);
    strcpy(file.names + NAME_NAMES, ".shstrtab");
    file.sections[1] = (Elf64_Shdr){.sh_name = NAME_FRAMES,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_addr = CFI_KIT_FRAME,
                                    .sh_offset = HEAD_TO(frames),
                                    .sh_size = kit.used};
    file.sections[2] = (Elf64_Shdr){.sh_name = NAME_NAMES,
                                    .sh_type = SHT_STRTAB,
                                    .sh_offset = HEAD_TO(names),
                                    .sh_size = sizeof(file.names)};
    memcpy(file.frames, kit.bytes, kit.used);
}

/* A function at the start of the code whose frame has 32 bytes. */
static void make_frames(bool debug)
{
    static const uint8_t code[] = {0x44, 0x0e, 32};

    kit.used = 0;
    kit.debug = debug;
    cfi_kit_cie(&kit, "", NULL, 0);
    cfi_kit_fde(&kit, 0, 0x100, code, sizeof(code));
}

static enum elf_rows_status read_file(void)
{
    row_table_close(table);
    table = NULL;
    return elf_rows_of(&file, sizeof(file), &table, NULL);
}

static const struct row_rule *at(uint64_t offset)
{
    return row_table_find(table, CFI_KIT_TEXT + offset);
}

static void check_function(void)
{
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(3)->offset, 1);
    CHECK_EQ(at(4)->offset, 4);
    CHECK_EQ(at(0x100)->kind, RULE_NONE);
}

TEST(both_sections)
{
    make_frames(false);
    make_file(".eh_frame");
    check_function();
    CHECK_EQ(table->segments, 1);
    CHECK_EQ(table->segment[0].offset, 0x1000);
    CHECK_EQ(table->segment[0].size, TEXT_SIZE);
    make_frames(true);
    make_file(".debug_frame");
    check_function();
    make_file(".frames");
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(3)->kind, RULE_NONE);
}

/* No more than one is read: there could be very many of the same bytes. */
TEST(the_first_section_of_a_name)
{
    size_t first, bad = 1;

    make_frames(false);
    first = kit.used;
    cfi_kit_word(&kit, 0, 4);
    cfi_kit_cie(&kit, "", NULL, 0);
    cfi_kit_fde(&kit, 0x200, 0x100, "", 0);
    cfi_kit_fde(&kit, 0, UINT32_MAX, "\xff", 1); /* makes no sense */
    make_file(".eh_frame");
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(0x200)->kind, RULE_SP);
    file.head.e_shnum = 4;
    file.sections[3] = file.sections[1];
    file.sections[1].sh_size = first;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(0)->kind, RULE_SP);
    CHECK_EQ(at(0x200)->kind, RULE_NONE);
    row_table_close(table);
    table = NULL;
    CHECK_EQ(elf_rows_of(&file, sizeof(file), &table, &bad), ELF_ROWS_MADE);
    CHECK_EQ(bad, 0);
}

TEST(where_a_program_begins_is_a_root)
{
    make_frames(false);
    make_file(".eh_frame");
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(0x6ff)->kind, RULE_NONE);
    CHECK_EQ(at(0x700)->kind, RULE_ROOT);
    CHECK_EQ(at(0x73f)->kind, RULE_ROOT);
    CHECK_EQ(at(0x740)->kind, RULE_NONE);
    file.head.e_entry = CFI_KIT_TEXT + 0xf0;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(0xf0)->kind, RULE_SP);
    CHECK_EQ(at(0x100)->kind, RULE_ROOT);
}

/* As Go's linker writes .debug_frame, and what claims to be far larger. */
TEST(compressed_sections)
{
    uLongf size = sizeof(file.frames);

    make_frames(true);
    make_file(".debug_frame");
    CHECK_EQ(compress(file.frames, &size, kit.bytes, kit.used), Z_OK);
    file.compressed = (Elf64_Chdr){
        .ch_type = ELFCOMPRESS_ZLIB, .ch_size = kit.used, .ch_addralign = 8};
    file.sections[1].sh_flags = SHF_COMPRESSED;
    file.sections[1].sh_offset = HEAD_TO(compressed);
    file.sections[1].sh_size = sizeof(file.compressed) + size;
    check_function();
    file.compressed.ch_size = ELF_ROWS_SECTION_MAX + 1;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(4)->kind, RULE_NONE);
    file.compressed.ch_size = kit.used - 1;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    file.compressed.ch_type = 77;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(4)->kind, RULE_NONE);
}

TEST(files_that_no_process_maps)
{
    make_frames(false);
    make_file(".eh_frame");
    file.head.e_type = ET_REL;
    CHECK_EQ(read_file(), ELF_ROWS_NOT_MAPPED);
    file.head.e_type = ET_EXEC;
    file.head.e_machine = EM_AARCH64;
    CHECK_EQ(read_file(), ELF_ROWS_NOT_64);
    file.head.e_machine = EM_386;
    CHECK_EQ(read_file(), ELF_ROWS_NOT_64);
    file.head.e_machine = EM_X86_64;
    file.segment.p_flags = PF_R;
    CHECK_EQ(read_file(), ELF_ROWS_NO_CODE);
    file.segment.p_flags = PF_R | PF_X;
    file.segment.p_filesz = 1ull << 33;
    CHECK_EQ(read_file(), ELF_ROWS_NO_CODE);
    file.segment.p_filesz = UINT64_MAX;
    CHECK_EQ(read_file(), ELF_ROWS_NO_CODE);
    file.head.e_ident[0] = 0;
    CHECK_EQ(read_file(), ELF_ROWS_NOT_ELF);
}

TEST(files_that_are_damaged)
{
    make_frames(false);
    make_file(".eh_frame");
    file.sections[1].sh_size = UINT64_MAX;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(4)->kind, RULE_NONE);
    file.sections[1].sh_size = sizeof(file);
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    make_file(".eh_frame");
    file.sections[1].sh_type = SHT_NOBITS;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    CHECK_EQ(at(4)->kind, RULE_NONE);
    file.head.e_shstrndx = 7;
    CHECK_EQ(read_file(), ELF_ROWS_MADE);
    file.head.e_shoff = sizeof(file) - 8;
    CHECK(read_file() != ELF_ROWS_NO_MEMORY);
    make_file(".eh_frame");
    file.head.e_phoff = sizeof(file) - 8;
    CHECK(read_file() != ELF_ROWS_MADE);
    make_file(".eh_frame");
    file.head.e_phnum = 0xfffe;
    CHECK(read_file() != ELF_ROWS_NO_MEMORY);
    CHECK_EQ(elf_rows_of("", 0, &table, NULL), ELF_ROWS_NOT_ELF);
    CHECK_EQ(elf_rows_of(ELFMAG, SELFMAG, &table, NULL), ELF_ROWS_NOT_ELF);
}

TEST(this_program)
{
    int fd SCOPE_CLOSE = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint64_t known = 0;
    size_t bad = 1;

    CHECK(fd >= 0);
    CHECK_EQ(elf_rows(fd, &table, &bad), ELF_ROWS_MADE);
    CHECK_EQ(bad, 0);
    for ( uint64_t i = 0; i < table->segment[0].size; i++ )
        known += row_table_find(table, table->segment[0].address + i)->kind >
                 RULE_UNKNOWN;
    CHECK(known > table->segment[0].size / 2);
    CHECK_EQ(lseek(fd, 0, SEEK_SET), 0); /* it is still open */
    row_table_close(table);
    table = NULL;
}

TEST(what_is_not_a_file)
{
    int fd SCOPE_CLOSE = open("/", O_RDONLY | O_CLOEXEC);

    CHECK_EQ(elf_rows(fd, &table, NULL), ELF_ROWS_NOT_ELF);
    CHECK_EQ(elf_rows(-1, &table, NULL), ELF_ROWS_NOT_ELF);
}
