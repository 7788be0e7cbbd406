/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel in a boot image, or Xen.  Its only symbols are those in its own
 * kallsyms, or in the table from which Xen prints its own.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_PACKED_H
#define XENOPROF_REPORT_CODE_CODE_PACKED_H

#include "code-symbols.h"

#include "guest/unpack.h"

/* All zeroes: the file is not packed. */
struct packed {
    uint8_t *file; /* NULL: not packed */
    size_t size;
    struct unpacked kernel; /* the ELF file inside */
};

/* If *fd is not ELF for 64 bits, replace it with the file packed inside.
 * Returns false if that cannot be read. */
bool packed_open(struct packed *packed, int *fd);
/* Add the kernel's symbols, none if the file is not such an image. */
void packed_symbols(const struct packed *packed, struct code_symbols *symbols);
void packed_close(struct packed *packed);

#endif
