/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file: by its symbols, and, where a program is
 * stripped, by where each one's unwind information begins.
 *
 * Whoever runs a program chose the bytes of its file.
 */
#ifndef XENOPROF_AGENT_ELF_NAMES_H
#define XENOPROF_AGENT_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX 20u
#define ELF_NAME_MAX     256u

struct elf_names;

struct elf_function {
    uint64_t start;          /* address */
    uint64_t before, after;  /* bytes before what was asked for, and from it
                                on, that have the same answer */
    char name[ELF_NAME_MAX]; /* "" if it has none */
};

/* Returns NULL if it is not an ELF file, or too large for so many bytes of
 * memory, or there is no memory. */
struct elf_names *elf_names_read(int fd, size_t bytes);
/* The same of a file in memory, which is not changed. */
struct elf_names *elf_names_of(const void *file, size_t size, size_t bytes);
/* Takes NULL. */
void elf_names_free(struct elf_names *names);

/* Has names take the symbols of another file with the same build-id, if it has
 * a table of all of them and names does not. */
void elf_names_add(struct elf_names *names, int fd, size_t bytes);
/* Returns whether there is a table of all symbols, not only of those that other
 * files use. */
bool elf_names_are_whole(const struct elf_names *names);

/* Returns how many bytes it takes. */
size_t elf_names_bytes(const struct elf_names *names);
/* Returns how many bytes the build-id has, 0 if there is none. */
size_t elf_names_build_id(const struct elf_names *names,
                          uint8_t ret[ELF_BUILD_ID_MAX]);
/* The same, of a file that is not read otherwise. */
size_t elf_build_id_read(int fd, uint8_t ret[ELF_BUILD_ID_MAX]);
/* Finds the address of code that lies there in the file. */
bool elf_names_address(const struct elf_names *names, uint64_t offset,
                       uint64_t *ret);
/* Finds the function that has the address.  Returns false, and a function
 * without a name, if no symbol covers it. */
bool elf_names_find(const struct elf_names *names, uint64_t address,
                    struct elf_function *ret);

#endif
