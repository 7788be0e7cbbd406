/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of this program, of the C library, and of what is no program. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/elf-names.h"
#include "tests/harness.h"

#define BYTES (16u << 20)

static struct elf_names *read_file(const char *path, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct elf_names *names;

    CHECK(fd >= 0);
    names = elf_names_read(fd, bytes);
    close(fd);
    return names;
}

static struct elf_names *read_text(const char *text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct elf_names *names;

    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    names = elf_names_read(fd, BYTES);
    close(fd);
    return names;
}

/* Where this program is, less what its file says. */
static int note_bias(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size;
    *(uint64_t *)to = info->dlpi_addr;
    return 1; /* the first is the program */
}

static uint64_t address_of(const void *function)
{
    uint64_t base = 0;

    dl_iterate_phdr(note_bias, &base);
    return (uint64_t)(uintptr_t)function - base;
}

TEST(a_function_of_its_own_symbols)
{
    struct elf_names *names = read_file("/proc/self/exe", BYTES);
    uint64_t address = address_of((const void *)read_text);
    struct elf_function function;

    CHECK(names && elf_names_are_whole(names));
    CHECK(elf_names_find(names, address + 1, &function));
    CHECK_TEXT(function.name, "read_text");
    CHECK_EQ(function.start, address);
    CHECK(elf_names_bytes(names) > 1000);
    elf_names_free(names);
}

/* Offsets in the file are what processes have mapped. */
TEST(where_code_lies_in_the_file)
{
    struct elf_names *names = read_file("/proc/self/exe", BYTES);
    uint64_t address = 0;

    CHECK(names);
    CHECK(!elf_names_address(names, 0, &address) || address == 0);
    CHECK(!elf_names_address(names, UINT64_MAX, &address));
    elf_names_free(names);
}

/* Its file is this program without its symbols: what is left of a function is
 * where it begins. */
TEST(a_stripped_program)
{
    char path[] = "/tmp/xenoprof-stripped-XXXXXX", command[256];
    uint64_t address = address_of((const void *)read_text);
    struct elf_function function;
    struct elf_names *names, *whole;
    uint8_t id[ELF_BUILD_ID_MAX];
    int fd = mkstemp(path), own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    CHECK(fd >= 0 && own >= 0);
    snprintf(command, sizeof(command), "strip -o %s /proc/%d/exe 2>/dev/null",
             path, (int)getpid());
    if ( system(command) )
        test_skip("there is no strip(1)");
    names = read_file(path, BYTES);
    unlink(path);
    CHECK(names && !elf_names_are_whole(names));
    CHECK(!elf_names_find(names, address + 1, &function));
    CHECK_TEXT(function.name, "");
    CHECK_EQ(function.start, address);
    /* The other file with its build-id has them. */
    CHECK(elf_names_build_id(names, id) > 0);
    elf_names_add(names, own, BYTES);
    CHECK(elf_names_find(names, address + 1, &function));
    CHECK_TEXT(function.name, "read_text");
    /* One of another build has nothing to say. */
    whole = read_file("/proc/self/exe", BYTES);
    elf_names_add(whole, fd, BYTES);
    CHECK(elf_names_find(whole, address, &function));
    elf_names_free(whole);
    elf_names_free(names);
    close(fd);
    close(own);
}

/* What Fedora's packages have in each stripped file, made of this program: a
 * file with its symbols alone, packed into one without. */
static bool make_packed(const char *path)
{
    char command[512];

    snprintf(command, sizeof(command),
             "exec 2>/dev/null; strip -o %s /proc/%d/exe && "
             "objcopy --only-keep-debug /proc/%d/exe %s.all && "
             "objcopy -g %s.all %s.mini && xz -f %s.mini && "
             "objcopy --add-section .gnu_debugdata=%s.mini.xz %s; "
             "code=$?; rm -f %s.all %s.mini %s.mini.xz; exit $code",
             path, (int)getpid(), (int)getpid(), path, path, path, path, path,
             path, path, path, path);
    return !system(command);
}

TEST(a_stripped_program_with_symbols_packed_in_it)
{
    char path[] = "/tmp/xenoprof-packed-XXXXXX";
    uint64_t address = address_of((const void *)read_text);
    struct elf_function function;
    struct elf_names *names;
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    if ( !make_packed(path) )
        test_skip("there is no strip(1), objcopy(1) or xz(1)");
    names = read_file(path, BYTES);
    CHECK(names && elf_names_are_whole(names));
    CHECK(elf_names_find(names, address + 1, &function));
    CHECK_TEXT(function.name, "read_text");
    CHECK_EQ(function.start, address);
    elf_names_free(names);
    /* One that grows beyond what there is room for might as well not exist. */
    names = read_file(path, 4096);
    CHECK(names && !elf_names_are_whole(names));
    elf_names_free(names);
    unlink(path);
}

TEST(more_than_there_is_room_for)
{
    struct elf_names *names = read_file("/proc/self/exe", 1024);
    struct elf_function function;

    CHECK(names && elf_names_bytes(names) < 4096);
    CHECK(
        !elf_names_find(names, address_of((const void *)read_text), &function));
    elf_names_free(names);
}

/* A program whose table of names is said to have three GiB, as a sparse file
 * could have them. */
TEST(names_without_end)
{
    static uint8_t bytes[4096];
    Elf64_Ehdr *head = (Elf64_Ehdr *)bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + 256);
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct elf_names *names;
    struct rusage usage;

    *head = (Elf64_Ehdr){
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = 256,
        .e_ehsize = sizeof(*head),
        .e_shentsize = sizeof(*sections),
        .e_shnum = 3,
        .e_shstrndx = 2};
    sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                               .sh_offset = 1024,
                               .sh_size = 4 * sizeof(Elf64_Sym),
                               .sh_link = 2,
                               .sh_entsize = sizeof(Elf64_Sym)};
    sections[2] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = 4096, .sh_size = 3ull << 30};
    memset(bytes + 1024, 1, 4 * sizeof(Elf64_Sym));
    CHECK_EQ(write(fd, bytes, sizeof(bytes)), (ssize_t)sizeof(bytes));
    CHECK(!ftruncate(fd, (3ll << 30) + 8192));
    names = elf_names_read(fd, BYTES);
    CHECK(names && !elf_names_are_whole(names));
    CHECK(elf_names_bytes(names) < BYTES);
    elf_names_free(names);
    close(fd);
    CHECK(!getrusage(RUSAGE_SELF, &usage));
    CHECK(usage.ru_maxrss < 1 << 20);
}

/* Processes of 32 bits have leaves with names. */
TEST(a_program_of_32_bits)
{
    static const struct {
        Elf32_Ehdr head;
        Elf32_Phdr segment;
        Elf32_Sym symbols[2];
        char strings[8];
        Elf32_Shdr sections[3];
    } program = {
        .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_386,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(typeof(program), segment),
                 .e_shoff = offsetof(typeof(program), sections),
                 .e_ehsize = sizeof(Elf32_Ehdr),
                 .e_phentsize = sizeof(Elf32_Phdr),
                 .e_phnum = 1,
                 .e_shentsize = sizeof(Elf32_Shdr),
                 .e_shnum = 3,
                 .e_shstrndx = 2},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_vaddr = 0x8048000,
                    .p_filesz = sizeof(program),
                    .p_memsz = sizeof(program)},
        .symbols = {[1] = {.st_name = 1,
                           .st_value = 0x8048010,
                           .st_size = 0x20,
                           .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
                           .st_shndx = 1}},
        .strings = "\0work",
        .sections = {[1] = {.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(typeof(program), symbols),
                            .sh_size = sizeof(program.symbols),
                            .sh_link = 2,
                            .sh_info = 1,
                            .sh_entsize = sizeof(Elf32_Sym)},
                     [2] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(typeof(program), strings),
                            .sh_size = sizeof(program.strings)}}};
    int fd = memfd_create("program", MFD_CLOEXEC);
    struct elf_function function;
    struct elf_names *names;
    uint64_t address;

    CHECK_EQ(write(fd, &program, sizeof(program)), (ssize_t)sizeof(program));
    names = elf_names_read(fd, BYTES);
    close(fd);
    CHECK(names && elf_names_address(names, 0x18, &address));
    CHECK_EQ(address, 0x8048018);
    CHECK(elf_names_find(names, address, &function));
    CHECK_TEXT(function.name, "work");
    CHECK_EQ(function.start, 0x8048010);
    elf_names_free(names);
}

TEST(what_is_not_elf)
{
    CHECK(!read_text("#!/bin/sh\n"));
    CHECK(!read_text("\177ELF"));
    CHECK(!read_text(""));
    elf_names_free(NULL);
}

static bool is_same(const struct elf_names *names, uint64_t address,
                    const struct elf_function *function)
{
    struct elf_function other;

    elf_names_find(names, address, &other);
    return other.start == function->start &&
           !strcmp(other.name, function->name);
}

/* An answer is the same wherever it says so. */
static void check_around(const char *path)
{
    struct elf_names *names = read_file(path, BYTES);
    unsigned int named = 0, nameless = 0, more = 0;
    struct elf_function function;
    uint64_t address;

    CHECK(names);
    for ( uint64_t offset = 0; offset < (4u << 20); offset += 997 )
    {
        if ( !elf_names_address(names, offset, &address) )
            continue;
        named += elf_names_find(names, address, &function);
        nameless += !function.name[0];
        CHECK(function.after && function.before <= address - function.start);
        more += function.before + function.after > 1;
        CHECK(is_same(names, address - function.before, &function));
        CHECK(is_same(names, address + function.after - 1, &function));
        CHECK(is_same(names, address - function.before / 2, &function));
        CHECK(is_same(names, address + function.after / 2, &function));
    }
    printf("# %s: %u named, %u nameless, %u of them for more than a byte\n",
           path, named, nameless, more);
    CHECK(more > 10 && more > (named + nameless) / 2);
    elf_names_free(names);
}

static int check_library(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    if ( !strstr(info->dlpi_name, "/libc.") )
        return 0;
    check_around(info->dlpi_name);
    return ++*(int *)count;
}

/* The C library is stripped, mostly. */
TEST(an_answer_holds_for_a_whole_function)
{
    int count = 0;

    check_around("/proc/self/exe");
    dl_iterate_phdr(check_library, &count);
    CHECK(count == 1);
}
