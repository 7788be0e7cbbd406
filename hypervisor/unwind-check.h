/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table (include/xenoprof/unwind.h), checked once, so that an NMI
 * can look things up in it without looking at its numbers twice.
 */
#ifndef XENOPROF_HYPERVISOR_UNWIND_CHECK_H
#define XENOPROF_HYPERVISOR_UNWIND_CHECK_H

#include <xenoprof/unwind.h>

#include "port.h"

struct unwind_text {
    uint64_t start; /* an address, also of our own text */
    uint64_t length;
    const uint32_t *first_row; /* of its blocks, and one more */
};

/* Points into the bytes it was made from. */
struct unwind_table {
    uint32_t texts;
    struct unwind_text text[XENOPROF_UNWIND_REGIONS];
    const struct xenoprof_unwind_state *states;
    const struct xenoprof_unwind_row *rows;
};

/*
 * Check every number in the size bytes at bytes (8-byte aligned), which must
 * not change afterwards; own_text is where our own text starts.  False: it is
 * no table that can be used.  [command]
 */
bool unwind_check(const void *bytes, uint64_t size, uint64_t own_text,
                  struct unwind_table *ret);

/* The row of an address, or NULL: in none of the texts. [nmi] */
const struct xenoprof_unwind_state *unwind_find(
    const struct unwind_table *table, uint64_t address);

#endif
