/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments of a file, read as memory. */
#include "elf-memory.h"

#include <gelf.h>
#include <string.h>

/* Many times what it takes to read a kernel: a file may be made to cost
 * time. */
#define ELF_BUDGET (256ull << 20)

static size_t read_segment(void *self, uint64_t address, void *to, size_t size)
{
    const struct elf_memory *elf = self;

    for ( uint32_t i = 0; i < elf->count; i++ )
    {
        const struct elf_segment *segment = &elf->segments[i];
        uint64_t offset = address - segment->address;

        if ( offset >= segment->size )
            continue;
        if ( size > segment->size - offset )
            size = segment->size - offset;
        memcpy(to, segment->bytes + offset, size);
        return size;
    }
    return 0;
}

static void add_segment(struct elf_memory *elf, const uint8_t *bytes,
                        size_t size, const GElf_Phdr *header)
{
    struct elf_segment *segment = &elf->segments[elf->count];

    if ( header->p_type != PT_LOAD || header->p_offset > size ||
         header->p_filesz > size - header->p_offset || !header->p_filesz ||
         header->p_vaddr + header->p_filesz < header->p_vaddr ||
         elf->count == ELF_SEGMENTS_MAX )
        return;
    segment->address = header->p_vaddr;
    segment->size = header->p_filesz;
    segment->bytes = bytes + header->p_offset;
    segment->code = header->p_flags & PF_X;
    elf->count++;
}

static bool is_x86(Elf *file)
{
    GElf_Ehdr header;

    return elf_kind(file) == ELF_K_ELF && gelf_getehdr(file, &header) &&
           (header.e_machine == EM_X86_64 || header.e_machine == EM_386);
}

bool elf_memory_open(struct elf_memory *elf, const uint8_t *bytes, size_t size)
{
    GElf_Phdr segment;
    size_t i, count = 0;

    memset(elf, 0, sizeof(*elf));
    elf->memory = (struct guest_memory){
        .read = read_segment, .self = elf, .left = ELF_BUDGET};
    if ( size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) ||
         elf_version(EV_CURRENT) == EV_NONE )
        return false;
    elf->file = elf_memory((char *)(uintptr_t)bytes, size);
    if ( elf->file && is_x86(elf->file) )
        elf_getphdrnum(elf->file, &count);
    for ( i = 0; i < count; i++ )
        if ( gelf_getphdr(elf->file, (int)i, &segment) )
            add_segment(elf, bytes, size, &segment);
    if ( !elf->count )
        elf_memory_close(elf);
    return elf->count;
}

void elf_memory_close(struct elf_memory *elf)
{
    if ( elf->file )
        elf_end(elf->file);
    elf->file = NULL;
}

const uint8_t *elf_note(const uint8_t *bytes, size_t size, const char *owner,
                        uint32_t type, size_t *length)
{
    size_t owner_length = strlen(owner) + 1, at = 0;
    Elf64_Nhdr note;

    while ( at < size && size - at >= sizeof(note) )
    {
        uint64_t name = at + sizeof(note), text, end;

        memcpy(&note, bytes + at, sizeof(note));
        text = name + ((note.n_namesz + 3ull) & ~3ull);
        end = text + ((note.n_descsz + 3ull) & ~3ull);
        if ( text + note.n_descsz > size )
            return NULL;
        if ( note.n_type == type && note.n_namesz == owner_length &&
             !memcmp(bytes + name, owner, owner_length) )
        {
            *length = note.n_descsz;
            return bytes + text;
        }
        at = end;
    }
    return NULL;
}
