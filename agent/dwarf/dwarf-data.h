/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's debug information (DWARF 2 to 5) while it is read.
 *
 * Whoever runs a program chose the bytes of its file.  So nothing in it is
 * believed, and whatever is done with it takes steps, of which there are so
 * many and no more; and so do the bytes that are read.
 */
#ifndef XENOPROF_AGENT_DWARF_DATA_H
#define XENOPROF_AGENT_DWARF_DATA_H

#include <libelf.h>

#include "dwarf-abbrevs.h"
#include "dwarf-section.h"

enum dwarf_section_number {
    DWARF_INFO,
    DWARF_ABBREV,
    DWARF_STR,
    DWARF_LINE_STR,
    DWARF_LINE,
    DWARF_RANGES,
    DWARF_RNGLISTS,
    DWARF_ADDR,
    DWARF_STR_OFFSETS,
    DWARF_SECTIONS
};

struct dwarf_file {
    int fd;         /* our own */
    Elf *elf;       /* has what was decompressed */
    size_t bytes;   /* of that */
    uint64_t steps; /* that may still be taken */
    struct dwarf_section sections[DWARF_SECTIONS];
    struct dwarf_abbrevs abbrevs; /* that were read last */
};

/* Takes a step.  Returns false if there is none left. */
static inline bool dwarf_step(struct dwarf_file *file)
{
    return file->steps && file->steps--;
}

#endif
