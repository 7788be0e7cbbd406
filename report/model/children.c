/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "children.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

/* Cells that are alike in groups and chain. */
struct bundle {
    struct {
        uint64_t groups[LABELS];
        uint64_t chain;
    } key;
    struct amount amount;
};

static void bundle_cell(struct children *children, const struct cell *cell,
                        const struct label_list *groups)
{
    const struct amount amount = cell_amount(cell);
    struct bundle key, *bundle;

    memset(&key, 0, sizeof(key));
    for ( size_t i = 0; i < groups->count; i++ )
        key.key.groups[groups->label[i]] = label_value(cell, groups->label[i]);
    /* What has no functions is a row for each domain in any case. */
    if ( cell_placeless(cell) )
        key.key.groups[LABEL_DOMAIN] = cell->key.domain;
    key.key.chain = cell->chain;
    bundle = must(table_put(&children->bundles, &key));
    amount_add(&bundle->amount, amount);
    amount_add(&children->shown, amount);
}

/* number is the bundle's, from 1 on: a function that calls itself is met
 * again, and counted once. */
static void spread_bundle(struct children *children,
                          const struct stacks *stacks,
                          const struct bundle *bundle, uint64_t number)
{
    const struct chain *chain = stacks_chain(stacks,
                                             (uint32_t)bundle->key.chain);
    const uint32_t *frames = chain_frames(stacks, chain);

    for ( uint32_t i = 0; i < chain->count || i == 0; i++ )
    {
        struct child_row key, *row;

        memset(&key, 0, sizeof(key));
        memcpy(key.key.groups, bundle->key.groups, sizeof(key.key.groups));
        key.key.frame = chain->count ? frames[i] + 1u : 0;
        row = must(table_put(&children->rows, &key));
        row->absent = chain->count &&
                      frame_is_absent(stacks_frame(stacks, frames[i]));
        if ( i + 1 >= chain->count )
            amount_add(&row->self, bundle->amount);
        if ( row->last != number )
            amount_add(&row->total, bundle->amount);
        row->last = number;
    }
}

static int compare_child_rows(const void *left, const void *right)
{
    const struct child_row *a = *(const struct child_row *const *)left;
    const struct child_row *b = *(const struct child_row *const *)right;

    if ( a->absent != b->absent )
        return a->absent ? 1 : -1;
    if ( a->total.time != b->total.time )
        return a->total.time < b->total.time ? 1 : -1;
    if ( a->self.time != b->self.time )
        return a->self.time < b->self.time ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

void children_build(struct children *children, const struct loaded *loaded,
                    const struct stacks *stacks,
                    const struct label_list *groups)
{
    *children = (struct children){.sorted = NULL};
    table_init(&children->rows, sizeof(((struct child_row *)0)->key),
               sizeof(struct child_row));
    table_init(&children->bundles, sizeof(((struct bundle *)0)->key),
               sizeof(struct bundle));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        children->time_all += cell->time;
        if ( !cell->dropped )
            bundle_cell(children, cell, groups);
    }
    for ( size_t i = 0; i < children->bundles.count; i++ )
        spread_bundle(children, stacks, table_at(&children->bundles, i), i + 1);
    table_free(&children->bundles);
    children->sorted = must(table_sorted(&children->rows, compare_child_rows));
    children->functions = children->rows.count;
    while ( children->functions &&
            children->sorted[children->functions - 1]->absent )
        children->functions--;
}

void children_free(struct children *children)
{
    table_free(&children->rows);
    table_free(&children->bundles);
    free(children->sorted);
}
