/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table (include/xenoprof/unwind.h), checked once, so that an NMI
 * can use its numbers without checks.
 */
#ifndef XENOPROF_HYPERVISOR_UNWIND_CHECK_H
#define XENOPROF_HYPERVISOR_UNWIND_CHECK_H

#include <xenoprof/unwind.h>

#include "hypervisor/port.h"

struct unwind_text {
    uint64_t start; /* an absolute address, also for our own text */
    uint64_t length;
    const uint32_t *first_row; /* for each block, and one more */
};

/* Points into the bytes that were checked. */
struct unwind_table {
    uint32_t texts;
    struct unwind_text text[XENOPROF_UNWIND_REGIONS];
    const struct xenoprof_unwind_state *states;
    const struct xenoprof_unwind_row *rows;
};

/*
 * Checks every number in the size bytes at bytes (8-byte aligned), which must
 * not change afterwards; own_text is where our own text starts.  Returns true
 * with the table in *ret, or false if the table cannot be used.  [command]
 */
bool unwind_check(const void *bytes, uint64_t size, uint64_t own_text,
                  struct unwind_table *ret);

/* Returns the state of the last row in the block that starts at or before the
 * offset: there is one, and few lie behind it. [nmi] */
static inline const struct xenoprof_unwind_state *unwind_state_at(
    const struct unwind_table *table, const struct unwind_text *text,
    uint64_t offset)
{
    const uint64_t next = text->first_row[offset / XENOPROF_UNWIND_BLOCK + 1];
    const struct xenoprof_unwind_row *row = &table->rows[next - 1];

    while ( row->at > offset % XENOPROF_UNWIND_BLOCK )
        row--;
    return &table->states[row->state];
}

/* Returns the state at an address, or NULL if no text has it.  In this header,
 * to be inlined: a call for each frame would cost as much as the search.
 * [nmi] */
static inline const struct xenoprof_unwind_state *unwind_find(
    const struct unwind_table *table, uint64_t address)
{
    const struct unwind_text *text = table->text;

    /* Without texts the first has no length. */
    while ( address - text->start >= text->length )
        if ( ++text >= &table->text[table->texts] )
            return NULL;
    return unwind_state_at(table, text, address - text->start);
}

#endif
