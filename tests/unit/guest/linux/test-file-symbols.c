/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of text and tables of ELF that name code, and what does not. */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "guest/linux/file-symbols.h"
#include "tests/harness.h"

static struct file_symbols symbols;

static enum kernel_status gather(const char *text)
{
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    enum kernel_status status;

    /* Without its end, so that a byte behind it is seen. */
    CHECK(copy);
    memcpy(copy, text, size);
    copy = realloc(copy, size ? size : 1);
    memset(&symbols, 0, sizeof(symbols));
    linux_image_want_marks(symbols.marks);
    status = gather_text(&symbols, copy, size);
    free(copy);
    return status;
}

static const char *name_at(uint64_t address)
{
    uint64_t start, end;
    const char *name;

    symbol_list_sort(&symbols.list);
    name = symbol_list_at(&symbols.list, address, &start, &end);
    return name && start == address ? name : "none";
}

TEST(lines_of_code_are_taken)
{
    CHECK_EQ(gather("ffffffff81000000 T _stext\n"
                    "ffffffff81000010 t do_it\n"
                    "ffffffff81000020 W weak\n"
                    "ffffffff81000030 D data\n"
                    "ffffffff82000000 D linux_banner\n"
                    "10 w low"),
             KERNEL_OK);
    CHECK_EQ(symbols.list.count, 4);
    CHECK_TEXT(name_at(0xffffffff81000010), "do_it");
    CHECK_TEXT(name_at(0xffffffff81000030), "none");
    CHECK_TEXT(name_at(0x10), "low");
    symbol_list_free(&symbols.list);
    /* Data is taken if it says where something is. */
    CHECK(symbols.marks[MARK_STEXT].found && symbols.marks[MARK_BANNER].found);
    CHECK(symbols.marks[MARK_BANNER].offset == 0xffffffff82000000);
    CHECK(!symbols.marks[MARK_MODULES].found);
}

TEST(of_equal_marks_the_first_counts)
{
    CHECK_EQ(gather("1000 T _stext\n2000 T _stext\n3000 T _stextual\n"),
             KERNEL_OK);
    CHECK(symbols.marks[MARK_STEXT].offset == 0x1000);
    CHECK_EQ(symbols.list.count, 3);
    symbol_list_free(&symbols.list);
}

TEST(other_lines_are_left_out)
{
    static const char *const lines[] = {
        "",
        "\n\n",
        "T _text\n",
        "ffffffff81000000\n",
        "ffffffff81000000 T\n",
        "ffffffff81000000 T \n",
        "ffffffff81000000  T _text\n",
        "FFFFFFFF81000000 T _text\n",
        "0xffffffff81000000 T _text\n",
        "0ffffffff81000000 T _text\n", /* 17 digits */
        "0000000000000000 T _text\n",  /* as users who may not see them */
        "ffffffff81000000 T _text [module]\n",
        "ffffffff81000000 T _text\t[module]\n",
        "ffffffff81000000 T _te\001t\n",
        "ffffffff81000000 D _text\n",
    };

    for ( unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
    {
        if ( gather(lines[i]) != KERNEL_UNKNOWN )
            test_fail(__FILE__, __LINE__, "line %u is taken", i);
        CHECK_EQ(symbols.list.count, 0);
    }
}

TEST(a_name_has_a_longest_length)
{
    char line[KALLSYMS_NAME_MAX + 32];

    for ( unsigned int more = 0; more < 2; more++ )
    {
        size_t length = KALLSYMS_NAME_MAX - 1 + more;

        memcpy(line, "1000 T ", 7);
        memset(line + 7, 'x', length);
        line[7 + length] = '\0';
        CHECK_EQ(gather(line), more ? KERNEL_UNKNOWN : KERNEL_OK);
        symbol_list_free(&symbols.list);
    }
}

/* A file of ELF: a table of symbols, code, texts. */
static struct elf_file {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[5];
    Elf64_Sym symbols[7];
    char texts[64];
} file;

static const char texts[] = "\0_stext\0do_it\0data\0entry\0modules";

static void make_file(void)
{
    const uint8_t global = STB_GLOBAL << 4;

    file = (struct elf_file){
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_phoff = offsetof(struct elf_file, segment),
                   .e_shoff = offsetof(struct elf_file, sections),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1,
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 5},
        .segment = {.p_type = PT_LOAD,
                    .p_vaddr = 0x1000,
                    .p_filesz = sizeof(file)},
        .sections = {[1] = {.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(struct elf_file, symbols),
                            .sh_size = sizeof(file.symbols),
                            .sh_entsize = sizeof(Elf64_Sym),
                            .sh_link = 2},
                     [2] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(struct elf_file, texts),
                            .sh_size = sizeof(texts)},
                     [3] = {.sh_type = SHT_NOBITS, .sh_flags = SHF_EXECINSTR},
                     [4] = {.sh_type = SHT_NOBITS}},
        .symbols = {[1] = {1, global | STT_FUNC, 0, 3, 0x1000, 16},
                    [2] = {8, global | STT_FUNC, 0, 3, 0x1010, 16},
                    [3] = {14, global | STT_OBJECT, 0, 4, 0x1020, 16},
                    [4] = {19, global | STT_NOTYPE, 0, 3, 0x1030, 0},
                    [5] = {14, global | STT_FUNC, 0, SHN_UNDEF, 0x1040, 0},
                    [6] = {25, global | STT_NOTYPE, 0, 4, 0x1050, 0}}};
    memcpy(file.texts, texts, sizeof(texts));
}

static enum kernel_status gather_file(void)
{
    struct elf_memory elf;
    enum kernel_status status;

    memset(&symbols, 0, sizeof(symbols));
    linux_image_want_marks(symbols.marks);
    CHECK(elf_memory_open(&elf, (const uint8_t *)&file, sizeof(file)));
    status = gather_elf(&symbols, &elf);
    elf_memory_close(&elf);
    return status;
}

/* Functions, and what has no type but lies where code is. */
TEST(code_of_an_elf_table_is_taken)
{
    make_file();
    CHECK_EQ(gather_file(), KERNEL_OK);
    CHECK_EQ(symbols.list.count, 3);
    CHECK_TEXT(name_at(0x1000), "_stext");
    CHECK_TEXT(name_at(0x1010), "do_it");
    CHECK_TEXT(name_at(0x1030), "entry");
    CHECK(symbols.marks[MARK_STEXT].offset == 0x1000);
    CHECK(symbols.marks[MARK_MODULES].offset == 0x1050);
    symbol_list_free(&symbols.list);
}

TEST(elf_tables_that_lie)
{
    make_file();
    file.symbols[2].st_name = sizeof(texts);
    file.symbols[4].st_shndx = 4000;
    CHECK_EQ(gather_file(), KERNEL_OK);
    CHECK_EQ(symbols.list.count, 1);
    symbol_list_free(&symbols.list);
    make_file();
    file.sections[1].sh_link = 4000;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
    make_file();
    file.sections[1].sh_entsize = 0;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
    make_file();
    file.sections[1].sh_size = UINT64_MAX;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
    make_file();
    file.sections[1].sh_offset = sizeof(file) + 1;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
    make_file();
    file.sections[2].sh_offset = UINT64_MAX - 7;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
    make_file();
    file.header.e_shoff = UINT64_MAX - 63;
    CHECK_EQ(gather_file(), KERNEL_UNKNOWN);
}
