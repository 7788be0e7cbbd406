/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of an entry: one piece, or several. */
#ifndef XENOPROF_AGENT_DWARF_RANGES_H
#define XENOPROF_AGENT_DWARF_RANGES_H

#include "dwarf-unit.h"

struct dwarf_ranges {
    uint64_t low, high; /* the piece; low < high, and low is not 0 */
    /* of the list that is gone through: */
    uint64_t at, base;
    enum { RANGES_DONE, RANGES_ONE, RANGES_4, RANGES_5 } form;
};

/* Begins to go through an entry's pieces. */
void dwarf_ranges_begin(struct dwarf_file *file, const struct dwarf_unit *unit,
                        const struct dwarf_die *die, struct dwarf_ranges *ret);
/* Returns whether there is another one. */
bool dwarf_ranges_next(struct dwarf_file *file, const struct dwarf_unit *unit,
                       struct dwarf_ranges *ranges);

#endif
