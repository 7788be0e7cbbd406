/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which line of source the code of one unit is of. */
#ifndef XENOPROF_AGENT_DWARF_UNIT_LINES_H
#define XENOPROF_AGENT_DWARF_UNIT_LINES_H

#include "line-head.h"
#include "unit-calls.h"

/* What is at an address, up to the next row. */
struct line_row {
    uint64_t address;
    uint32_t file; /* its number in the unit */
    uint32_t line; /* 0: none */
};

/* Rows for a piece of code, by address. */
struct line_piece {
    uint64_t low, high;
    size_t first, count;
};

struct unit_lines {
    struct {
        VECTOR(struct line_row);
    } rows;
    struct {
        VECTOR(struct line_piece);
    } pieces; /* by low */
    struct {
        VECTOR(uint32_t);
    } paths;             /* of files by their number, where in texts; 0: none */
    struct buffer texts; /* zero-terminated */
};

/* A line; none has the path "" and the number 0. */
struct source_line {
    const char *path;
    uint32_t line;
};

/* Reads the lines of the unit at that offset, and the paths of the files that
 * they and its calls are in, in so many bytes at most.  Returns false, and
 * nothing, if that takes more, or steps than there are, or makes no sense.  A
 * unit that has no lines has an empty table. */
bool unit_lines_read(struct dwarf_file *file, uint64_t offset,
                     const struct unit_calls *calls, size_t most,
                     struct unit_lines *ret);
void unit_lines_free(struct unit_lines *lines);
/* Returns how many bytes it takes. */
size_t unit_lines_bytes(const struct unit_lines *lines);

/* Returns the line of an address; good as long as the lines are. */
struct source_line unit_lines_find(const struct unit_lines *lines,
                                   uint64_t address);
/* Returns the line of a call. */
struct source_line unit_lines_of_call(const struct unit_lines *lines,
                                      const struct unit_piece *call);

#endif
