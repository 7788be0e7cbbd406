/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-cells.h"

#include "join-cells.h"
#include "report/model/account.h"

#define MERGE_FROM  (1u << 18) /* cells: 15 MB, and 8 MB of their counts */
#define SETTLE_FROM (1u << 15) /* samples that are not settled: 0.8 MB */

static bool is_due(const struct loader *loader)
{
    size_t from = loader->merge_from ? loader->merge_from : MERGE_FROM;

    return (loader->wanted.any_vcpu || loader->wanted.any_pcpu) &&
           loader->loaded->cells.count >= from;
}

/* Whom samples are of is looked up again, since counts lead to cells that are
 * gone. */
static void forget_counts(struct loader *loader)
{
    pair_counts_free(&loader->counts);
    table_free(&loader->whos);
    loader->turn++;
}

/* Cells are found by their counts again, and not by their keys, which takes as
 * much memory. */
static bool find_by_counts(struct loader *loader)
{
    struct table *cells = &loader->loaded->cells;

    table_find_none(cells);
    for ( size_t i = 0; i < cells->count; i++ )
        if ( !load_find_again(loader, (uint32_t)i) )
            return false;
    return true;
}

static bool merge(struct loader *loader)
{
    const struct join_rule rule = {loader->wanted.any_vcpu,
                                   loader->wanted.any_pcpu};
    struct loaded *loaded = loader->loaded;

    load_settle_cells(loader);
    forget_counts(loader);
    if ( !account_settle(loaded) || !join_cells(loaded, &rule) ||
         !find_by_counts(loader) )
        return false;
    loaded->several = true;
    return true;
}

bool merge_cells(struct loader *loader)
{
    if ( loader->loaded->several )
        return loader->loaded->unsettled.count < SETTLE_FROM ||
               account_settle(loader->loaded);
    return !is_due(loader) || merge(loader);
}

bool merge_cells_last(struct loader *loader)
{
    load_settle_cells(loader);
    return !loader->loaded->several || account_settle(loader->loaded);
}
