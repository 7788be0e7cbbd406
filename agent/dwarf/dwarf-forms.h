/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How values are written, and what they mean. */
#ifndef XENOPROF_AGENT_DWARF_FORMS_H
#define XENOPROF_AGENT_DWARF_FORMS_H

#include "dwarf-abbrevs.h"
#include "rows/cfi/cfi-bytes.h"

/* What a value is of. */
enum dwarf_class {
    DWARF_NOTHING, /* not there, or of no use here */
    DWARF_NUMBER,
    DWARF_OFFSET, /* in another section */
    DWARF_ADDRESS,
    DWARF_ADDRESS_AT,   /* which of .debug_addr's */
    DWARF_LIST_AT,      /* which of .debug_rnglists' */
    DWARF_TEXT_HERE,    /* where in .debug_info */
    DWARF_TEXT,         /* where in .debug_str */
    DWARF_TEXT_LINE,    /* where in .debug_line_str */
    DWARF_TEXT_AT,      /* which of .debug_str_offsets' */
    DWARF_REFERENCE,    /* an entry, where in the unit */
    DWARF_REFERENCE_FAR /* the same, where in .debug_info */
};

struct dwarf_value {
    enum dwarf_class class;
    uint64_t number;
};

/* Sizes that differ from unit to unit. */
struct dwarf_sizes {
    uint8_t version, address, offset;
};

/* Reads the next value.  begin is at the offset start of .debug_info.  *from is
 * bad if it is cut off, or of a form that is not known. */
struct dwarf_value dwarf_value_read(struct cursor *from, const uint8_t *begin,
                                    uint64_t start,
                                    const struct dwarf_sizes *sizes,
                                    const struct dwarf_attribute *attribute);

#endif
