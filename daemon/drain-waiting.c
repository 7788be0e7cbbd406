/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits in the rings for guests' kernels. */
#include "drain.h"

/* Returns the samples that Xen committed and that were not read. */
static uint64_t unread(const struct account *account)
{
    uint64_t taken = account->read + account->pending + account->dropped;

    return account->info.committed > taken ? account->info.committed - taken
                                           : 0;
}

void drain_waiting(const struct drain *drain, struct spool_waiting *ret)
{
    struct table guests;

    *ret = (struct spool_waiting){0};
    table_init(&guests, sizeof(((struct account *)0)->info.uuid),
               sizeof(((struct account *)0)->info.uuid));
    for ( size_t i = 0; i < drain->accounts.count; i++ )
    {
        const struct account *account = &drain->accounts.items[i];
        const struct xenoprof_ring_info *info = &account->info;

        if ( !account->waits || account->broken || !unread(account) )
            continue;
        ret->samples += unread(account);
        ret->bytes += info->producer - info->position;
        table_put(&guests, info->uuid);
    }
    ret->guests = (unsigned int)guests.count;
    table_free(&guests);
}
