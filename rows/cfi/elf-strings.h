/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold before libelf is asked for a name: with the first one it reads
 * the whole table of strings, however large a file says that it is. */
#ifndef XENOPROF_ROWS_CFI_ELF_STRINGS_H
#define XENOPROF_ROWS_CFI_ELF_STRINGS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/* Names of sections; no linker makes more of them. */
#define ELF_SECTION_NAMES_MAX (1u << 20)

/* Returns true if this section is a table of strings of at most so many
 * bytes. */
bool elf_strings_fit(Elf *elf, size_t section, size_t most);

#endif
