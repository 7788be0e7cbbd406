/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of each ring of a session, rings that are gone included. */
#include "accounts.h"

void accounts_free(struct accounts *accounts)
{
    vector_free(accounts);
}

static bool is_of(const struct account *account,
                  const struct xenoprof_ring_info *info)
{
    return account->info.ring == info->ring &&
           account->info.generation == info->generation;
}

static struct account *find(struct accounts *accounts, size_t hint,
                            const struct xenoprof_ring_info *info)
{
    if ( hint < accounts->count && is_of(&accounts->items[hint], info) )
        return &accounts->items[hint];
    for ( size_t i = 0; i < accounts->count; i++ )
        if ( is_of(&accounts->items[i], info) )
            return &accounts->items[i];
    return NULL;
}

struct account *accounts_get(struct accounts *accounts, size_t hint,
                             const struct xenoprof_ring_info *info)
{
    struct account *account = find(accounts, hint, info);

    if ( account )
        return account;
    account = vector_add(accounts);
    if ( account )
        *account = (struct account){.info = *info, .live = true};
    return account;
}

struct account *accounts_now(struct accounts *accounts,
                             struct xenoprof_source *source, size_t index)
{
    struct xenoprof_ring_info info;
    struct account *account;

    if ( xenoprof_ring_info(source, index, &info) )
        return NULL;
    account = accounts_get(accounts, index, &info);
    if ( account )
    {
        account->info = info;
        account->live = true;
    }
    return account;
}

uint64_t account_lost_daemon(const struct account *account)
{
    uint64_t kept = account->read + account->pending;

    if ( !account->broken )
        return account->dropped;
    return account->info.committed > kept ? account->info.committed - kept : 0;
}

uint64_t account_lost(const struct account *account)
{
    return account_lost_daemon(account) +
           xenoprof_lost_in_xen(account->info.lost);
}

void accounts_total(const struct accounts *accounts, struct account_totals *ret)
{
    *ret = (struct account_totals){0};
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        const struct account *account = &accounts->items[i];

        ret->made += account->info.made;
        ret->read += account->read;
        ret->lost += account_lost(account);
        for ( unsigned int c = 0; c < XENOPROF_CAUSES; c++ )
            ret->lost_by_cause[c] += xenoprof_cause_is_xens(c)
                                         ? account->info.lost[c]
                                         : account_lost_daemon(account);
    }
}
