/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section of debug information, of which no more is in memory than what is
 * read: a window of the file; or all of it, if it had to be decompressed.
 */
#ifndef XENOPROF_AGENT_DWARF_SECTION_H
#define XENOPROF_AGENT_DWARF_SECTION_H

#include "base/buffer.h"

struct dwarf_section {
    int fd;               /* -1: all of it is in bytes */
    uint64_t offset;      /* in the file */
    uint64_t size;        /* 0: there is none */
    const uint8_t *bytes; /* of the section, from start on */
    uint64_t start;
    size_t have;
    uint8_t *window; /* malloc'ed, or NULL */
    size_t room;
    uint64_t *steps; /* the file's: what is read takes some */
};

/* Bytes that a window never exceeds, and so no entry. */
#define DWARF_WINDOW_MAX (64u << 10)

/* Returns the bytes from at on: want of them, or as many as the section, the
 * file, a window or the steps that are left have.  They are good until the next
 * call for the section. */
struct cursor dwarf_bytes(struct dwarf_section *section, uint64_t at,
                          size_t want);
/* Gives the window back. */
void dwarf_section_free(struct dwarf_section *section);

#endif
