/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "accounts.h"

void accounts_free(struct accounts *accounts)
{
    free(accounts->accounts);
    *accounts = (struct accounts){0};
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
    if ( hint < accounts->count && is_of(&accounts->accounts[hint], info) )
        return &accounts->accounts[hint];
    for ( size_t i = 0; i < accounts->count; i++ )
        if ( is_of(&accounts->accounts[i], info) )
            return &accounts->accounts[i];
    return NULL;
}

struct account *accounts_get(struct accounts *accounts, size_t hint,
                             const struct xenoprof_ring_info *info)
{
    struct account *account = find(accounts, hint, info);

    if ( account )
        return account;
    if ( accounts->count == accounts->room )
    {
        size_t room = accounts->room ? accounts->room * 2 : 32;

        account = reallocarray(accounts->accounts, room, sizeof(*account));
        if ( !account )
            return NULL;
        accounts->accounts = account;
        accounts->room = room;
    }
    account = &accounts->accounts[accounts->count++];
    *account = (struct account){.info = *info, .live = true};
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
        const struct account *account = &accounts->accounts[i];

        ret->made += account->info.made;
        ret->read += account->read;
        ret->lost += account_lost(account);
        for ( unsigned int c = 0; c < XENOPROF_CAUSES; c++ )
            ret->lost_by_cause[c] += xenoprof_cause_is_xens(c)
                                         ? account->info.lost[c]
                                         : account_lost_daemon(account);
    }
}
