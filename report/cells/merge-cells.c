/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-cells.h"

#include "join-cells.h"
#include "report/model/account.h"

#define MERGE_FROM (1u << 18) /* new cells: 15 MB, and 8 MB of their counts */

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

/* Whom samples are of is looked up again, since counts lead to cells that are
 * gone. */
static void forget_counts(struct loader *loader)
{
    pair_counts_free(&loader->counts);
    table_free(&loader->whos);
    loader->turn++;
}

bool merge_cells(struct loader *loader)
{
    const struct join_rule rule = {loader->wanted.any_vcpu,
                                   loader->wanted.any_pcpu};
    struct loaded *loaded = loader->loaded;
    bool done;

    if ( !is_due(loader) )
        return true;
    load_settle_cells(loader);
    forget_counts(loader);
    done = account_settle(loaded) && join_cells(loaded, &rule);
    loader->merged = loaded->cells.count;
    return done;
}
