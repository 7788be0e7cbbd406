/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

static void add_why_row(struct why *why, enum xen_reason reason,
                        const struct cell *cell)
{
    struct why_row key, *row;

    memset(&key, 0, sizeof(key));
    key.key.reason = reason;
    key.key.domain = cell->key.domain;
    row = must(table_put(&why->rows, &key));
    amount_add(&row->amount, cell_amount(cell));
}

static void add_function(struct why *why, enum xen_reason reason,
                         const struct cell *cell, uint32_t frame)
{
    struct why_function key, *function;

    memset(&key, 0, sizeof(key));
    key.key.reason = reason;
    key.key.domain = cell->key.domain;
    key.key.frame = frame;
    function = must(table_put(&why->functions, &key));
    amount_add(&function->amount, cell_amount(cell));
}

static void add_why_cell(struct why *why, const struct loaded *loaded,
                         const struct stacks *stacks,
                         const struct chain_reason *reasons,
                         const struct cell *cell)
{
    const struct chain *chain = stacks_chain(stacks, cell->chain);
    enum xen_reason reason = reason_of_cell(loaded, reasons, cell);

    amount_add(&why->by_reason[reason], cell_amount(cell));
    amount_add(&why->parts[reason][reasons[cell->chain].part],
               cell_amount(cell));
    amount_add(&why->xen, cell_amount(cell));
    if ( reason_is_known(reason) )
        amount_add(&why->known, cell_amount(cell));
    add_why_row(why, reason, cell);
    if ( chain->count )
        add_function(why, reason, cell, chain->key.frame);
}

static void add_cells(struct why *why, const struct loaded *loaded,
                      const struct stacks *stacks,
                      const struct chain_reason *reasons)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        why->time_all += cell->time;
        if ( cell->dropped )
            continue;
        amount_add(&why->shown, cell_amount(cell));
        if ( cell->key.domain == DOMAIN_INDEX_OTHER )
            why->other += cell->time;
        else if ( cell->key.mode == XENOPROF_MODE_XEN )
            add_why_cell(why, loaded, stacks, reasons, cell);
    }
}

static bool is_more(const struct amount *left, const struct amount *right)
{
    return left->time != right->time ? left->time > right->time
                                     : left->samples > right->samples;
}

static void order_reasons(struct why *why)
{
    for ( unsigned int i = 0; i < REASONS; i++ )
    {
        size_t at = why->reasons;

        if ( !amount_any(&why->by_reason[i]) )
            continue;
        for ( ; at && is_more(&why->by_reason[i],
                              &why->by_reason[why->order[at - 1]]);
              at-- )
            why->order[at] = why->order[at - 1];
        why->order[at] = (enum xen_reason)i;
        why->reasons++;
    }
}

/* Functions come as they were met, so equals stay in one order. */
static void find_top(struct why *why)
{
    for ( size_t i = 0; i < why->functions.count; i++ )
    {
        const struct why_function *function = table_at(&why->functions, i);
        const uint32_t key[2] = {function->key.reason, function->key.domain};
        struct why_row *row = table_find(&why->rows, key);

        for ( size_t at = 0; at < WHY_TOP; at++ )
        {
            const struct why_function *there = row->top[at];

            if ( there && !is_more(&function->amount, &there->amount) )
                continue;
            row->top[at] = function;
            function = there;
            if ( !function )
                break;
        }
    }
}

static int compare_why_rows(const void *left, const void *right)
{
    const struct why_row *a = *(const struct why_row *const *)left;
    const struct why_row *b = *(const struct why_row *const *)right;

    if ( a->rank != b->rank )
        return a->rank < b->rank ? -1 : 1;
    if ( is_more(&a->amount, &b->amount) )
        return -1;
    if ( is_more(&b->amount, &a->amount) )
        return 1;
    return a < b ? -1 : a > b;
}

static void sort_why_rows(struct why *why)
{
    uint32_t ranks[REASONS] = {0};

    for ( size_t i = 0; i < why->reasons; i++ )
        ranks[why->order[i]] = (uint32_t)i;
    for ( size_t i = 0; i < why->rows.count; i++ )
    {
        struct why_row *row = table_at(&why->rows, i);

        row->rank = ranks[row->key.reason];
    }
    why->sorted = must(table_sorted(&why->rows, compare_why_rows));
}

void why_build(struct why *why, const struct loaded *loaded,
               const struct stacks *stacks)
{
    struct chain_reason *reasons SCOPE_FREE = NULL;

    *why = (struct why){.sorted = NULL};
    table_init(&why->functions, sizeof(((struct why_function *)0)->key),
               sizeof(struct why_function));
    table_init(&why->rows, sizeof(((struct why_row *)0)->key),
               sizeof(struct why_row));
    reasons = reasons_find(loaded, stacks);
    add_cells(why, loaded, stacks, reasons);
    order_reasons(why);
    find_top(why);
    sort_why_rows(why);
}

enum xen_part why_most_of(const struct why *why, enum xen_reason reason)
{
    for ( unsigned int i = PART_none + 1; i < PARTS; i++ )
        if ( why->parts[reason][i].time &&
             why->parts[reason][i].time >= why->by_reason[reason].time / 2 )
            return (enum xen_part)i;
    return PART_none;
}

void why_free(struct why *why)
{
    table_free(&why->functions);
    table_free(&why->rows);
    free(why->sorted);
}
