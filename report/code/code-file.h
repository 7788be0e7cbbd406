/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with code: an ELF file (xen-syms, vmlinux, a kernel module, a
 * program), or a boot image with one in it (vmlinuz).  Its addresses are its
 * own; where it ran is not its matter.
 *
 * Symbols and lines also come from a file apart that it names (build-id,
 * .gnu_debuglink), below /usr/lib/debug.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_FILE_H
#define XENOPROF_REPORT_CODE_CODE_FILE_H

#include "code-elf.h"
#include "code-symbols.h"
#include "base/failure.h"

struct code_file;

/* Where a statement is. */
struct code_line {
    char *path; /* malloc'ed */
    int number;
};

/* STATUS_NO_CODE with a failure: it cannot be read, or is none. */
enum exit_status code_file_open(const char *path, struct code_file **ret,
                                struct failure *failure);
void code_file_close(struct code_file *file); /* may be NULL */

const char *code_file_path(const struct code_file *file);
/* Hexadecimal; "" if it has none. */
const char *code_file_build_id(const struct code_file *file);

/* Read when first asked for: STATUS_NO_CODE with a failure if there are
 * none. */
enum exit_status code_file_symbols(struct code_file *file,
                                   const struct code_symbols **ret,
                                   struct failure *failure);

/* Whether it has any; and for one that has none: others, taken over from
 * symbols.  False if there is no memory. */
bool code_file_has_symbols(struct code_file *file);
bool code_file_lend_symbols(struct code_file *file,
                            struct code_symbols *symbols);

/* As elf_code_bytes(). */
size_t code_file_bytes(struct code_file *file, uint64_t address,
                       const uint8_t **ret);

/* As elf_relocation(). */
bool code_file_relocated(struct code_file *file, uint64_t at,
                         struct relocated *ret);

/* False: not known, or no memory. */
bool code_file_line(struct code_file *file, uint64_t address,
                    struct code_line *ret);

#endif
