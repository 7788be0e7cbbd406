/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piece of .debug_line that is read from its begin to its end.  What would go
 * beyond the end, or costs more steps than there are, is bad: 0 is read then,
 * and whatever follows.
 */
#ifndef XENOPROF_AGENT_DWARF_LINE_BYTES_H
#define XENOPROF_AGENT_DWARF_LINE_BYTES_H

#include "dwarf-unit.h"

struct line_bytes {
    struct dwarf_section *section;
    uint64_t at, end; /* in the section; end is in it, too */
    bool bad;
};

/* Each reads the next number, which has so many bytes, or as many as it
 * says. */
uint64_t take_fixed(struct line_bytes *from, size_t size);
uint64_t take_number(struct line_bytes *from);
int64_t take_signed(struct line_bytes *from);
void skip_line_bytes(struct line_bytes *from, uint64_t size);
/* Reads the next text, which has less than PATH_MAX bytes.  Returns where it
 * begins; *empty: it is "". */
uint64_t take_text(struct line_bytes *from, bool *empty);
/* Reads the next value of a form. */
struct dwarf_value take_value(struct line_bytes *from,
                              const struct dwarf_sizes *sizes, uint64_t form);

#endif
