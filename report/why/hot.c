/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hot.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

static void add_hot_cell(struct hot *hot, const struct stacks *stacks,
                         const struct cell *cell)
{
    const struct chain *chain = stacks_chain(stacks, cell->chain);
    struct hot_row key, *row;

    if ( !chain->count )
        return;
    memset(&key, 0, sizeof(key));
    key.key.frame = chain->key.frame;
    row = must(table_put(&hot->rows, &key));
    amount_add(&row->amount, cell_amount(cell));
}

static int compare_hot_rows(const void *left, const void *right)
{
    const struct hot_row *a = *(const struct hot_row *const *)left;
    const struct hot_row *b = *(const struct hot_row *const *)right;

    if ( a->amount.time != b->amount.time )
        return a->amount.time < b->amount.time ? 1 : -1;
    if ( a->amount.samples != b->amount.samples )
        return a->amount.samples < b->amount.samples ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

void hot_build(struct hot *hot, const struct loaded *loaded,
               const struct stacks *stacks)
{
    *hot = (struct hot){.sorted = NULL};
    table_init(&hot->rows, sizeof(((struct hot_row *)0)->key),
               sizeof(struct hot_row));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        hot->time_all += cell->time;
        if ( !cell->dropped && !cell_placeless(cell) )
            add_hot_cell(hot, stacks, cell);
    }
    hot->sorted = must(table_sorted(&hot->rows, compare_hot_rows));
}

void hot_free(struct hot *hot)
{
    table_free(&hot->rows);
    free(hot->sorted);
}
