/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images out of files that have a list of symbols: ELF, System.map, a copy of
 * /proc/kallsyms.
 */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_FILE_H
#define XENOPROF_GUEST_LINUX_IMAGE_FILE_H

#include "elf-memory.h"
#include "image.h"

/* Symbols as they come; addresses are the file's. */
struct gathered {
    struct symbol_list symbols;
    struct kallsyms_wanted marks[MARKS];
};

/* KERNEL_UNKNOWN: there are no symbols of code in it. */
enum kernel_code gather_elf(struct gathered *gathered, struct elf_memory *elf);
enum kernel_code gather_text(struct gathered *gathered, const char *text,
                             size_t size);
/* code: it names an instruction.  False: no memory, or too many. */
bool gather_symbol(struct gathered *gathered, uint64_t address, bool code,
                   const char *name, size_t length);

/* Takes the symbols over; the marks become distances from the image's base.
 * NULL: no memory. */
struct image *image_of_gathered(struct gathered *gathered);

/* Where the code is that a file's image shows, without marks. */
void image_take_segments(struct image *image, const struct elf_memory *elf);

/*
 * Where in memory image lies: at its own base or, for Linux, at another that
 * KASLR can choose.  elf may be NULL.  KERNEL_MISMATCH: nowhere; KERNEL_OK
 * also if nothing can be compared and address is in its code.
 */
enum kernel_code image_place(const struct image *image,
                             const struct elf_memory *elf,
                             struct guest_memory *memory, uint64_t address,
                             uint64_t *base);

#endif
