/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts that an entry of an ORC table has had: two offsets (CFA, bp) of
 * 16 bits and 16 bits of flags, which changed with Linux's versions.
 */
#ifndef XENOPROF_GUEST_LINUX_ORC_LAYOUT_H
#define XENOPROF_GUEST_LINUX_ORC_LAYOUT_H

#include <stddef.h>

#include "guest/unwind-row.h"

#define ORC_ENTRY_SIZE  6u
#define ORC_HEADER_SIZE 20u

/*
 * Named after the first version that has it.  Linux commits: ee9f8fce9964
 * ("x86/unwind: Add the ORC unwinder") (v4.14), ffb1b4a41016 ("x86/unwind/orc:
 * Add 'signal' field to ORC metadata") (v6.3), fb799447ae29 ("x86,objtool:
 * Split UNWIND_HINT_EMPTY in two") (v6.4), 1735858caa4b ("objtool/x86: Reorder
 * ORC register numbering") (v7.1).
 */
enum orc_layout {
    ORC_LAYOUT_UNKNOWN = 0,
    ORC_LAYOUT_4_14,
    ORC_LAYOUT_6_3,
    ORC_LAYOUT_6_4,
    ORC_LAYOUT_7_1,
    ORC_LAYOUTS
};

/* Returns the layout of kernel MAJOR.MINOR or, with a header of
 * ORC_HEADER_SIZE bytes, of that; UNKNOWN if no known kernel has the header,
 * or the kernel had no ORC. */
enum orc_layout orc_layout_of(unsigned int major, unsigned int minor,
                              const uint8_t *header);

/* Returns "4.14" for ORC_LAYOUT_4_14, "" for UNKNOWN. */
const char *orc_layout_name(enum orc_layout layout);

/* Decodes an entry; layout is not UNKNOWN.  Returns true, or false with an
 * UNDEFINED row if the layout has no such entry. */
bool orc_decode(enum orc_layout layout, const uint8_t *entry,
                struct unwind_row *ret);

#endif
