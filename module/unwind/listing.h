/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts read into instructions, of which only what they do to the stack
 * pointer, to rbp and to the flow is kept.
 */
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
    const char *name; /* bare: without a file before it */
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
 * Decodes texts (at most XENOPROF_UNWIND_REGIONS, none empty), starting again
 * at each symbol.  All that is given must outlive the code.  Returns 0,
 * -ENOMEM, or -ENOSYS: capstone cannot decode x86.
 */
int listing_read(struct listing *listing);

/* Also of a code that could not be read. */
void listing_free(struct listing *listing);

/* The instruction that begins at an address, or whose lock prefix a jump to
 * that address leaves out; UNWIND_NOWHERE: none. */
uint32_t listing_at(const struct listing *listing, uint64_t address);

/* The instruction behind one, if it lies directly there. */
uint32_t listing_next(const struct listing *listing, uint32_t insn);

/* The symbol at an address exactly, the first of several; NULL: none. */
const struct listing_symbol *listing_symbol_at(const struct listing *listing,
                                               uint64_t address);

#endif
