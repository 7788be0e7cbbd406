/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that an ELF file describes: a kernel that does not run yet.
 */
#ifndef XENOPROF_GUEST_ELF_MEMORY_H
#define XENOPROF_GUEST_ELF_MEMORY_H

#include <libelf.h>

#include "memory.h"

#define ELF_SEGMENTS_MAX 32u

struct elf_segment {
    uint64_t address;
    uint64_t size;
    const uint8_t *bytes;
    bool code;
};

struct elf_memory {
    Elf *file;
    struct elf_segment segments[ELF_SEGMENTS_MAX];
    uint32_t count;
    struct guest_memory memory;
};

/* Returns whether bytes are an ELF file for x86 that can be loaded; if not,
 * there is nothing to close.  bytes must stay, and are not written to. */
bool elf_memory_open(struct elf_memory *elf, const uint8_t *bytes, size_t size);
void elf_memory_close(struct elf_memory *elf);

/* Returns the contents of the note of this owner and type, *length bytes, or
 * NULL if there is none in the bytes. */
const uint8_t *elf_note(const uint8_t *bytes, size_t size, const char *owner,
                        uint32_t type, size_t *length);

#endif
