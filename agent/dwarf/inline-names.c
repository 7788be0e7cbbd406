/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inline-names.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/sorted.h"
#include "base/table.h"
#include "dwarf-file.h"
#include "dwarf-ranges.h"

/* Units of a file; a large browser has 30,000. */
#define UNITS_MAX (1u << 17)
/* Pieces of code that may lie around another unit's; linkers make none. */
#define AROUND_MAX 64u

/* A piece of code, and the unit that has it. */
struct unit_code {
    uint64_t low, high;
    uint64_t unit; /* its offset */
};

struct known_unit {
    uint64_t unit;
    struct unit_calls calls;
    struct unit_lines lines;
};

struct inline_names {
    struct dwarf_file *file; /* NULL: it rests */
    size_t most;
    struct unit_list units;
    struct {
        VECTOR(struct unit_code); /* by low */
    } code;
    struct table known; /* struct known_unit */
    size_t calls_bytes;
    uint64_t refused;
};

static void forget_units(struct inline_names *names)
{
    for ( size_t i = 0; i < names->known.count; i++ )
    {
        struct known_unit *known = table_at(&names->known, i);

        unit_calls_free(&known->calls);
        unit_lines_free(&known->lines);
    }
    table_free(&names->known);
    names->calls_bytes = 0;
}

void inline_names_free(struct inline_names *names)
{
    if ( !names )
        return;
    inline_names_rest(names);
    forget_units(names);
    vector_free(&names->units);
    vector_free(&names->code);
    free(names);
}

void inline_names_rest(struct inline_names *names)
{
    dwarf_file_close(names->file);
    names->file = NULL;
}

size_t inline_names_bytes(const struct inline_names *names)
{
    return sizeof(*names) + names->units.room * sizeof(names->units.items[0]) +
           names->code.room * sizeof(names->code.items[0]) +
           names->known.count * sizeof(struct known_unit) + names->calls_bytes;
}

uint64_t inline_names_refused(const struct inline_names *names)
{
    return names->refused;
}

static bool add_code(struct inline_names *names, const struct dwarf_unit *unit,
                     const struct dwarf_die *first)
{
    struct dwarf_ranges ranges;
    struct unit_code *code;

    dwarf_ranges_begin(names->file, unit, first, &ranges);
    while ( dwarf_ranges_next(names->file, unit, &ranges) )
    {
        code = names->code.count * sizeof(*code) < names->most / 4
                   ? vector_add(&names->code)
                   : NULL;
        if ( !code )
            return false;
        *code = (struct unit_code){ranges.low, ranges.high, unit->offset};
    }
    return true;
}

static int compare_code(const void *left, const void *right)
{
    const struct unit_code *a = left, *b = right;

    return a->low < b->low ? -1 : a->low > b->low;
}

/* What follows a unit that makes no sense is not read. */
static void read_units(struct inline_names *names)
{
    struct dwarf_unit unit = {.end = 0};
    struct dwarf_die first;
    bool room = true;

    while ( room && names->units.count < UNITS_MAX &&
            dwarf_unit_read(names->file, unit.end, &unit) )
    {
        struct unit_row *row = vector_add(&names->units);

        room = row;
        if ( !room )
            break;
        *row = (struct unit_row){unit.offset, unit.end};
        if ( dwarf_unit_enter(names->file, &unit, false, &first) &&
             first.tag == TAG_COMPILE_UNIT )
            room = add_code(names, &unit, &first);
    }
    names->refused += !names->file->steps || !room;
    if ( names->code.count )
        qsort(names->code.items, names->code.count,
              sizeof(names->code.items[0]), compare_code);
}

static void pay_for_unit(const struct inline_names *names, uint64_t *steps)
{
    uint64_t taken = INLINE_UNIT_STEPS - names->file->steps;

    *steps -= taken < *steps ? taken : *steps;
}

void inline_names_wake(struct inline_names *names, int fd)
{
    names->file = dwarf_file_open(fd, INLINE_DECOMPRESSED_MAX);
}

struct inline_names *inline_names_read(int fd, size_t most, uint64_t *steps)
{
    struct inline_names *names = calloc(1, sizeof(*names));

    if ( !names )
    {
        close(fd);
        return NULL;
    }
    table_init(&names->known, sizeof(uint64_t), sizeof(struct known_unit));
    names->most = most;
    inline_names_wake(names, fd);
    if ( names->file )
    {
        names->file->steps = INLINE_UNIT_STEPS;
        read_units(names);
        pay_for_unit(names, steps);
    }
    if ( names->code.count )
        return names;
    inline_names_free(names);
    return NULL;
}

/* Returns the unit's offset, or UINT64_MAX. */
static uint64_t find_unit(const struct inline_names *names, uint64_t address)
{
    const struct unit_code *code = names->code.items;
    size_t at = sorted_until(code, names->code.count, low, address);

    for ( size_t i = 0; i < AROUND_MAX && at > 0; i++ )
        if ( address < code[--at].high )
            return code[at].unit;
    return UINT64_MAX;
}

bool inline_names_know(const struct inline_names *names, uint64_t address)
{
    uint64_t unit = find_unit(names, address);

    return unit == UINT64_MAX || table_find(&names->known, &unit);
}

bool inline_names_rests(const struct inline_names *names)
{
    return !names->file;
}

static size_t calls_bytes(const struct unit_calls *calls)
{
    return calls->pieces.room * sizeof(calls->pieces.items[0]) +
           calls->texts.room;
}

/* A unit that cannot be read has no calls, or no lines, of which there are as
 * many as calls leave steps for.  Returns NULL if there is no memory. */
static struct known_unit *read_unit(struct inline_names *names, uint64_t unit,
                                    uint64_t *steps)
{
    struct unit_calls calls;
    struct unit_lines lines;
    struct known_unit *known;
    bool whole;

    if ( names->calls_bytes > names->most / 2 )
        forget_units(names);
    names->file->steps = INLINE_UNIT_STEPS;
    whole = unit_calls_read(names->file, &names->units, unit, names->most / 2,
                            &calls);
    whole &= unit_lines_read(names->file, unit, &calls, names->most / 2,
                             &lines);
    names->refused += !whole;
    pay_for_unit(names, steps);
    known = table_put(&names->known, &unit);
    if ( !known )
    {
        unit_calls_free(&calls);
        unit_lines_free(&lines);
        return NULL;
    }
    known->calls = calls;
    known->lines = lines;
    names->calls_bytes += calls_bytes(&calls) + unit_lines_bytes(&lines);
    return known;
}

static void find_chain(const struct known_unit *known, uint64_t address,
                       struct inline_chain *ret)
{
    struct unit_chain chain;

    unit_calls_find(&known->calls, address, &chain);
    ret->lines[0] = unit_lines_find(&known->lines, address);
    for ( ; ret->count < chain.count; ret->count++ )
    {
        const struct unit_piece *call = chain.calls[ret->count];

        ret->names[ret->count] = unit_calls_name(&known->calls, call);
        ret->lines[ret->count + 1] = unit_lines_of_call(&known->lines, call);
    }
    /* Where there are more, the function around all of them is the last. */
    if ( chain.outer )
        ret->lines[ret->count] = unit_lines_of_call(&known->lines, chain.outer);
}

void inline_names_find(struct inline_names *names, uint64_t address,
                       uint64_t *steps, struct inline_chain *ret)
{
    uint64_t unit = find_unit(names, address);
    struct known_unit *known = unit == UINT64_MAX
                                   ? NULL
                                   : table_find(&names->known, &unit);

    *ret = (struct inline_chain){.lines = {{.path = ""}}};
    if ( unit != UINT64_MAX && !known && names->file )
        known = read_unit(names, unit, steps);
    if ( known )
        find_chain(known, address, ret);
}
