/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kinds of entries a unit has, and what each kind says. */
#ifndef XENOPROF_AGENT_DWARF_ABBREVS_H
#define XENOPROF_AGENT_DWARF_ABBREVS_H

#include <stdint.h>

#include "base/vector.h"

struct dwarf_file;

/* Attributes that are looked at; the others are passed over. */
enum dwarf_slot {
    SLOT_NONE,
    SLOT_SIBLING,
    SLOT_NAME,
    SLOT_LINKAGE,
    SLOT_LOW,
    SLOT_HIGH,
    SLOT_RANGES,
    SLOT_ORIGIN,
    SLOT_SPECIFICATION,
    SLOT_TEXT_BASE,
    SLOT_ADDRESS_BASE,
    SLOT_LIST_BASE,
    SLOT_LINES,
    SLOT_FOLDER,
    SLOT_CALL_FILE,
    SLOT_CALL_LINE,
    SLOTS
};

/* Kinds of entries that are told apart. */
enum dwarf_tag {
    TAG_COMPILE_UNIT = 0x11,
    TAG_INLINED = 0x1d,
    TAG_SUBPROGRAM = 0x2e,
};

/* A form whose value is in the attribute. */
#define FORM_IMPLICIT_CONST 0x21

struct dwarf_attribute {
    int64_t constant; /* of FORM_IMPLICIT_CONST */
    uint16_t form;
    uint8_t slot; /* enum dwarf_slot */
};

struct dwarf_abbrev {
    uint64_t code;
    uint32_t tag;
    bool children;
    uint32_t first, count; /* of its attributes */
};

struct dwarf_abbrevs {
    uint64_t offset; /* in .debug_abbrev */
    bool whole;      /* all of them were read */
    struct {
        VECTOR(struct dwarf_abbrev);
    } kinds;
    struct {
        VECTOR(struct dwarf_attribute);
    } attributes;
};

/* Reads those at this offset, unless they were read last: all, or up to the
 * one with the code until.  Returns false if they make no sense. */
bool dwarf_abbrevs_read(struct dwarf_file *file, uint64_t offset,
                        uint64_t until);
/* Returns the one with that code, or NULL. */
const struct dwarf_abbrev *dwarf_abbrevs_find(struct dwarf_file *file,
                                              uint64_t code);
void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs);

#endif
