/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in ELF files: in those that this program has mapped, as libelf has
 * them, with pages that are missing; and in one that is made, and made wrong.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/leaf-names.h"
#include "tests/harness.h"

#define PAGE 4096u

/* A file in memory, of which a page may be missing. */
struct file_bytes {
    const uint8_t *bytes;
    size_t size;
    uint64_t missing; /* page; UINT64_MAX: none is */
    uint64_t gets;
};

static bool get(void *self, uint64_t offset, void *to, size_t size)
{
    struct file_bytes *file = self;

    file->gets++;
    if ( offset > file->size || size > file->size - offset ||
         (offset / PAGE <= file->missing &&
          file->missing <= (offset + size - 1) / PAGE) )
        return false;
    memcpy(to, file->bytes + offset, size);
    return true;
}

static struct leaf_name names[LEAVES_MAX];

static void find(struct file_bytes *file, const uint64_t *offsets, size_t count)
{
    memset(names, 0x55, sizeof(names));
    leaf_names_find(get, file, offsets, count, names);
    for ( size_t i = 0; i < count; i++ )
        CHECK(leaf_name_is_sound(&names[i]));
}

static void find_one(struct file_bytes *file, uint64_t offset)
{
    find(file, &offset, 1);
}

/* Real files ------------------------------------------------------------ */

/* The C library, by the path of the one that is mapped here. */
static int take_path(struct dl_phdr_info *info, size_t size, void *ret)
{
    (void)size;
    if ( !strstr(info->dlpi_name, "/libc.so") &&
         !strstr(info->dlpi_name, "ld-musl") )
        return 0;
    snprintf(ret, 256, "%s", info->dlpi_name);
    return 1;
}

static bool map_library(struct file_bytes *ret)
{
    char path[256];
    struct stat status;
    int fd;

    if ( !dl_iterate_phdr(take_path, path) || (fd = open(path, O_RDONLY)) < 0 )
        return false;
    CHECK_EQ(fstat(fd, &status), 0);
    *ret = (struct file_bytes){.size = (size_t)status.st_size,
                               .missing = UINT64_MAX};
    ret->bytes = mmap(NULL, ret->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    CHECK(ret->bytes != MAP_FAILED);
    return true;
}

static Elf_Data *symbols_of(Elf *elf, GElf_Shdr *section)
{
    Elf_Scn *scn = NULL;

    while ( (scn = elf_nextscn(elf, scn)) )
        if ( gelf_getshdr(scn, section) && section->sh_type == SHT_DYNSYM )
            return elf_getdata(scn, NULL);
    return NULL;
}

/* Whether one of the library's symbols of that name covers the address. */
static bool is_right(Elf *elf, Elf_Data *data, const GElf_Shdr *section,
                     const struct leaf_name *name)
{
    GElf_Sym symbol;

    for ( int i = 0; gelf_getsym(data, i, &symbol); i++ )
        if ( symbol.st_value == name->start &&
             name->address - symbol.st_value < symbol.st_size &&
             !strcmp(elf_strptr(elf, section->sh_link, symbol.st_name),
                     name->name) )
            return true;
    return false;
}

static bool is_function(const GElf_Sym *symbol)
{
    return symbol->st_shndx && symbol->st_size &&
           GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static uint64_t offset_of(Elf *elf, uint64_t address)
{
    GElf_Phdr header;

    for ( int i = 0; gelf_getphdr(elf, i, &header); i++ )
        if ( header.p_type == PT_LOAD &&
             address - header.p_vaddr < header.p_filesz )
            return header.p_offset + (address - header.p_vaddr);
    return 0;
}

TEST(all_functions_of_a_library)
{
    uint64_t offsets[LEAVES_MAX];
    struct file_bytes file;
    unsigned int looked = 0;
    GElf_Shdr section;
    GElf_Sym symbol;
    Elf_Data *data;
    size_t count = 0;
    Elf *elf;

    if ( !map_library(&file) )
        test_skip("no C library is mapped");
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)(uintptr_t)file.bytes, file.size);
    data = symbols_of(elf, &section);
    CHECK(data);
    for ( int i = 0; gelf_getsym(data, i, &symbol); i += 7 )
    {
        if ( !is_function(&symbol) )
            continue;
        offsets[count++] = offset_of(elf, symbol.st_value + symbol.st_size / 2);
        if ( count < LEAVES_MAX )
            continue;
        find(&file, offsets, count);
        for ( size_t j = 0; j < count; j++, looked++ )
        {
            CHECK_EQ(names[j].found, LEAF_SYMBOL);
            CHECK(is_right(elf, data, &section, &names[j]));
        }
        count = 0;
    }
    CHECK(looked >= LEAVES_MAX);
    elf_end(elf);
    munmap((void *)(uintptr_t)file.bytes, file.size);
}

/* Whatever page is missing, names are right or there are none. */
TEST(a_library_with_a_page_missing)
{
    struct file_bytes file;
    GElf_Shdr section;
    Elf_Data *data;
    uint64_t found = 0, lost = 0, offset;
    GElf_Sym symbol = {0};
    Elf *elf;

    if ( !map_library(&file) )
        test_skip("no C library is mapped");
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)(uintptr_t)file.bytes, file.size);
    data = symbols_of(elf, &section);
    for ( int i = 100; gelf_getsym(data, i, &symbol) && !is_function(&symbol);
          i++ )
        continue;
    offset = offset_of(elf, symbol.st_value);
    for ( file.missing = 0; file.missing < 80; file.missing++ )
    {
        find_one(&file, offset);
        found += names[0].found == LEAF_SYMBOL;
        lost += names[0].found != LEAF_SYMBOL;
        CHECK(names[0].found != LEAF_SYMBOL ||
              is_right(elf, data, &section, &names[0]));
        CHECK_EQ(names[0].found == LEAF_NOTHING, file.missing == 0);
    }
    CHECK(found && lost);
    elf_end(elf);
    munmap((void *)(uintptr_t)file.bytes, file.size);
}

/* A file that is made --------------------------------------------------- */

#define CODE_AT    0x1000u /* in the file, and */
#define CODE       0x3000u /* its address */
#define SYMBOLS    6u
#define SYMBOLS_AT 0x400u
#define STRINGS_AT (SYMBOLS_AT + SYMBOLS * sizeof(Elf64_Sym))
#define DYNAMIC_AT 0x800u

struct made {
    Elf64_Ehdr head;
    Elf64_Phdr headers[3];
};

static uint8_t made_bytes[2 * PAGE];
static struct made *const made = (struct made *)made_bytes;
static Elf64_Sym *const symbols = (Elf64_Sym *)(made_bytes + SYMBOLS_AT);
static Elf64_Dyn *const dynamic = (Elf64_Dyn *)(made_bytes + DYNAMIC_AT);
static struct file_bytes file;

static const char strings[] = "\0first\0second\0alias\0inner\0sp\x01 \xff!";

static Elf64_Sym function(uint32_t name, uint64_t at, uint64_t size,
                          unsigned int bind)
{
    return (Elf64_Sym){.st_name = name,
                       .st_info = (uint8_t)ELF64_ST_INFO(bind, STT_FUNC),
                       .st_shndx = 1,
                       .st_value = CODE + at,
                       .st_size = size};
}

static void make_symbols(void)
{
    symbols[1] = function(1, 0x10, 0x20, STB_GLOBAL);
    symbols[2] = function(14, 0x40, 0x100, STB_WEAK);
    symbols[3] = function(7, 0x40, 0x100, STB_GLOBAL);
    symbols[4] = function(20, 0x80, 0x10, STB_LOCAL);
    symbols[5] = function(26, 0x200, 0x10, STB_GLOBAL);
    memcpy(made_bytes + STRINGS_AT, strings, sizeof(strings));
}

static void make(void)
{
    static const Elf64_Dyn said[] = {
        {DT_SONAME, {1}},          {DT_STRTAB, {STRINGS_AT}},
        {DT_SYMTAB, {SYMBOLS_AT}}, {DT_STRSZ, {sizeof(strings)}},
        {DT_SYMENT, {24}},         {DT_NULL, {0}}};

    memset(made_bytes, 0, sizeof(made_bytes));
    memcpy(made->head.e_ident, ELFMAG "\2\1\1", 7);
    made->head.e_machine = EM_X86_64;
    made->head.e_phoff = sizeof(made->head);
    made->head.e_phentsize = sizeof(Elf64_Phdr);
    made->head.e_phnum = 3;
    made->headers[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = CODE_AT};
    made->headers[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                                    .p_offset = CODE_AT,
                                    .p_vaddr = CODE,
                                    .p_filesz = PAGE};
    made->headers[2] = (Elf64_Phdr){
        .p_type = PT_DYNAMIC, .p_offset = DYNAMIC_AT, .p_filesz = sizeof(said)};
    memcpy(dynamic, said, sizeof(said));
    make_symbols();
    file = (struct file_bytes){made_bytes, sizeof(made_bytes), UINT64_MAX, 0};
}

static void check(uint64_t at, enum leaf_found found, uint64_t address,
                  uint64_t start, const char *name)
{
    find_one(&file, at);
    CHECK_EQ(names[0].found, found);
    CHECK_EQ(names[0].address, address);
    CHECK_EQ(names[0].start, start);
    CHECK_TEXT(names[0].name, name);
}

TEST(functions_of_a_file)
{
    make();
    check(CODE_AT + 0x10, LEAF_SYMBOL, CODE + 0x10, CODE + 0x10, "first");
    check(CODE_AT + 0x2f, LEAF_SYMBOL, CODE + 0x2f, CODE + 0x10, "first");
    /* Between two. */
    check(CODE_AT + 0x30, LEAF_ADDRESS, CODE + 0x30, 0, "");
    /* A name for all rather than a weak one. */
    check(CODE_AT + 0x40, LEAF_SYMBOL, CODE + 0x40, CODE + 0x40, "second");
    /* In another one. */
    check(CODE_AT + 0x88, LEAF_SYMBOL, CODE + 0x88, CODE + 0x80, "inner");
    check(CODE_AT + 0x90, LEAF_SYMBOL, CODE + 0x90, CODE + 0x40, "second");
    /* No segment. */
    check(8 * PAGE, LEAF_NOTHING, 8 * PAGE, 0, "");
}

TEST(names_are_fit_to_be_shown)
{
    make();
    check(CODE_AT + 0x200, LEAF_SYMBOL, CODE + 0x200, CODE + 0x200, "sp? ?!");
    /* Behind the end of the texts. */
    dynamic[3].d_un.d_val = 28;
    check(CODE_AT + 0x200, LEAF_SYMBOL, CODE + 0x200, CODE + 0x200, "sp");
    dynamic[3].d_un.d_val = 26;
    check(CODE_AT + 0x200, LEAF_ADDRESS, CODE + 0x200, 0, "");
}

TEST(a_name_that_is_long)
{
    make();
    dynamic[1].d_un.d_val = 0x1200 - CODE_AT + CODE;
    dynamic[3].d_un.d_val = 0x400;
    memset(made_bytes + 0x1200, 'n', 0x400);
    find_one(&file, CODE_AT + 0x10);
    CHECK_EQ(names[0].found, LEAF_SYMBOL);
    CHECK_EQ(strlen(names[0].name), LEAF_NAME_MAX);
}

/* What is no function, or not in this file. */
TEST(symbols_that_are_none)
{
    make();
    symbols[1].st_shndx = SHN_UNDEF;
    check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
    make();
    symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
    make();
    symbols[1].st_name = 0;
    check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
    make();
    symbols[1].st_size = UINT64_MAX;
    check(CODE_AT + 0x300, LEAF_SYMBOL, CODE + 0x300, CODE + 0x10, "first");
}

TEST(files_that_are_none)
{
    static const struct {
        size_t at;
        uint8_t value;
    } lies[] = {
        {0, 0},
        {EI_CLASS, ELFCLASS32},
        {EI_DATA, ELFDATA2MSB},
        {offsetof(Elf64_Ehdr, e_machine), EM_AARCH64},
        {offsetof(Elf64_Ehdr, e_phentsize), 32},
        {offsetof(Elf64_Ehdr, e_phnum), 0},
        {offsetof(Elf64_Ehdr, e_phnum), 200},
        {offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff},
    };

    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        make();
        made_bytes[lies[i].at] = lies[i].value;
        check(CODE_AT + 0x10, LEAF_NOTHING, CODE_AT + 0x10, 0, "");
    }
    make();
    file.size = 10;
    check(CODE_AT + 0x10, LEAF_NOTHING, CODE_AT + 0x10, 0, "");
}

/* There is no dynamic section, or it leads nowhere. */
TEST(files_without_symbols)
{
    static const uint64_t places[] = {0, 0x2fff, 0x5000, 1ull << 63};

    make();
    made->headers[2].p_type = PT_NOTE;
    check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
    for ( unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++ )
    {
        make();
        dynamic[2].d_un.d_val = places[i];
        check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
        make();
        dynamic[1].d_un.d_val = places[i];
        check(CODE_AT + 0x10, LEAF_ADDRESS, CODE + 0x10, 0, "");
        make();
        made->headers[2].p_offset = places[i] ? places[i] : 1;
        find_one(&file, CODE_AT + 0x10);
        CHECK(names[0].found != LEAF_NOTHING);
    }
}

/* Sizes without bounds cost a bounded number of looks. */
TEST(tables_without_end)
{
    make();
    made->headers[0].p_filesz = UINT64_MAX / 2;
    made->headers[2].p_filesz = UINT64_MAX / 4;
    dynamic[1].d_un.d_val = 8;
    for ( unsigned int i = 3; i < 40; i++ )
        dynamic[i] = (Elf64_Dyn){DT_DEBUG, {0}};
    find_one(&file, CODE_AT + 0x10);
    CHECK(file.gets < 2 * LEAF_SYMBOLS_MAX);
}

TEST(names_that_another_process_made_up)
{
    struct leaf_name name = {.found = LEAF_SYMBOL, .name = "main"};

    CHECK(leaf_name_is_sound(&name));
    name.found = LEAF_ADDRESS;
    CHECK(!leaf_name_is_sound(&name));
    name.found = 3;
    CHECK(!leaf_name_is_sound(&name));
    name.found = LEAF_SYMBOL;
    name.name[2] = '\033';
    CHECK(!leaf_name_is_sound(&name));
    memset(name.name, 'x', sizeof(name.name));
    CHECK(!leaf_name_is_sound(&name));
    memset(name.name, 0, sizeof(name.name));
    CHECK(!leaf_name_is_sound(&name));
    name.found = LEAF_NOTHING;
    CHECK(leaf_name_is_sound(&name));
}
