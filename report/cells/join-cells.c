/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "join-cells.h"

#include "base/must.h"
#include "base/scope.h"
#include "own-cost.h"

#include <stdlib.h>
#include <string.h>

/* The profiler's own stay apart: reports say what they took. */
static bool is_own(const struct loaded *loaded, const struct cell_key *key)
{
    const struct loaded_thread *thread = table_at(&loaded->threads,
                                                  key->thread - 1);

    return comm_is_own(thread->key.comm);
}

/* Returns where a cell's samples are counted from now on; only has the only
 * cell of each call. */
static const struct cell *join(struct loaded *loaded,
                               const struct join_rule *rule,
                               const struct cell *cell, uint32_t *only)
{
    struct cell_key key = cell->key;
    struct cell *to;

    if ( rule->any_vcpu )
        key.vcpu = CELL_SEVERAL;
    if ( rule->any_pcpu )
        key.pcpu = CELL_SEVERAL;
    if ( rule->any_thread && key.thread && !cell_of_threads(loaded, cell) &&
         !is_own(loaded, &key) )
        key.thread = 0;
    to = must(table_put_only(&loaded->cells, &only[key.call], &key, 0));
    to->samples += cell->samples;
    to->ticks += cell->ticks;
    to->time += cell->time;
    to->square += cell->square;
    return to;
}

/* The table is filled anew from its own row: what was put never reaches beyond
 * what was taken. */
static void join_all(struct loaded *loaded, const struct join_rule *rule,
                     uint32_t *moved)
{
    struct table *cells = &loaded->cells;
    const size_t count = cells->count;
    uint32_t *only SCOPE_FREE = must(
        calloc(loaded->calls.count + 1, sizeof(*only)));

    table_find_none(cells);
    cells->count = 0;
    for ( size_t i = 0; i < count; i++ )
    {
        struct cell cell;
        const struct cell *to;

        memcpy(&cell, table_at(cells, i), CELL_COUNTED);
        to = join(loaded, rule, &cell, only);
        if ( moved )
            moved[i] = (uint32_t)table_index(cells, to) + 1;
    }
}

static void join_cells(struct loaded *loaded, const struct join_rule *rule)
{
    struct timeline *timeline = &loaded->timeline;
    uint32_t *moved = NULL;

    if ( timeline->wanted || loaded->log.wanted )
        moved = must(calloc(loaded->cells.count + 1, sizeof(*moved)));
    if ( rule->any_thread )
        loaded_find_threads(loaded);
    join_all(loaded, rule, moved);
    for ( size_t i = 0; moved && i < timeline->count; i++ )
        timeline->moments[i].cell = moved[timeline->moments[i].cell] - 1;
    if ( moved )
        sample_log_move(&loaded->log, moved);
    free(moved);
}

void join_cells_last(struct loaded *loaded, const struct join_rule *rule)
{
    if ( rule->any_vcpu || rule->any_pcpu || rule->any_thread )
        join_cells(loaded, rule);
    table_find_none(&loaded->cells);
    must_do(table_fit(&loaded->cells, CELL_CHAINED));
}
