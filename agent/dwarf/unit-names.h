/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an entry is called. */
#ifndef XENOPROF_AGENT_UNIT_NAMES_H
#define XENOPROF_AGENT_UNIT_NAMES_H

#include "dwarf-unit.h"

/* A longer name is none. */
#define INLINED_NAME_MAX 1024u

/* All units of a file, by offset. */
struct unit_row {
    uint64_t offset, end;
};

struct unit_list {
    VECTOR(struct unit_row);
};

/*
 * Reads the name of the entry at that offset of .debug_info, as linkers know
 * it if it says so, of less than INLINED_NAME_MAX bytes.  *unit was entered
 * last, or is all zeroes; it is the entry's then.  Returns false if it has
 * none.
 */
bool unit_name_read(struct dwarf_file *file, const struct unit_list *units,
                    struct dwarf_unit *unit, uint64_t offset, char *ret);

#endif
