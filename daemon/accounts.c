/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of each ring of a session, rings that are gone included. */
#include <string.h>

#include "accounts.h"

void accounts_init(struct accounts *accounts)
{
    *accounts = (struct accounts){0};
    id_table_init(&accounts->ids);
    table_init(&accounts->ended, sizeof(struct ended_key),
               sizeof(struct ended_rings));
}

void accounts_free(struct accounts *accounts)
{
    vector_free(accounts);
    id_table_deinit(&accounts->ids);
    table_free(&accounts->ended);
}

static uint32_t hash_of(const struct accounts *accounts,
                        const struct xenoprof_ring_info *info)
{
    uint64_t mixed = hash_mix(accounts->ids.seed, info->generation);

    return (uint32_t)hash_end(hash_mix(mixed, info->ring));
}

static bool is_of(const struct account *account,
                  const struct xenoprof_ring_info *info)
{
    return account->info.ring == info->ring &&
           account->info.generation == info->generation;
}

static struct account *find(const struct accounts *accounts,
                            const struct xenoprof_ring_info *info,
                            uint32_t hash)
{
    const struct id_slot *slot = id_first(&accounts->ids, hash);

    for ( ; slot->id; slot = id_after(&accounts->ids, slot) )
        if ( slot->hash == hash && is_of(&accounts->items[slot->id - 1], info) )
            return &accounts->items[slot->id - 1];
    return NULL;
}

struct account *accounts_get(struct accounts *accounts,
                             const struct xenoprof_ring_info *info)
{
    uint32_t hash = hash_of(accounts, info);
    struct account *account = find(accounts, info, hash);

    if ( account )
        return account;
    if ( !vector_reserve(accounts, 1) ||
         !id_table_add(&accounts->ids, hash, (uint32_t)accounts->count + 1) )
        return NULL;
    account = vector_add(accounts);
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
    account = accounts_get(accounts, &info);
    if ( account )
    {
        account->info = info;
        account->live = true;
    }
    return account;
}

uint64_t account_lost_daemon(const struct account *account)
{
    uint64_t kept = account->read + account->pending + account->fifo.count;

    if ( !account->broken )
        return account->dropped;
    return account->info.committed > kept ? account->info.committed - kept : 0;
}

uint64_t account_lost(const struct account *account)
{
    return account_lost_daemon(account) +
           xenoprof_lost_in_xen(account->info.lost);
}

static void add_account(struct account_totals *totals,
                        const struct account *account)
{
    totals->rings++;
    totals->made += account->info.made;
    totals->read += account->read;
    totals->lost += account_lost(account);
    for ( unsigned int c = 0; c < XENOPROF_CAUSES; c++ )
        totals->lost_by_cause[c] += xenoprof_cause_is_xens(c)
                                        ? account->info.lost[c]
                                        : account_lost_daemon(account);
}

static void add_totals(struct account_totals *totals,
                       const struct account_totals *more)
{
    totals->rings += more->rings;
    totals->made += more->made;
    totals->read += more->read;
    totals->lost += more->lost;
    for ( unsigned int c = 0; c < XENOPROF_CAUSES; c++ )
        totals->lost_by_cause[c] += more->lost_by_cause[c];
}

void accounts_total(const struct accounts *accounts, struct account_totals *ret)
{
    *ret = (struct account_totals){0};
    for ( size_t i = 0; i < accounts->count; i++ )
        add_account(ret, &accounts->items[i]);
    for ( size_t i = 0; i < accounts->ended.count; i++ )
    {
        const struct ended_rings *ended = table_at(&accounts->ended, i);

        add_totals(ret, &ended->totals);
    }
}

/* Returns the sum for this account's domain, or NULL if there is no memory. */
static struct ended_rings *sum_of(struct accounts *accounts,
                                  const struct account *account)
{
    struct ended_key key = {.domain = account->info.domain,
                            .kind = account->info.kind};
    const struct ended_key others = {.domain = ENDED_OTHERS};
    struct ended_rings *known;

    memcpy(key.uuid, account->info.uuid, sizeof(key.uuid));
    known = table_find(&accounts->ended, &key);
    if ( known )
        return known;
    return table_put(&accounts->ended, accounts->ended.count < ENDED_DOMAINS_MAX
                                           ? &key
                                           : &others);
}

static bool has_ended(const struct account *account)
{
    return !account->live && account->pending == 0 &&
           account->fifo.count == 0 &&
           account->info.state == XENOPROF_RING_CLOSED;
}

/* Moves the accounts that go on to the front.  Returns how many they are. */
static size_t sum_up(struct accounts *accounts)
{
    size_t kept = 0;

    for ( size_t i = 0; i < accounts->count; i++ )
    {
        const struct account *account = &accounts->items[i];
        struct ended_rings *sum = has_ended(account) ? sum_of(accounts, account)
                                                     : NULL;

        if ( sum )
            add_account(&sum->totals, account);
        else
            accounts->items[kept++] = *account;
    }
    return kept;
}

void accounts_retire(struct accounts *accounts)
{
    size_t ended = 0, kept;

    for ( size_t i = 0; i < accounts->count; i++ )
        ended += has_ended(&accounts->items[i]);
    if ( !ended )
        return;
    kept = sum_up(accounts);
    /* The others have new indices; there is room for each. */
    memset(accounts->ids.slots, 0,
           (accounts->ids.mask + 1) * sizeof(accounts->ids.slots[0]));
    accounts->ids.used = 0;
    accounts->count = kept;
    for ( size_t i = 0; i < kept; i++ )
        id_table_add(&accounts->ids,
                     hash_of(accounts, &accounts->items[i].info),
                     (uint32_t)i + 1);
}
