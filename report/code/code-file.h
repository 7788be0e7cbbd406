/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with code: an ELF file (xen-syms, vmlinux, a kernel module, a
 * program), or a boot image with an ELF file inside (vmlinuz, xen.gz).  All
 * addresses are the file's own; code-fit.h finds where it ran.
 *
 * Symbols and lines also come from a separate file below /usr/lib/debug, found
 * by build-id or .gnu_debuglink.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_FILE_H
#define XENOPROF_REPORT_CODE_CODE_FILE_H

#include "code-elf.h"
#include "code-symbols.h"
#include "base/failure.h"

struct code_file;

/* A line of source. */
struct code_line {
    char *path; /* malloc'ed */
    int number;
};

/* Returns STATUS_DONE, or STATUS_NO_CODE with a failure if path cannot be read
 * or is not such a file. */
enum exit_status code_file_open(const char *path, struct code_file **ret,
                                struct failure *failure);
void code_file_close(struct code_file *file); /* may be NULL */

const char *code_file_path(const struct code_file *file);
/* Returns the build-id in hexadecimal, or "". */
const char *code_file_build_id(const struct code_file *file);

/* Read the symbols, at the first call.  Returns STATUS_DONE, or STATUS_NO_CODE
 * with a failure if there are none. */
enum exit_status code_file_symbols(struct code_file *file,
                                   const struct code_symbols **ret,
                                   struct failure *failure);

/* Returns whether the file has symbols. */
bool code_file_has_symbols(struct code_file *file);
/* Give a file without symbols these, which it owns from now on. */
void code_file_lend_symbols(struct code_file *file,
                            struct code_symbols *symbols);

/* As elf_code_bytes(). */
size_t code_file_bytes(struct code_file *file, uint64_t address,
                       const uint8_t **ret);

/* As elf_relocation(). */
bool code_file_relocated(struct code_file *file, uint64_t at,
                         struct relocated *ret);

/* Find the line of an address.  Returns false if it is not known. */
bool code_file_line(struct code_file *file, uint64_t address,
                    struct code_line *ret);

#endif
