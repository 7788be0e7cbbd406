/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which ELF file it is, and where its code is mapped. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_ELF_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_ELF_H

#include "perf-format.h"

#define PERF_SEGMENTS 16u

struct perf_elf {
    struct perf_build_id id; /* of no bytes: it has none */
    struct {
        uint64_t offset, address, size;
    } segments[PERF_SEGMENTS]; /* that are loaded */
    unsigned int segment_count;
    bool whole; /* it has a table of all symbols */
};

/* Returns false if it is not an ELF file.  fd stays open. */
bool perf_elf_read(int fd, struct perf_elf *ret);
/* Finds the address of what is there in the file.  Returns false if it is not
 * loaded. */
bool perf_elf_address(const struct perf_elf *elf, uint64_t offset,
                      uint64_t *ret);

#endif
