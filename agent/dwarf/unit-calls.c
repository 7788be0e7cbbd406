/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk over all entries of a unit, in their order; then the names of what
 * was called, each once.
 */
#include "unit-calls.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "base/table.h"
#include "dwarf-ranges.h"
#include "unit-names.h"

/* Entries in each other; compilers nest some dozens. */
#define LEVELS_MAX 256u

/* Of a row of children: */
struct unit_level {
    uint32_t depth; /* of calls in it */
    bool code;      /* a function that has code is around it */
};

struct called {
    uint64_t origin;
    uint32_t text;
};

struct unit_walk {
    struct dwarf_file *file;
    const struct unit_list *units;
    struct dwarf_unit unit;
    struct unit_calls *calls;
    struct table called; /* struct called */
    size_t most;         /* bytes */
    unsigned int levels;
    struct unit_level level[LEVELS_MAX];
};

static size_t bytes_of_calls(const struct unit_walk *walk)
{
    return walk->calls->pieces.count * sizeof(walk->calls->pieces.items[0]) +
           walk->calls->texts.used + walk->called.count * sizeof(struct called);
}

static void note_call_site(const struct dwarf_die *die,
                           struct unit_piece *piece)
{
    const struct dwarf_value *file = &die->values[SLOT_CALL_FILE];
    const struct dwarf_value *line = &die->values[SLOT_CALL_LINE];

    if ( file->class != DWARF_NUMBER || line->class != DWARF_NUMBER ||
         file->number > UINT32_MAX || line->number > INT32_MAX )
        return;
    piece->file = (uint32_t)file->number;
    piece->line = (uint32_t)line->number;
}

/* Adds the pieces of an entry; names are numbers of what was called + 1, for
 * now.  Returns how many there are, or -1 if there is no room. */
static int add_pieces(struct unit_walk *walk, const struct dwarf_die *die,
                      uint32_t depth, uint32_t name)
{
    struct dwarf_ranges ranges;
    int count = 0;

    dwarf_ranges_begin(walk->file, &walk->unit, die, &ranges);
    while ( dwarf_ranges_next(walk->file, &walk->unit, &ranges) )
    {
        struct unit_piece *piece = bytes_of_calls(walk) < walk->most
                                       ? vector_add(&walk->calls->pieces)
                                       : NULL;

        if ( !piece )
            return -1;
        *piece = (struct unit_piece){.low = ranges.low,
                                     .high = ranges.high,
                                     .name = name,
                                     .depth = depth};
        if ( name )
            note_call_site(die, piece);
        count++;
    }
    return count;
}

/* Returns the number + 1 of what was called, or 0. */
static uint32_t number_called(struct unit_walk *walk,
                              const struct dwarf_die *die)
{
    uint64_t origin;
    const struct called *called;

    if ( !dwarf_reference(&walk->unit, &die->values[SLOT_ORIGIN], &origin) )
        return 0;
    called = table_put(&walk->called, &origin);
    return called ? (uint32_t)table_index(&walk->called, called) + 1 : 0;
}

/* Takes an entry: *inner is the level that its children are of.  Returns false
 * if there is no room. */
static bool take_die(struct unit_walk *walk, const struct dwarf_die *die,
                     struct unit_level *inner)
{
    uint32_t called;
    int count = 0;

    if ( die->tag == TAG_SUBPROGRAM )
    {
        count = add_pieces(walk, die, 0, 0);
        *inner = (struct unit_level){.code = count > 0};
    }
    else if ( die->tag == TAG_INLINED && inner->code )
    {
        called = number_called(walk, die);
        count = called ? add_pieces(walk, die, inner->depth + 1, called) : 0;
        inner->depth += count > 0;
    }
    return count >= 0;
}

/* Returns false if the unit makes no sense or takes too much. */
static bool walk_entries(struct unit_walk *walk, const struct dwarf_die *first)
{
    uint64_t at = first->next;
    struct dwarf_die die;

    walk->levels = first->children;
    while ( walk->levels && at < walk->unit.end )
    {
        struct unit_level inner = walk->level[walk->levels - 1];

        if ( !dwarf_die_read(walk->file, &walk->unit, at, &die) )
            return false;
        at = die.next;
        if ( !die.tag )
        {
            walk->levels--;
            continue;
        }
        if ( !take_die(walk, &die, &inner) )
            return false;
        if ( die.children )
        {
            if ( walk->levels == LEVELS_MAX )
                return false;
            walk->level[walk->levels++] = inner;
        }
    }
    return true;
}

static int compare_origins(const void *left, const void *right)
{
    const struct called *const *a = left, *const *b = right;

    return (*a)->origin < (*b)->origin ? -1 : (*a)->origin > (*b)->origin;
}

/* In the order in which they are in the file, which is read by windows. */
static bool name_called(struct unit_walk *walk)
{
    struct buffer *texts = &walk->calls->texts;
    struct called **sorted = table_sorted(&walk->called, compare_origins);
    bool whole = sorted && buffer_append(texts, "", 1);

    for ( size_t i = 0; whole && i < walk->called.count; i++ )
    {
        char name[INLINED_NAME_MAX];

        sorted[i]->text = (uint32_t)texts->used;
        if ( !unit_name_read(walk->file, walk->units, &walk->unit,
                             sorted[i]->origin, name) )
            strcpy(name, "?");
        whole = bytes_of_calls(walk) < walk->most &&
                buffer_append(texts, name, strlen(name) + 1);
    }
    free(sorted);
    return whole;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct unit_piece *a = left, *b = right;

    if ( a->low != b->low )
        return a->low < b->low ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* Names are texts from now on. */
static void sort_pieces(struct unit_walk *walk)
{
    struct unit_calls *calls = walk->calls;

    for ( size_t i = 0; i < calls->pieces.count; i++ )
    {
        uint32_t *name = &calls->pieces.items[i].name;

        if ( *name )
            *name = ((struct called *)table_at(&walk->called, *name - 1))->text;
    }
    if ( calls->pieces.count )
        qsort(calls->pieces.items, calls->pieces.count,
              sizeof(calls->pieces.items[0]), compare_pieces);
}

/* They are held for long. */
static void give_room_back(struct unit_calls *calls)
{
    size_t size = calls->pieces.count * sizeof(calls->pieces.items[0]);
    void *items = size ? realloc(calls->pieces.items, size) : NULL;
    uint8_t *texts = realloc(calls->texts.bytes, calls->texts.used);

    if ( items )
    {
        calls->pieces.items = items;
        calls->pieces.room = calls->pieces.count;
    }
    if ( texts )
    {
        calls->texts.bytes = texts;
        calls->texts.room = calls->texts.used;
    }
}

bool unit_calls_read(struct dwarf_file *file, const struct unit_list *units,
                     uint64_t offset, size_t most, struct unit_calls *ret)
{
    struct unit_walk *walk = calloc(1, sizeof(*walk));
    struct dwarf_die first;
    bool whole;

    *ret = (struct unit_calls){.texts.used = 0};
    if ( !walk )
        return false;
    walk->file = file;
    walk->units = units;
    walk->calls = ret;
    walk->most = most;
    table_init(&walk->called, sizeof(uint64_t), sizeof(struct called));
    whole = dwarf_unit_read(file, offset, &walk->unit) &&
            dwarf_unit_enter(file, &walk->unit, true, &first) &&
            walk_entries(walk, &first) && name_called(walk);
    if ( whole )
    {
        sort_pieces(walk);
        give_room_back(ret);
    }
    else
        unit_calls_free(ret);
    table_free(&walk->called);
    free(walk);
    return whole;
}

void unit_calls_free(struct unit_calls *calls)
{
    vector_free(&calls->pieces);
    buffer_free(&calls->texts);
}

/* What is around a piece begins before it, and is less deep. */
void unit_calls_find(const struct unit_calls *calls, uint64_t address,
                     struct unit_chain *ret)
{
    const struct unit_piece *pieces = calls->pieces.items;
    uint32_t depth = UINT32_MAX;

    *ret = (struct unit_chain){.count = 0};
    for ( size_t i = sorted_until(pieces, calls->pieces.count, low, address);
          i-- && depth; )
    {
        const struct unit_piece *piece = &pieces[i];

        if ( address >= piece->high || piece->depth >= depth )
            continue;
        depth = piece->depth;
        if ( depth && ret->count < INLINED_MAX )
            ret->calls[ret->count++] = piece;
        if ( depth )
            ret->outer = piece;
    }
}
