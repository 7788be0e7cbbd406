/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What DWARF's call frame information is written with.  Whoever wrote it may
 * have meant harm: nothing is read beyond a cursor's end.
 */
#ifndef XENOPROF_ROWS_CFI_BYTES_H
#define XENOPROF_ROWS_CFI_BYTES_H

#include "base/buffer.h"

/* Each returns the next number, or 0, and bad, if there is none. */
uint64_t cfi_fixed(struct cursor *from, size_t size); /* of 1, 2, 4, 8 bytes */
int64_t cfi_signed(struct cursor *from);              /* LEB128 */
static inline uint64_t cfi_unsigned(struct cursor *from)
{
    return get_number(from);
}

/* The section that a cursor is in. */
struct cfi_section {
    const uint8_t *bytes;
    size_t size;
    uint64_t address; /* where it is when the file is mapped */
    bool debug;       /* .debug_frame, else .eh_frame */
};

/* How addresses are written: DW_EH_PE_*. */
#define CFI_ABSOLUTE 0x00u

/* Whether cfi_address() can read that.  What goes through memory or counts
 * from a base that the file does not give cannot be read. */
bool cfi_encoding_known(uint8_t encoding);
/* Returns the next address; the encoding is known. */
uint64_t cfi_address(const struct cfi_section *section, struct cursor *from,
                     uint8_t encoding);
/* Returns the next length, which is written as addresses are, but counts from
 * nowhere. */
uint64_t cfi_length(struct cursor *from, uint8_t encoding);
/* Passes over an address in any encoding but those that would need to know
 * where it lies. */
void cfi_skip_address(struct cursor *from, uint8_t encoding);

#endif
