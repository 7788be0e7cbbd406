/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads ELF files with libelf: sections by name, symbols with their names. */
#ifndef XENOPROF_MODULE_ELF_FILE_H
#define XENOPROF_MODULE_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>

struct elf_file {
    int fd;
    Elf *elf;
};

/*
 * Opens a file for reading.  Returns 0, -errno, or -ENOEXEC if the file is not
 * a 64-bit ELF file for x86-64.  The file may be closed in each case.
 */
int elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

/* Returns the name of a section and fills in its header, or NULL. */
const char *elf_section_name(Elf *elf, Elf_Scn *section, GElf_Shdr *header);

/* Returns the last section of that name, or NULL if there is none. */
Elf_Scn *elf_section_named(Elf *elf, const char *name);

struct elf_symbol_table {
    Elf *elf;
    Elf_Data *data;
    GElf_Word strings; /* section with the names */
    size_t count;
};

/* Finds the symbol table.  Returns false if there is none. */
bool elf_symbols_find(struct elf_symbol_table *symbols, Elf *elf);

/* Returns the name of a symbol and fills it in, or NULL if it is damaged. */
const char *elf_symbol(const struct elf_symbol_table *symbols, size_t index,
                       GElf_Sym *symbol);

#endif
