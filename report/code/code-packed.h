/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot images: the kernel in them, which has no symbols as ELF has them but
 * those that it carries for itself.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_PACKED_H
#define XENOPROF_REPORT_CODE_CODE_PACKED_H

#include "code-symbols.h"

#include "guest/unpack.h"

/* All zero: it was not packed. */
struct packed {
    uint8_t *file; /* NULL: not packed */
    size_t size;
    struct unpacked kernel; /* what is in it */
};

/* If *fd is no ELF file: put in its place what is packed in it.  False: it
 * cannot be read, or there is no memory. */
bool packed_open(struct packed *packed, int *fd);
/* False if there is no memory; nothing is added if it was not packed, or has
 * no symbols. */
bool packed_symbols(const struct packed *packed, struct code_symbols *symbols);
void packed_close(struct packed *packed);

#endif
