/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of a file that lists them: ELF, System.map, /proc/kallsyms. */
#ifndef XENOPROF_GUEST_LINUX_FILE_SYMBOLS_H
#define XENOPROF_GUEST_LINUX_FILE_SYMBOLS_H

#include "guest/elf-memory.h"
#include "linux-image.h"

/* Addresses are the file's. */
struct file_symbols {
    struct symbol_list list; /* of code */
    struct kallsyms_wanted marks[MARKS];
};

/* Each returns KERNEL_OK, KERNEL_UNKNOWN if the file names no code, or
 * KERNEL_NO_MEMORY, also if there are too many. */
enum kernel_status gather_elf(struct file_symbols *symbols,
                              struct elf_memory *elf);
enum kernel_status gather_text(struct file_symbols *symbols, const char *text,
                               size_t size);

#endif
