/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an object file (a kernel module) leaves to whoever loads it: where its
 * calls go.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_RELOCS_H
#define XENOPROF_REPORT_CODE_CODE_RELOCS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct relocated {
    const char *name; /* of what is elsewhere; NULL: it is in the file ... */
    uint64_t address; /* ... here */
};

/* Where the 4 bytes at an address of code, counted from their end, lead to.
 * False: nothing is left to do there. */
bool relocs_find(Elf *elf, uint64_t at, struct relocated *ret);

#endif
