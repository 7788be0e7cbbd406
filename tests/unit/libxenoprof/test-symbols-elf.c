/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of this very program, and of files that only begin like one. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols-kit.h"

/* Functions of this very program, whose addresses gcc and bfd agree on. */
__attribute__((noinline, used)) static int test_symbols_landmark(int value)
{
    return value * 3 + 1;
}

/* The first object is the program itself. */
static int take_bias(struct dl_phdr_info *info, size_t size, void *ret)
{
    (void)size;
    *(uint64_t *)ret = info->dlpi_addr;
    return 1;
}

static uint64_t load_bias(void)
{
    uint64_t bias = 0;

    dl_iterate_phdr(take_bias, &bias);
    return bias;
}

TEST(an_elf_file_has_symbols)
{
    struct xenoprof_symbol symbol;
    uint64_t address = (uintptr_t)test_symbols_landmark - load_bias();

    CHECK_EQ(symbols_kit_file("/proc/self/exe"), XENOPROF_OK);
    CHECK(xenoprof_symbols_lookup(symbols_kit.symbols, "test_symbols_landmark",
                                  &symbol));
    CHECK_EQ(symbol.start, address);
    CHECK_TEXT(symbols_kit_name(address + 1), "test_symbols_landmark");
    CHECK_TEXT(symbols_kit_name(1), "-");
}

/* A file of these bytes is refused with its name and the reason. */
static void refused(const void *bytes, size_t size, const char *why)
{
    char path[] = "/tmp/xenoprof-elf-XXXXXX";
    int file = mkstemp(path);

    CHECK(file >= 0);
    CHECK_EQ(write(file, bytes, size), size);
    close(file);
    CHECK_EQ(symbols_kit_file(path), XENOPROF_INVALID);
    unlink(path);
    CHECK(strstr(xenoprof_message(symbols_kit.handle), path));
    if ( !strstr(xenoprof_message(symbols_kit.handle), why) )
        test_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
                  xenoprof_message(symbols_kit.handle), why);
}

TEST(an_elf_file_that_is_cut_is_refused)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof(header),
        .e_shentsize = sizeof(Elf64_Shdr),
    };

    refused(&header, SELFMAG, "cannot read it as ELF");
    refused(&header, sizeof(header) - 1, "cannot read it as ELF");
    refused(&header, sizeof(header), "has no symbols (stripped?)");
    /* Sections where the file has no bytes. */
    header.e_shoff = 1 << 20;
    header.e_shnum = 5;
    refused(&header, sizeof(header), "cannot read it as ELF");
}
