/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call says which function it was of (its origin), and that which declaration
 * it belongs to: either may have the name, and the names that C++ gives to
 * linkers tell more.
 */
#include "unit-names.h"

#include "base/sorted.h"

/* Entries that lead to each other. */
#define HOPS_MAX 8u

/* Has *unit be the one with that offset in it. */
static bool enter_unit(struct dwarf_file *file, const struct unit_list *units,
                       struct dwarf_unit *unit, uint64_t offset)
{
    const struct unit_row *row;
    struct dwarf_die first;
    size_t count;

    if ( offset >= unit->first && offset < unit->end )
        return true;
    count = sorted_until(units->items, units->count, offset, offset);
    row = count ? &units->items[count - 1] : NULL;
    if ( row && offset < row->end && dwarf_unit_read(file, row->offset, unit) &&
         dwarf_unit_enter(file, unit, true, &first) )
        return true;
    *unit = (struct dwarf_unit){.offset = 0};
    return false;
}

static bool next_entry(const struct dwarf_unit *unit,
                       const struct dwarf_die *die, uint64_t *ret)
{
    return dwarf_reference(unit, &die->values[SLOT_ORIGIN], ret) ||
           dwarf_reference(unit, &die->values[SLOT_SPECIFICATION], ret);
}

bool unit_name_read(struct dwarf_file *file, const struct unit_list *units,
                    struct dwarf_unit *unit, uint64_t offset, char *ret)
{
    struct dwarf_die die;
    bool found = false;
    unsigned int hops = 0;

    do
    {
        if ( !enter_unit(file, units, unit, offset) ||
             !dwarf_die_read(file, unit, offset, &die) )
            break;
        if ( dwarf_text(file, unit, &die.values[SLOT_LINKAGE], ret,
                        INLINED_NAME_MAX) )
            return true;
        if ( !found )
            found = dwarf_text(file, unit, &die.values[SLOT_NAME], ret,
                               INLINED_NAME_MAX);
    } while ( hops++ < HOPS_MAX && next_entry(unit, &die, &offset) );
    return found;
}
