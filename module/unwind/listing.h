/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts as lists of instructions, each reduced to what it does to the stack
 * pointer, to rbp and to the flow. */
#ifndef XENOPROF_MODULE_UNWIND_LISTING_H
#define XENOPROF_MODULE_UNWIND_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xenoprof/unwind.h>

#include "base/vector.h"
#include "insn.h"

struct listing_text {
    uint64_t address;
    const uint8_t *bytes;
    size_t size;
    enum xenoprof_unwind_base base;
};

struct listing_symbol {
    uint64_t address;
    const char *name; /* bare: without its file */
};

struct listing {
    const struct listing_text *texts;
    size_t text_count;
    const struct listing_symbol *symbols; /* by address */
    size_t symbol_count;

    VECTOR(struct unwind_insn); /* by text, then by address */
    size_t text_first[XENOPROF_UNWIND_REGIONS + 1];
};

/*
 * Decodes texts, at most XENOPROF_UNWIND_REGIONS and none of them empty, and
 * starts again at each symbol.  Texts and symbols must outlive the listing.
 * Returns 0, -ENOMEM, or -ENOSYS if capstone cannot decode x86.
 */
int listing_read(struct listing *listing);

/* Also frees a listing that could not be read. */
void listing_free(struct listing *listing);

/* Returns the instruction at an address, or the one whose lock prefix a jump to
 * that address skips; or UNWIND_NOWHERE. */
uint32_t listing_at(const struct listing *listing, uint64_t address);

/* Returns the instruction that follows directly, or UNWIND_NOWHERE. */
uint32_t listing_next(const struct listing *listing, uint32_t insn);

/* Returns the first symbol at exactly that address, or NULL. */
const struct listing_symbol *listing_symbol_at(const struct listing *listing,
                                               uint64_t address);

/* Returns the last symbol that does not begin behind that instruction, or
 * NULL. */
const struct listing_symbol *listing_symbol_of(const struct listing *listing,
                                               uint32_t insn);

#endif
