/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files are this very program, and what is made of its first bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module/elf-file.h"
#include "tests/harness.h"

#define SELF "/proc/self/exe"

/* Opens the header of this program with a byte changed, or length bytes of
 * it. */
static int open_changed(size_t at, unsigned char byte, size_t length)
{
    char path[] = "/tmp/xenoprof-test-XXXXXX";
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    int self = open(SELF, O_RDONLY | O_CLOEXEC), changed = mkstemp(path);
    struct elf_file file;
    int result;

    CHECK_EQ(read(self, bytes, sizeof(bytes)), sizeof(bytes));
    bytes[at] = byte;
    CHECK_EQ(write(changed, bytes, length), length);
    close(self);
    close(changed);
    result = elf_file_open(&file, path);
    elf_file_close(&file);
    unlink(path);
    return result;
}

TEST(files_that_are_not_for_this_processor)
{
    struct elf_file file;

    CHECK_EQ(open_changed(EI_MAG0, 'E', sizeof(Elf64_Ehdr)), -ENOEXEC);
    CHECK_EQ(open_changed(EI_CLASS, ELFCLASS32, sizeof(Elf64_Ehdr)), -ENOEXEC);
    CHECK_EQ(open_changed(18, EM_386, sizeof(Elf64_Ehdr)), -ENOEXEC);
    CHECK_EQ(open_changed(EI_CLASS, ELFCLASS64, 20), -ENOEXEC);
    CHECK_EQ(open_changed(EI_CLASS, ELFCLASS64, 0), -ENOEXEC);
    CHECK_EQ(elf_file_open(&file, "/nonexistent"), -ENOENT);
    elf_file_close(&file);
    CHECK_EQ(elf_file_open(&file, "/"), -ENOEXEC);
    elf_file_close(&file);
}

TEST(sections_by_name)
{
    struct elf_file file;
    GElf_Shdr header;
    Elf_Scn *text;

    CHECK_EQ(elf_file_open(&file, SELF), 0);
    text = elf_section_named(file.elf, ".text");
    CHECK(text);
    CHECK_TEXT(elf_section_name(file.elf, text, &header), ".text");
    CHECK(header.sh_flags & SHF_EXECINSTR);
    CHECK(!elf_section_named(file.elf, ".tex"));
    CHECK(!elf_section_named(file.elf, ".nobody"));
    elf_file_close(&file);
}

TEST(symbols_with_their_names)
{
    struct elf_file file;
    struct elf_symbol_table symbols;
    unsigned int found = 0;

    CHECK_EQ(elf_file_open(&file, SELF), 0);
    if ( !elf_symbols_find(&symbols, file.elf) )
    {
        elf_file_close(&file);
        test_skip("this program was stripped");
    }
    for ( size_t i = 0; i < symbols.count; i++ )
    {
        GElf_Sym symbol;
        const char *name = elf_symbol(&symbols, i, &symbol);

        found += name && !strcmp(name, "main") &&
                 GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
    }
    CHECK_EQ(found, 1);
    CHECK(!elf_symbol(&symbols, symbols.count, &(GElf_Sym){0}));
    elf_file_close(&file);
}
