/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a section of call frame information: each function's (FDE),
 * and what functions have in common (CIE).
 */
#ifndef XENOPROF_ROWS_CFI_ENTRY_H
#define XENOPROF_ROWS_CFI_ENTRY_H

#include "cfi-bytes.h"

/* Instructions of a CIE that are read; compilers write ten bytes.  They are
 * run for each function, so the time of a section is bounded by its size. */
#define CFI_CIE_MAX 256u

struct cfi_entry {
    size_t offset; /* in the section */
    bool common;   /* a CIE */
    size_t cie;    /* of an FDE: where its CIE is said to be */
    struct cursor body;
};

struct cfi_cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding; /* of addresses; known */
    bool augmented;   /* FDEs say how long their augmentation is */
    bool signal;      /* its functions are signal frames */
    struct cursor instructions;
};

struct cfi_fde {
    uint64_t start, end; /* start < end */
    struct cursor instructions;
};

/* Returns whether there is another entry; from began at the section's start.
 * What follows an entry that reaches beyond the section is not read. */
bool cfi_next_entry(const struct cfi_section *section, struct cursor *from,
                    struct cfi_entry *ret);
/* Returns false if there is no CIE at that offset, or one that cannot be
 * read. */
bool cfi_read_cie(const struct cfi_section *section, size_t offset,
                  struct cfi_cie *ret);
/* Returns false if the entry makes no sense or is of no code. */
bool cfi_read_fde(const struct cfi_section *section, const struct cfi_cie *cie,
                  const struct cfi_entry *entry, struct cfi_fde *ret);

#endif
