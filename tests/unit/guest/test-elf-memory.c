/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of ELF whose headers say what is, and what is not. */
#include <string.h>

#include "guest/elf-memory.h"
#include "tests/harness.h"

#define LINKED 0xffffffff81000000ull
#define DATA   4096u /* where the contents are */
#define SIZE   8192u

static _Alignas(16) uint8_t bytes[SIZE];
static struct elf_memory elf;

static void begin(unsigned int machine, unsigned int segments)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = (Elf64_Half)machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(header),
        .e_ehsize = sizeof(header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half)segments};

    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, &header, sizeof(header));
    for ( unsigned int i = DATA; i < SIZE; i++ )
        bytes[i] = (uint8_t)(i * 7);
}

static void put_segment(unsigned int number, uint64_t address, uint64_t offset,
                        uint64_t size, uint32_t flags)
{
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = flags,
                          .p_offset = offset,
                          .p_vaddr = address,
                          .p_filesz = size,
                          .p_memsz = size};

    memcpy(bytes + sizeof(Elf64_Ehdr) + number * sizeof(segment), &segment,
           sizeof(segment));
}

TEST(segments_are_read_as_memory)
{
    uint8_t got[64];

    begin(EM_X86_64, 2);
    put_segment(0, LINKED, DATA, 256, PF_R | PF_X);
    put_segment(1, LINKED + 4096, DATA + 256, 100, PF_R);
    CHECK(elf_memory_open(&elf, bytes, SIZE));
    CHECK_EQ(elf.count, 2);
    CHECK(elf.segments[0].code && !elf.segments[1].code);
    CHECK(guest_memory_get(&elf.memory, LINKED + 192, got, 64));
    CHECK(!memcmp(got, bytes + DATA + 192, 64));
    /* What is behind the end is not there, nor what is between. */
    CHECK_EQ(guest_memory_read(&elf.memory, LINKED + 4096 + 90, got, 64), 10);
    CHECK(!memcmp(got, bytes + DATA + 256 + 90, 10));
    CHECK_EQ(guest_memory_read(&elf.memory, LINKED + 256, got, 64), 0);
    CHECK_EQ(guest_memory_read(&elf.memory, LINKED - 1, got, 64), 0);
    CHECK_EQ(guest_memory_read(&elf.memory, ~0ull, got, 64), 0);
    elf_memory_close(&elf);
}

TEST(segments_that_cannot_be_are_left_out)
{
    begin(EM_X86_64, 6);
    put_segment(0, LINKED, SIZE + 1, 16, PF_R);
    put_segment(1, LINKED, DATA, SIZE - DATA + 1, PF_R);
    put_segment(2, LINKED, ~0ull, 16, PF_R);
    put_segment(3, LINKED, DATA, ~0ull, PF_R);
    put_segment(4, LINKED, DATA, 0, PF_R);
    put_segment(5, ~0ull - 15, DATA, 17, PF_R);
    CHECK(!elf_memory_open(&elf, bytes, SIZE));
    put_segment(4, LINKED, DATA, SIZE - DATA, PF_R);
    CHECK(elf_memory_open(&elf, bytes, SIZE));
    CHECK_EQ(elf.count, 1);
    CHECK(elf.segments[0].bytes == bytes + DATA);
    elf_memory_close(&elf);
}

TEST(there_are_no_more_segments_than_fit)
{
    begin(EM_386, 40);
    for ( unsigned int i = 0; i < 40; i++ )
        put_segment(i, LINKED + 4096 * i, DATA, 16, PF_R);
    CHECK(elf_memory_open(&elf, bytes, SIZE));
    CHECK_EQ(elf.count, ELF_SEGMENTS_MAX);
    elf_memory_close(&elf);
}

TEST(what_is_not_an_x86_file_is_refused)
{
    begin(EM_AARCH64, 1);
    put_segment(0, LINKED, DATA, 16, PF_R);
    CHECK(!elf_memory_open(&elf, bytes, SIZE));
    begin(EM_X86_64, 1);
    put_segment(0, LINKED, DATA, 16, PF_R);
    for ( size_t size = 0; size < sizeof(Elf64_Ehdr); size++ )
        CHECK(!elf_memory_open(&elf, bytes, size));
    bytes[1] = 'e';
    CHECK(!elf_memory_open(&elf, bytes, SIZE));
    elf_memory_close(&elf); /* of what is not open */
}

/* Puts a note at *at, and moves *at behind it. */
static void put_note(size_t *at, const char *owner, uint32_t owner_length,
                     uint32_t type, uint32_t length)
{
    Elf64_Nhdr note = {owner_length, length, type};

    memcpy(bytes + *at, &note, sizeof(note));
    memcpy(bytes + *at + sizeof(note), owner, strlen(owner) + 1);
    *at += sizeof(note) + ((owner_length + 3) & ~3u) + ((length + 3) & ~3u);
}

TEST(a_note_is_found_after_others)
{
    const uint8_t *found;
    size_t at = 0, length, last;

    memset(bytes, 0, sizeof(bytes));
    put_note(&at, "Xen", 4, NT_GNU_BUILD_ID, 5);
    put_note(&at, "GNU", 4, 1, 16);
    last = at;
    put_note(&at, "GNU", 4, NT_GNU_BUILD_ID, 20);
    found = elf_note(bytes, at, "GNU", NT_GNU_BUILD_ID, &length);
    CHECK(found == bytes + last + sizeof(Elf64_Nhdr) + 4);
    CHECK_EQ(length, 20);
    CHECK(!elf_note(bytes, at, "GNU", 7, &length));
    /* Each length that cuts it off. */
    for ( size_t size = 0; size < at; size++ )
        CHECK(!elf_note(bytes, size, "GNU", NT_GNU_BUILD_ID, &length));
}

TEST(notes_that_lie_are_not_followed)
{
    static const struct {
        uint32_t owner, length;
    } lies[] = {{4, 0xffffffff}, {0xffffffff, 20}, {0xffffffff, 0xffffffff},
                {0xfffffffd, 4}, {3, 20},          {5, 20}};
    size_t length;

    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        size_t at = 0;

        memset(bytes, 0, sizeof(bytes));
        put_note(&at, "GNU", lies[i].owner, NT_GNU_BUILD_ID, lies[i].length);
        CHECK(!elf_note(bytes, 64, "GNU", NT_GNU_BUILD_ID, &length));
    }
}
