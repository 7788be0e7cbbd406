/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leaf-thunks.h"

#include "base/must.h"

#include <string.h>

/* As names begin, in Xen and in Linux. */
static const char *const thunks[] = {
    "__x86_return_thunk", "__x86_indirect_", "srso_",     "retbleed_",
    "its_return_thunk",   "zen_untrain_ret", "__fentry__"};

#define LATE_MOST 256u /* a kernel has some twenty; a file says what it likes */

bool symbol_is_thunk(const char *symbol)
{
    for ( size_t i = 0; i < sizeof(thunks) / sizeof(thunks[0]); i++ )
        if ( !strncmp(symbol, thunks[i], strlen(thunks[i])) )
            return true;
    return false;
}

static bool is_late(const struct late_thunks *late, uint64_t number)
{
    for ( size_t i = 0; late && i < late->count; i++ )
        if ( late->items[i] == number )
            return true;
    return false;
}

void thunk_note(struct late_thunks *late, struct loaded_place *place,
                const char *symbol, bool known)
{
    const bool thunk = symbol && symbol_is_thunk(symbol);
    const bool was_known = is_late(late, place->key.number);
    uint32_t *number;

    place->thunk = thunk || was_known;
    if ( !thunk || !known || was_known || !late || late->count == LATE_MOST )
        return;
    number = must(vector_add(late));
    *number = (uint32_t)place->key.number;
}

static bool passes(const struct loaded_place *place,
                   const struct loaded_place *caller)
{
    return place && place->thunk && caller && caller->mode == place->mode &&
           (caller->name.address || caller->name.symbol);
}

static const struct spot_node *loaded_node_at(const struct loaded *loaded,
                                              uint32_t node)
{
    return table_at(&loaded->nodes, node - 1);
}

static const struct loaded_place *spot_place_of(const struct loaded *loaded,
                                                uint32_t node)
{
    const uint32_t spot = loaded_node_at(loaded, node)->key.spot;

    return spot ? loaded_numbered(
                      &loaded->places,
                      ((const struct spot *)table_at(&loaded->spots, spot - 1))
                          ->place)
                : NULL;
}

/* Returns the node that a sample in one is of: its own, or a caller's. */
static uint32_t worker(const struct loaded *loaded, uint32_t node)
{
    const struct loaded_place *place = spot_place_of(loaded, node), *caller;
    uint32_t parent;

    while ( place && place->thunk &&
            (parent = loaded_node_at(loaded, node)->key.parent) )
    {
        caller = spot_place_of(loaded, parent);
        if ( !passes(place, caller) )
            break;
        place = caller;
        node = parent;
    }
    return node;
}

/* Returns whether its leaf was a thunk that is left out. */
static bool leave_thunk_out(const struct loaded *loaded,
                            struct loaded_call *call)
{
    const struct loaded_place *place = loaded_numbered(&loaded->places,
                                                       call->key.place);
    uint32_t leaf = 0, node;

    if ( !place || !place->thunk )
        return false;
    while ( leaf < XENOPROF_CHAINS && !call->key.nodes[leaf] )
        leaf++;
    if ( leaf == XENOPROF_CHAINS )
        return false;
    node = worker(loaded, call->key.nodes[leaf]);
    if ( node == call->key.nodes[leaf] )
        return false;
    call->key.nodes[leaf] = node;
    call->key.place = (uint32_t)spot_place_of(loaded, node)->key.number;
    return true;
}

/* Nothing is found by these keys any more: a cell is its call's. */
void thunks_leave_out(struct loaded *loaded)
{
    bool any = false;

    for ( size_t i = 0; i < loaded->calls.count; i++ )
        any |= leave_thunk_out(loaded, table_at(&loaded->calls, i));
    for ( size_t i = 0; any && i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.call )
            cell->key.place = ((const struct loaded_call *)table_at(
                                   &loaded->calls, cell->key.call - 1))
                                  ->key.place;
    }
}
