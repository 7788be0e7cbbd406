/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program is run once; of rows that say the same one after the other the
 * first is kept.  Then paths are read, of those files alone that have rows or
 * calls.
 */
#include "unit-lines.h"

#include <stdlib.h>

#include "base/sorted.h"

/* DW_LNS_* and DW_LNE_* */
enum {
    LINE_EXTENDED,
    LINE_COPY,
    LINE_ADVANCE_PC,
    LINE_ADVANCE_LINE,
    LINE_SET_FILE,
    LINE_ADD_MOST = 8,
    LINE_ADVANCE_FIXED = 9
};
enum { LINE_END_SEQUENCE = 1, LINE_SET_ADDRESS = 2 };

struct line_machine {
    struct line_head head;
    struct unit_lines *lines;
    size_t most;  /* bytes */
    size_t first; /* row of the piece */
    bool sorted;  /* these are by address */
    uint64_t address;
    uint64_t file, line;
};

static void begin_piece(struct line_machine *machine)
{
    machine->first = machine->lines->rows.count;
    machine->sorted = true;
    machine->address = 0;
    machine->file = machine->line = 1;
}

size_t unit_lines_bytes(const struct unit_lines *lines)
{
    return lines->rows.room * sizeof(lines->rows.items[0]) +
           lines->pieces.room * sizeof(lines->pieces.items[0]) +
           lines->paths.room * sizeof(lines->paths.items[0]) +
           lines->texts.room;
}

/* Returns false if there is no room.  Of rows at one address the last one
 * counts. */
static bool add_line_row(struct line_machine *machine)
{
    struct unit_lines *lines = machine->lines;
    const bool known = machine->file < machine->head.files.count &&
                       machine->line <= INT32_MAX;
    const struct line_row row = {
        .address = machine->address,
        .file = known ? (uint32_t)machine->file : 0,
        .line = known ? (uint32_t)machine->line : 0,
    };
    struct line_row *last = lines->rows.count > machine->first
                                ? &lines->rows.items[lines->rows.count - 1]
                                : NULL;

    if ( last && row.address < last->address )
        machine->sorted = false;
    if ( last && row.file == last->file && row.line == last->line )
        return true;
    if ( !last || row.address != last->address )
        last = unit_lines_bytes(lines) < machine->most
                   ? vector_add(&lines->rows)
                   : NULL;
    if ( last )
        *last = row;
    return last;
}

/* Code that a linker left out begins at 0, or nowhere. */
static bool end_piece(struct line_machine *machine)
{
    struct unit_lines *lines = machine->lines;
    const struct line_row *first;
    struct line_piece *piece;

    if ( lines->rows.count == machine->first )
        return true;
    first = &lines->rows.items[machine->first];
    if ( !machine->sorted || !first->address ||
         first->address >= machine->address )
    {
        lines->rows.count = machine->first;
        return true;
    }
    piece = vector_add(&lines->pieces);
    if ( piece )
        *piece = (struct line_piece){first->address, machine->address,
                                     machine->first,
                                     lines->rows.count - machine->first};
    return piece;
}

static void advance(struct line_machine *machine, uint64_t steps)
{
    machine->address += steps * machine->head.step;
}

/* Returns false if there is no room. */
static bool run_extended(struct line_machine *machine)
{
    struct line_bytes *from = &machine->head.program;
    uint64_t size = take_number(from), next = from->at + size;
    bool room = true;

    if ( from->bad || !size || size > from->end - from->at )
    {
        from->bad = true;
        return true;
    }
    switch ( take_fixed(from, 1) )
    {
    case LINE_END_SEQUENCE:
        room = end_piece(machine);
        begin_piece(machine);
        break;
    case LINE_SET_ADDRESS:
        machine->address = size == 9 ? take_fixed(from, 8) : 0;
        break;
    default: break;
    }
    from->at = next;
    return room;
}

static bool run_standard(struct line_machine *machine, unsigned int opcode)
{
    const struct line_head *head = &machine->head;
    struct line_bytes *from = &machine->head.program;

    switch ( opcode )
    {
    case LINE_EXTENDED: return run_extended(machine);
    case LINE_COPY: return add_line_row(machine);
    case LINE_ADVANCE_PC: advance(machine, take_number(from)); break;
    case LINE_ADVANCE_LINE: machine->line += (uint64_t)take_signed(from); break;
    case LINE_SET_FILE: machine->file = take_number(from); break;
    case LINE_ADD_MOST:
        advance(machine, (LINE_OPCODES - 1 - head->first) / head->range);
        break;
    case LINE_ADVANCE_FIXED: machine->address += take_fixed(from, 2); break;
    default: /* of no use here */
        for ( unsigned int i = 0; i < head->operands[opcode]; i++ )
            take_number(from);
    }
    return true;
}

static bool run_special(struct line_machine *machine, unsigned int opcode)
{
    const struct line_head *head = &machine->head;

    opcode -= head->first;
    advance(machine, opcode / head->range);
    machine->line += (uint64_t)(head->base + (int)(opcode % head->range));
    return add_line_row(machine);
}

/* Returns false if it makes no sense, or takes too much. */
static bool run_program(struct dwarf_file *file, struct line_machine *machine)
{
    struct line_bytes *from = &machine->head.program;
    bool room = true;

    begin_piece(machine);
    while ( room && !from->bad && from->at < from->end )
    {
        unsigned int opcode = (unsigned int)take_fixed(from, 1);

        if ( !dwarf_step(file) )
            return false;
        room = opcode < machine->head.first ? run_standard(machine, opcode)
                                            : run_special(machine, opcode);
    }
    machine->lines->rows.count = machine->first; /* what has no end */
    return room && !from->bad;
}

static int compare_line_pieces(const void *left, const void *right)
{
    const struct line_piece *a = left, *b = right;

    return a->low < b->low ? -1 : a->low > b->low;
}

/* Puts the number of each file that is used at its place. */
static bool note_files(const struct line_machine *machine,
                       const struct unit_calls *calls)
{
    struct unit_lines *lines = machine->lines;
    const size_t count = machine->head.files.count;

    if ( unit_lines_bytes(lines) + count * sizeof(lines->paths.items[0]) >
             machine->most ||
         !vector_reserve(&lines->paths, count) )
        return false;
    memset(lines->paths.items, 0, count * sizeof(lines->paths.items[0]));
    lines->paths.count = count;
    for ( size_t i = 0; i < lines->rows.count; i++ )
        lines->paths.items[lines->rows.items[i].file] = 1;
    for ( size_t i = 0; i < calls->pieces.count; i++ )
        if ( calls->pieces.items[i].file < count )
            lines->paths.items[calls->pieces.items[i].file] = 1;
    return true;
}

static bool read_paths(struct dwarf_file *file, const struct dwarf_unit *unit,
                       const struct line_machine *machine)
{
    struct unit_lines *lines = machine->lines;
    bool room = buffer_append(&lines->texts, "", 1);
    char path[LINE_PATH_MAX];

    for ( size_t i = 0; room && i < lines->paths.count; i++ )
    {
        uint32_t *text = &lines->paths.items[i];

        if ( !*text )
            continue;
        *text = 0;
        if ( !dwarf_step(file) )
            return false;
        if ( !line_head_path(file, unit, &machine->head, i, path) )
            continue;
        *text = (uint32_t)lines->texts.used;
        room = unit_lines_bytes(lines) < machine->most &&
               buffer_append(&lines->texts, path, strlen(path) + 1);
    }
    return room;
}

static bool read_lines(struct dwarf_file *file, const struct dwarf_unit *unit,
                       const struct dwarf_die *first,
                       const struct unit_calls *calls,
                       struct line_machine *machine)
{
    const struct dwarf_value *at = &first->values[SLOT_LINES];
    struct unit_lines *lines = machine->lines;

    if ( !line_head_read(file, at->number, &first->values[SLOT_FOLDER],
                         machine->most, &machine->head) ||
         !run_program(file, machine) )
        return false;
    if ( !machine->head.files.count )
        return !lines->rows.count;
    if ( lines->pieces.count )
        qsort(lines->pieces.items, lines->pieces.count,
              sizeof(lines->pieces.items[0]), compare_line_pieces);
    return note_files(machine, calls) && read_paths(file, unit, machine);
}

/* They are held for long. */
static void fit_lines(struct unit_lines *lines)
{
    vector_fit(&lines->rows);
    vector_fit(&lines->pieces);
    vector_fit(&lines->paths);
    buffer_fit(&lines->texts);
}

bool unit_lines_read(struct dwarf_file *file, uint64_t offset,
                     const struct unit_calls *calls, size_t most,
                     struct unit_lines *ret)
{
    struct line_machine machine = {.lines = ret, .most = most};
    struct dwarf_unit unit;
    struct dwarf_die first;
    bool whole;

    *ret = (struct unit_lines){.texts.used = 0};
    if ( !dwarf_unit_read(file, offset, &unit) ||
         !dwarf_unit_enter(file, &unit, true, &first) )
        return false;
    if ( first.values[SLOT_LINES].class != DWARF_OFFSET &&
         first.values[SLOT_LINES].class != DWARF_NUMBER )
        return true;
    whole = read_lines(file, &unit, &first, calls, &machine);
    if ( whole )
        fit_lines(ret);
    else
        unit_lines_free(ret);
    line_head_free(&machine.head);
    return whole;
}

void unit_lines_free(struct unit_lines *lines)
{
    vector_free(&lines->rows);
    vector_free(&lines->pieces);
    vector_free(&lines->paths);
    buffer_free(&lines->texts);
}

static struct source_line line_in(const struct unit_lines *lines, uint32_t file,
                                  uint32_t line)
{
    uint32_t text = file < lines->paths.count ? lines->paths.items[file] : 0;

    if ( !text || !line )
        return (struct source_line){.path = ""};
    return (struct source_line){(const char *)lines->texts.bytes + text, line};
}

struct source_line unit_lines_find(const struct unit_lines *lines,
                                   uint64_t address)
{
    const struct line_piece *piece = lines->pieces.items;
    size_t at = sorted_until(piece, lines->pieces.count, low, address);
    const struct line_row *rows;

    if ( !at || address >= piece[at - 1].high )
        return (struct source_line){.path = ""};
    piece += at - 1;
    rows = lines->rows.items + piece->first;
    at = sorted_until(rows, piece->count, address, address);
    return line_in(lines, rows[at - 1].file, rows[at - 1].line);
}

struct source_line unit_lines_of_call(const struct unit_lines *lines,
                                      const struct unit_piece *call)
{
    return line_in(lines, call->file, call->line);
}
