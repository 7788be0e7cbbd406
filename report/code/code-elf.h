/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code in an ELF file: its bytes, and the targets of calls that an object file
 * (a kernel module) leaves to its loader.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_ELF_H
#define XENOPROF_REPORT_CODE_CODE_ELF_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relocated {
    const char *name; /* of a target outside of the file; NULL: inside, ... */
    uint64_t address; /* ... at this address */
};

/* Returns how many bytes of code there are from address to the end of its
 * section, or of its segment in a file without sections; 0 if there are none.
 * *ret is elf's. */
size_t elf_code_bytes(Elf *elf, uint64_t address, const uint8_t **ret);

/* Find where the 4 bytes at an address of code lead to, counted from their end.
 * Returns false if no relocation applies to them. */
bool elf_relocation(Elf *elf, uint64_t at, struct relocated *ret);

#endif
