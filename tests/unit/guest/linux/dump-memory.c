/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the page tables in a dump. */
#include "dump-memory.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUDGET    (16ull << 20)
#define PRESENT   1u
#define LARGE     0x80u
#define FRAME     0x000ffffffffff000ull
#define NOTE_IP   (8 + 16 * 8)
#define NOTE_CR3  (8 + 18 * 8 + 10 * 24 + 3 * 8)
#define NOTE_SIZE (NOTE_CR3 + 16)

static const uint8_t *physical(const struct dump_memory *dump, uint64_t address,
                               size_t size)
{
    Elf64_Ehdr header;
    Elf64_Phdr part;
    unsigned int i;

    memcpy(&header, dump->bytes, sizeof(header));
    for ( i = 0; i < header.e_phnum; i++ )
    {
        memcpy(&part, dump->bytes + header.e_phoff + i * sizeof(part),
               sizeof(part));
        if ( part.p_type == PT_LOAD && address >= part.p_paddr &&
             address + size <= part.p_paddr + part.p_filesz &&
             part.p_offset + part.p_filesz <= dump->size )
            return dump->bytes + part.p_offset + (address - part.p_paddr);
    }
    return NULL;
}

/* Finds where a virtual address lies, and how many bytes of its page follow. */
static const uint8_t *translate(const struct dump_memory *dump,
                                uint64_t address, uint64_t *left)
{
    uint64_t entry = dump->cr3;
    int shift;

    for ( shift = 39; shift >= 12; shift -= 9 )
    {
        const uint8_t *table = physical(dump, entry & FRAME, 4096);

        if ( !table )
            return NULL;
        memcpy(&entry, table + 8 * (address >> shift & 511), sizeof(entry));
        if ( !(entry & PRESENT) )
            return NULL;
        if ( shift == 12 || (shift < 39 && (entry & LARGE)) )
            break;
    }
    *left = (1ull << shift) - (address & ((1ull << shift) - 1));
    entry = (entry & FRAME) & ~((1ull << shift) - 1);
    entry |= address & ((1ull << shift) - 1);
    return physical(dump, entry, 1);
}

static size_t read_dump(void *self, uint64_t address, void *to, size_t size)
{
    struct dump_memory *dump = self;
    size_t done = 0;

    dump->reads++;
    while ( done < size )
    {
        uint64_t left;
        const uint8_t *from = translate(dump, address + done, &left);

        if ( !from )
            break;
        if ( left > 4096 - ((address + done) & 4095) )
            left = 4096 - ((address + done) & 4095);
        if ( left > size - done )
            left = size - done;
        memcpy((uint8_t *)to + done, from, left);
        done += left;
    }
    return done;
}

static bool read_registers(struct dump_memory *dump)
{
    Elf64_Ehdr header;
    Elf64_Phdr notes;
    Elf64_Nhdr note;
    uint64_t at;

    memcpy(&header, dump->bytes, sizeof(header));
    memcpy(&notes, dump->bytes + header.e_phoff, sizeof(notes));
    for ( at = notes.p_offset; at + sizeof(note) + NOTE_SIZE < dump->size; )
    {
        const uint8_t *text = dump->bytes + at + sizeof(note);

        memcpy(&note, dump->bytes + at, sizeof(note));
        at += sizeof(note) + ((note.n_namesz + 3) & ~3u) +
              ((note.n_descsz + 3) & ~3u);
        if ( note.n_namesz != 5 || memcmp(text, "QEMU", 5) )
            continue;
        memcpy(&dump->ip, text + 8 + NOTE_IP, sizeof(dump->ip));
        memcpy(&dump->cr3, text + 8 + NOTE_CR3, sizeof(dump->cr3));
        return true;
    }
    return false;
}

bool dump_memory_open(struct dump_memory *dump, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat stat;
    void *bytes = MAP_FAILED;

    memset(dump, 0, sizeof(*dump));
    if ( file >= 0 && !fstat(file, &stat) && stat.st_size > 4096 )
        bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file,
                     0);
    if ( file >= 0 )
        close(file);
    if ( bytes == MAP_FAILED )
        return false;
    dump->bytes = bytes;
    dump->size = (size_t)stat.st_size;
    dump->memory = (struct guest_memory){
        .read = read_dump, .self = dump, .left = BUDGET, .near = &dump->near};
    return !memcmp(bytes, ELFMAG, SELFMAG) && read_registers(dump);
}

void dump_memory_close(struct dump_memory *dump)
{
    if ( dump->bytes )
        munmap((void *)(uintptr_t)dump->bytes, dump->size);
}
