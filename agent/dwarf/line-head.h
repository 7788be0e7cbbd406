/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a unit's program of lines begins with: how it is written, and its
 * files. */
#ifndef XENOPROF_AGENT_DWARF_LINE_HEAD_H
#define XENOPROF_AGENT_DWARF_LINE_HEAD_H

#include "line-bytes.h"

/* A longer path is none. */
#define LINE_PATH_MAX 256u

/* Opcodes that take only numbers have their count in a table. */
#define LINE_OPCODES 256u

struct line_file {
    struct dwarf_value name;
    uint64_t folder; /* which of the folders */
};

struct line_head {
    struct line_bytes program;
    struct dwarf_sizes sizes;
    uint8_t step; /* of addresses */
    int8_t base;
    uint8_t range; /* not 0 */
    uint8_t first; /* special opcode; not 0 */
    uint8_t operands[LINE_OPCODES];
    struct {
        VECTOR(struct dwarf_value);
    } folders; /* the first is the compiler's */
    struct {
        VECTOR(struct line_file);
    } files; /* by their numbers; before version 5 the first is none */
};

/* Reads the head of the program at that offset of .debug_line, in so many bytes
 * at most.  folder is the compiler's, as the unit says.  Returns false if it
 * makes no sense. */
bool line_head_read(struct dwarf_file *file, uint64_t offset,
                    const struct dwarf_value *folder, size_t most,
                    struct line_head *ret);
void line_head_free(struct line_head *head);

/* Reads the path of the file with that number.  Returns false if there is
 * none. */
bool line_head_path(struct dwarf_file *file, const struct dwarf_unit *unit,
                    const struct line_head *head, uint64_t number,
                    char ret[LINE_PATH_MAX]);

#endif
