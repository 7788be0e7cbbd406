/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which type of samples a report shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/scope.h"
#include "report/model/loaded.h"
#include "types.h"

#define LIST_MAX 512u

static void sum_types(struct loaded *loaded)
{
    struct types *types = &loaded->types;

    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        types->type[i].samples = types->type[i].amount = 0;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        struct sample_type *type = &types->type[cell->key.type];

        type->samples += cell->samples;
        type->amount += types_scaled(types, cell->key.type, cell->key.pcpu,
                                     cell->ticks);
    }
}

/* Returns time if there is any, else the first type that has samples. */
static uint16_t usual(const struct types *types)
{
    for ( uint16_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        if ( types->type[i].samples )
            return i;
    return XENOPROF_TYPE_TIME;
}

/* "time, cycles:k", as far as it fits: what samples are of. */
static void list_types(const struct types *types, char ret[LIST_MAX])
{
    size_t used = 0;

    ret[0] = '\0';
    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        const struct sample_type *type = &types->type[i];

        if ( type->samples && used + TYPE_TEXT + sizeof(", ") < LIST_MAX )
            used += (size_t)sprintf(ret + used, "%s%s", used ? ", " : "",
                                    type->name);
    }
}

/* Events are declared; time and waiting are there if there are samples, but for
 * a session that has none at all. */
static bool is_there(const struct types *types, uint16_t number)
{
    return (number >= XENOPROF_TYPE_EVENT && *types->type[number].name) ||
           types->type[number].samples ||
           (number == XENOPROF_TYPE_TIME && !types->type[usual(types)].samples);
}

enum exit_status types_choose(struct loaded *loaded, const char *path,
                              struct failure *failure)
{
    struct types *types = &loaded->types;
    char list[LIST_MAX];

    sum_types(loaded);
    types->shown = usual(types);
    if ( !types->wanted )
        return STATUS_DONE;
    for ( uint16_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        if ( !strcmp(types->type[i].name, types->wanted) && is_there(types, i) )
        {
            types->shown = i;
            return STATUS_DONE;
        }
    list_types(types, list);
    return fail(failure, STATUS_USAGE, "%s has no samples of %s: it has %s",
                path, types->wanted, *list ? list : "none");
}

/* Each moment's cell has another index now, or went. */
static void move_moments(struct timeline *timeline, const uint32_t *moved)
{
    size_t kept = 0;

    for ( size_t i = 0; i < timeline->count; i++ )
    {
        struct moment moment = timeline->moments[i];

        if ( !moved[moment.cell] )
            continue;
        moment.cell = moved[moment.cell] - 1;
        timeline->moments[kept++] = moment;
    }
    timeline->count = kept;
}

/* Puts the cells that are shown into kept, and where each went into moved:
 * index + 1. */
static void move_cells(const struct loaded *loaded, struct table *kept,
                       uint32_t *moved)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        struct cell *to;

        if ( cell->key.type != loaded->types.shown )
            continue;
        to = cell->key.call ? must(table_append(kept, &cell->key))
                            : must(table_put(kept, &cell->key));
        memcpy(to, cell, kept->entry_size);
        moved[i] = (uint32_t)kept->count;
    }
}

static bool has_others(const struct types *types)
{
    for ( uint16_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        if ( i != types->shown && types->type[i].samples )
            return true;
    return false;
}

void types_keep(struct loaded *loaded)
{
    struct table kept;
    uint32_t *moved SCOPE_FREE = NULL;
    bool done;

    if ( !has_others(&loaded->types) ||
         (loaded->types.all && !loaded->types.wanted) )
        return;
    table_init(&kept, loaded->cells.key_size, loaded->cells.entry_size);
    moved = must(calloc(loaded->cells.count + 1, sizeof(*moved)));
    move_cells(loaded, &kept, moved);
    done = true;
    move_moments(&loaded->timeline, moved);
    sample_log_move(&loaded->log, moved);
    table_free(done ? &loaded->cells : &kept);
    loaded->cells = kept;
}

void types_hide(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.type != loaded->types.shown )
            cell->samples = cell->ticks = cell->time = 0;
    }
}
