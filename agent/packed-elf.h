/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF file that some distributions leave in a stripped one, packed: its
 * .symtab has the functions that .dynsym lacks. */
#ifndef XENOPROF_AGENT_PACKED_ELF_H
#define XENOPROF_AGENT_PACKED_ELF_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of that file, malloc'ed, and how many these are; NULL if
 * there is none, it is damaged, or has more than most bytes. */
uint8_t *packed_elf_read(Elf *elf, size_t most, size_t *size);

#endif
