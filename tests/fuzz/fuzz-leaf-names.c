/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file as a guest has it in memory: the first bytes say which pages are
 * missing, the rest is the file.  Whatever is in it, names are fit to be shown,
 * and are found in a bounded number of looks.
 */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "guest/leaf-names.h"

/* What says which of the first pages are missing. */
#define HEAD_BYTES 2u
#define PAGE_BYTES 4096u

struct fuzzed_file {
    const uint8_t *bytes;
    size_t size;
    uint16_t missing; /* a bit for each page */
    uint32_t looks;
};

static bool get(void *self, uint64_t offset, void *to, size_t size)
{
    struct fuzzed_file *file = self;
    uint64_t last = offset + size - 1;

    file->looks++;
    if ( offset >= file->size || size > file->size - offset )
        return false;
    for ( uint64_t page = offset / PAGE_BYTES; page <= last / PAGE_BYTES;
          page++ )
        if ( page < 16 && file->missing >> page & 1 )
            return false;
    memcpy(to, file->bytes + offset, size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t offsets[] = {0,      0x10,    0x1000,    0x1010,
                                       0x1800, 0x10000, UINT64_MAX};
    const size_t count = sizeof(offsets) / sizeof(offsets[0]);
    struct leaf_name names[sizeof(offsets) / sizeof(offsets[0])];
    struct fuzzed_file file = {0};

    if ( size < HEAD_BYTES )
        return 0;
    memcpy(&file.missing, data, HEAD_BYTES);
    file.bytes = data + HEAD_BYTES;
    file.size = size - HEAD_BYTES;
    leaf_names_find(get, &file, offsets, count, names);
    for ( size_t i = 0; i < count; i++ )
    {
        FUZZ_CHECK(leaf_name_is_sound(&names[i]));
        FUZZ_CHECK(names[i].found != LEAF_NOTHING ||
                   names[i].address == offsets[i]);
    }
    FUZZ_CHECK(file.looks < 100000);
    return 0;
}

/* Two functions, in a file of two pages. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const Elf64_Dyn dynamic[] = {{DT_SYMTAB, {0x400}},
                                        {DT_STRTAB, {0x448}},
                                        {DT_STRSZ, {16}},
                                        {DT_NULL, {0}}};
    const Elf64_Sym symbols[] = {
        {.st_name = 0},
        {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x1000, 0x20},
        {6, ELF64_ST_INFO(STB_WEAK, STT_FUNC), 0, 1, 0x1800, 0x20}};
    const Elf64_Phdr headers[] = {
        {.p_type = PT_LOAD, .p_filesz = 0x2000},
        {.p_type = PT_DYNAMIC, .p_offset = 0x800, .p_filesz = sizeof(dynamic)}};
    Elf64_Ehdr head = {.e_machine = EM_X86_64,
                       .e_phoff = sizeof(head),
                       .e_phentsize = sizeof(headers[0]),
                       .e_phnum = 2};
    uint8_t *file = bytes + HEAD_BYTES;

    if ( number > 1 )
        return 0;
    memset(bytes, 0, HEAD_BYTES + 0x2000);
    bytes[0] = number ? 2 : 0;
    memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
    memcpy(file, &head, sizeof(head));
    memcpy(file + sizeof(head), headers, sizeof(headers));
    memcpy(file + 0x400, symbols, sizeof(symbols));
    memcpy(file + 0x448, "\0main\0other", 12);
    memcpy(file + 0x800, dynamic, sizeof(dynamic));
    return HEAD_BYTES + 0x2000;
}
