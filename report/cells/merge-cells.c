/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-cells.h"

#include "report/model/account.h"

#include <stdlib.h>

#define MERGE_FROM (1u << 18) /* new cells: 27 MB, and 8 MB of their counts */

/* A session of fewer pCPUs has few cells that become one, and each merging
 * looks at all of them. */
#define PCPUS_MANY 64u

/* Each merging looks at all cells, so the more there are, the more rarely. */
static bool is_due(const struct loader *loader)
{
    size_t added = loader->loaded->cells.count - loader->merged;
    size_t from = loader->merge_from ? loader->merge_from : MERGE_FROM;

    if ( !loader->merge_from && loader->loaded->pcpus.count < PCPUS_MANY )
        return false;
    return (loader->wanted.any_vcpu || loader->wanted.any_pcpu) &&
           added >= from && added >= loader->merged / 2;
}

static struct cell_key merged_key(const struct loader *loader,
                                  const struct cell *cell)
{
    struct cell_key key = cell->key;

    if ( cell->settled && loader->wanted.any_vcpu )
        key.vcpu = CELL_SEVERAL;
    if ( cell->settled && loader->wanted.any_pcpu )
        key.pcpu = CELL_SEVERAL;
    return key;
}

/* Returns where a cell's samples are counted from now on, or NULL if there is
 * no memory.  A cell that is not settled, of a pCPU without an account or of
 * another type than time, takes in those like it that came later. */
static struct cell *merge(const struct loader *loader, struct table *cells,
                          const struct cell *cell)
{
    const struct cell_key key = merged_key(loader, cell);
    struct cell *to = table_put(cells, &key);

    if ( !to )
        return NULL;
    to->samples += cell->samples;
    to->ticks += cell->ticks;
    to->time += cell->time;
    to->settled = cell->settled;
    return to;
}

/* Returns false if there is no memory: it is all as before. */
static bool merge_all(struct loader *loader, uint32_t *moved)
{
    struct table *cells = &loader->loaded->cells, merged;
    bool done = true;

    table_init(&merged, cells->key_size, cells->entry_size);
    for ( size_t i = 0; done && i < cells->count; i++ )
    {
        const struct cell *to = merge(loader, &merged, table_at(cells, i));

        done = to;
        if ( done && moved )
            moved[i] = (uint32_t)table_index(&merged, to);
    }
    table_free(done ? cells : &merged);
    if ( done )
        *cells = merged;
    return done;
}

/* Whom samples are of is looked up again, since counts lead to cells that are
 * gone. */
static void forget_counts(struct loader *loader)
{
    pair_counts_free(&loader->counts);
    table_free(&loader->whos);
    loader->turn++;
}

static void move_moments(struct timeline *timeline, const uint32_t *moved)
{
    for ( size_t i = 0; i < timeline->count; i++ )
        timeline->moments[i].cell = moved[timeline->moments[i].cell];
}

bool merge_cells(struct loader *loader)
{
    struct loaded *loaded = loader->loaded;
    struct timeline *timeline = &loaded->timeline;
    uint32_t *moved = NULL;
    bool done;

    if ( !is_due(loader) )
        return true;
    load_settle_cells(loader);
    forget_counts(loader);
    if ( timeline->wanted )
        moved = calloc(loaded->cells.count, sizeof(*moved));
    done = (moved || !timeline->wanted) && account_settle(loaded) &&
           merge_all(loader, moved);
    if ( done && timeline->wanted )
        move_moments(timeline, moved);
    free(moved);
    loader->merged = loaded->cells.count;
    return done;
}
