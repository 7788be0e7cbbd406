/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of an ELF file.  Whoever wrote the file may have meant harm, and may
 * change it while it is read: it is read, not mapped, and nothing in it is
 * believed.
 */
#ifndef XENOPROF_ROWS_ELF_ROWS_H
#define XENOPROF_ROWS_ELF_ROWS_H

#include "rows/row-table.h"

enum elf_rows_status {
    ELF_ROWS_MADE,
    ELF_ROWS_NOT_ELF,    /* or damaged */
    ELF_ROWS_NOT_64,     /* not for x86-64, or with 32-bit addresses */
    ELF_ROWS_NOT_MAPPED, /* a relocatable file, which no process maps */
    ELF_ROWS_NO_CODE,    /* or the code lies apart by more than 4 GiB */
    ELF_ROWS_TOO_LARGE,  /* more rows than a table may have */
    ELF_ROWS_NO_MEMORY
};

/* Bytes of a section that are read, also once they are decompressed. */
#define ELF_ROWS_SECTION_MAX (64ul << 20)

/*
 * Makes the table of the file's code, from .eh_frame and, for what that does
 * not have, .debug_frame; of several of a name from the first.  A file without
 * either has a table that says nothing but where the program begins.  fd stays
 * open; its position is lost.  Unless it is NULL, bad gets the number of
 * functions that made no sense.
 */
enum elf_rows_status elf_rows(int fd, struct row_table **ret, size_t *bad);

/* The same of a file in memory, such as the vDSO; bytes are not changed. */
enum elf_rows_status elf_rows_of(const void *bytes, size_t size,
                                 struct row_table **ret, size_t *bad);

#endif
