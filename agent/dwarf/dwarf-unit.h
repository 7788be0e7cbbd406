/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The units of .debug_info, and the entries in them. */
#ifndef XENOPROF_AGENT_DWARF_UNIT_H
#define XENOPROF_AGENT_DWARF_UNIT_H

#include "dwarf-data.h"
#include "dwarf-forms.h"

struct dwarf_unit {
    uint64_t offset, first, end; /* of it, and of its first entry, in
                                    .debug_info */
    uint64_t abbrevs;            /* in .debug_abbrev */
    struct dwarf_sizes sizes;
    bool code; /* it may have code: it is not one of types alone */
    /* Of its first entry: */
    uint64_t base;  /* address that lists of ranges count from */
    uint64_t texts; /* in .debug_str_offsets, .debug_addr, .debug_rnglists */
    uint64_t addresses;
    uint64_t lists;
};

/* An entry. */
struct dwarf_die {
    uint64_t offset, next; /* of it, and of what follows it */
    uint32_t tag;          /* 0: the end of a row of children */
    bool children;         /* they are what follows it */
    struct dwarf_value values[SLOTS];
};

/* Reads the head of the unit at that offset.  Returns false if there is none
 * that makes sense. */
bool dwarf_unit_read(struct dwarf_file *file, uint64_t offset,
                     struct dwarf_unit *ret);
/* Reads its first entry, and what all others count from: whole, or what is
 * needed to read others as well. */
bool dwarf_unit_enter(struct dwarf_file *file, struct dwarf_unit *unit,
                      bool whole, struct dwarf_die *ret);
/* Reads the entry at that offset of a unit that was entered.  Returns false if
 * it makes no sense, or no step is left. */
bool dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
                    uint64_t offset, struct dwarf_die *ret);

/* Each returns false if the value is of another class, or leads nowhere. */
bool dwarf_address(struct dwarf_file *file, const struct dwarf_unit *unit,
                   const struct dwarf_value *value, uint64_t *ret);
bool dwarf_reference(const struct dwarf_unit *unit,
                     const struct dwarf_value *value, uint64_t *ret);
/* Each reads a text of less than size bytes, which is not empty. */
bool dwarf_section_text(struct dwarf_section *section, uint64_t at, char *ret,
                        size_t size);
bool dwarf_text(struct dwarf_file *file, const struct dwarf_unit *unit,
                const struct dwarf_value *value, char *ret, size_t size);

#endif
