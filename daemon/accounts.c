/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of each ring of a session, rings that are gone included. */
#include <stdlib.h>
#include <string.h>

#include "accounts.h"

void accounts_init(struct accounts *accounts)
{
    *accounts = (struct accounts){0};
    id_table_init(&accounts->ids);
    id_table_init(&accounts->vcpus);
    ring_sums_init(&accounts->ended);
}

void accounts_free(struct accounts *accounts)
{
    for ( size_t i = 0; i < accounts->count; i++ )
        free(accounts->items[i].last);
    vector_free(accounts);
    vector_free(&accounts->places);
    id_table_deinit(&accounts->ids);
    id_table_deinit(&accounts->vcpus);
    table_free(&accounts->ended);
}

static uint32_t hash_of_ring(const struct accounts *accounts,
                             const struct xenoprof_ring_info *info)
{
    uint64_t mixed = hash_mix(accounts->ids.seed, info->generation);

    return (uint32_t)hash_end(hash_mix(mixed, info->ring));
}

static uint32_t hash_of_vcpu(const struct accounts *accounts, uint16_t domain,
                             uint16_t vcpu)
{
    return (uint32_t)hash_end(
        hash_mix(accounts->vcpus.seed, (uint32_t)domain << 16 | vcpu));
}

/* An account that is not found by its vCPU, for want of memory, is found by its
 * ring. */
static void add_to_vcpus(struct accounts *accounts, size_t index)
{
    const struct xenoprof_ring_info *info = &accounts->items[index].info;

    if ( info->kind == XENOPROF_RING_VCPU )
        id_table_add(&accounts->vcpus,
                     hash_of_vcpu(accounts, info->domain, info->vcpu),
                     (uint32_t)index + 1);
}

static bool is_account_of(const struct account *account,
                          const struct xenoprof_ring_info *info)
{
    return account->info.ring == info->ring &&
           account->info.generation == info->generation;
}

static struct account *add_ring_account(struct accounts *accounts,
                                        const struct xenoprof_ring_info *info,
                                        uint32_t hash)
{
    struct stack_last *last = calloc(1, sizeof(*last));
    struct account *account;

    if ( !last || !vector_reserve(accounts, 1) ||
         !id_table_add(&accounts->ids, hash, (uint32_t)accounts->count + 1) )
    {
        free(last);
        return NULL;
    }
    account = vector_add(accounts);
    *account = (struct account){
        .info = *info, .last = last, .live = true, .changed = true};
    add_to_vcpus(accounts, accounts->count - 1);
    return account;
}

struct account *accounts_get(struct accounts *accounts,
                             const struct xenoprof_ring_info *info)
{
    uint32_t hash = hash_of_ring(accounts, info);
    const struct id_slot *slot = id_first(&accounts->ids, hash);

    for ( ; slot->id; slot = id_after(&accounts->ids, slot) )
        if ( slot->hash == hash &&
             is_account_of(&accounts->items[slot->id - 1], info) )
            return &accounts->items[slot->id - 1];
    return add_ring_account(accounts, info, hash);
}

/* A ring's account is where it was the last time, mostly. */
static struct account *get_ring_account(struct accounts *accounts, size_t index,
                                        const struct xenoprof_ring_info *info)
{
    size_t at = index < accounts->places.count ? accounts->places.items[index]
                                               : accounts->count;
    struct account *account;

    if ( at < accounts->count && is_account_of(&accounts->items[at], info) )
        return &accounts->items[at];
    account = accounts_get(accounts, info);
    /* Its place, if there is no memory for it, is looked for again. */
    while ( accounts->places.count <= index &&
            vector_reserve(&accounts->places, 1) )
        accounts->places.items[accounts->places.count++] = 0;
    if ( account && index < accounts->places.count )
        accounts->places.items[index] = (uint32_t)(account - accounts->items);
    return account;
}

struct account *accounts_now(struct accounts *accounts,
                             struct xenoprof_source *source, size_t index)
{
    struct xenoprof_ring_info info;
    struct account *account;

    if ( xenoprof_ring_info(source, index, &info) )
        return NULL;
    account = get_ring_account(accounts, index, &info);
    if ( account )
    {
        account->info = info;
        account->live = account->changed = true;
    }
    return account;
}

bool accounts_list(struct accounts *accounts, struct xenoprof_source *source)
{
    const size_t rings = xenoprof_source_rings(source);

    for ( size_t i = 0; i < accounts->count; i++ )
        accounts->items[i].live = false;
    for ( size_t i = 0; i < rings; i++ )
        if ( !accounts_now(accounts, source, i) )
            return false;
    return true;
}

bool accounts_update(struct accounts *accounts, struct xenoprof_source *source)
{
    const size_t rings = xenoprof_source_rings(source);

    for ( size_t i = 0; i < rings; i++ )
    {
        xenoprof_ring_expect(source, i + RINGS_EXPECTED);
        if ( xenoprof_ring_changed(source, i) &&
             !accounts_now(accounts, source, i) )
            return false;
    }
    return true;
}

static bool is_of_vcpu(const struct account *account, uint16_t domain,
                       uint16_t vcpu)
{
    const struct xenoprof_ring_info *info = &account->info;

    return account->live && info->kind == XENOPROF_RING_VCPU &&
           info->domain == domain && info->vcpu == vcpu &&
           info->state != XENOPROF_RING_CLOSED;
}

struct account *accounts_of_vcpu(const struct accounts *accounts,
                                 uint16_t domain, uint16_t vcpu)
{
    uint32_t hash = hash_of_vcpu(accounts, domain, vcpu);
    const struct id_slot *slot = id_first(&accounts->vcpus, hash);

    for ( ; slot->id; slot = id_after(&accounts->vcpus, slot) )
        if ( slot->hash == hash &&
             is_of_vcpu(&accounts->items[slot->id - 1], domain, vcpu) )
            return &accounts->items[slot->id - 1];
    return NULL;
}

uint64_t account_lost_daemon(const struct account *account)
{
    uint64_t kept = account->read + account->pending + account_spooled(account);

    if ( !account->broken )
        return account->dropped;
    return account->info.committed > kept ? account->info.committed - kept : 0;
}

uint64_t account_lost(const struct account *account)
{
    return account_lost_daemon(account) +
           xenoprof_lost_in_xen(account->info.lost);
}

static struct xenoprof_ring_sum sum_of_account(const struct account *account)
{
    struct xenoprof_ring_sum sum = {
        .owner = {.domain = account->info.domain, .kind = account->info.kind},
        .rings = 1,
        .made = account->info.made,
        .read = account->read,
        .lost_daemon = account_lost_daemon(account),
    };

    memcpy(sum.owner.uuid, account->info.uuid, sizeof(sum.owner.uuid));
    memcpy(sum.lost, account->info.lost, sizeof(sum.lost));
    return sum;
}

void accounts_total(const struct accounts *accounts, struct account_totals *ret)
{
    struct xenoprof_ring_sum all = {.rings = 0};

    for ( size_t i = 0; i < accounts->count; i++ )
    {
        const struct xenoprof_ring_sum one = sum_of_account(
            &accounts->items[i]);

        ring_sum_add(&all, &one);
    }
    for ( size_t i = 0; i < accounts->ended.count; i++ )
        ring_sum_add(&all, table_at(&accounts->ended, i));
    *ret = (struct account_totals){
        .rings = all.rings,
        .made = all.made,
        .read = all.read,
        .lost = all.lost_daemon + xenoprof_lost_in_xen(all.lost),
    };
    for ( unsigned int c = 0; c < XENOPROF_CAUSES; c++ )
        ret->lost_by_cause[c] = xenoprof_cause_is_xens(c) ? all.lost[c]
                                                          : all.lost_daemon;
}

bool accounts_resume(struct accounts *accounts,
                     const struct xenoprof_writer *writer)
{
    size_t count = xenoprof_writer_past_sums(writer);

    for ( size_t i = 0; i < count; i++ )
    {
        struct xenoprof_ring_sum past;

        xenoprof_writer_past_sum(writer, i, &past);
        if ( !ring_sums_add(&accounts->ended, &past) )
            return false;
    }
    return true;
}

static bool account_has_ended(const struct account *account)
{
    return !account->live && account->pending == 0 &&
           account->fifo.count == 0 &&
           account->info.state == XENOPROF_RING_CLOSED;
}

/* Returns false if there is no memory: the account stays, and its ring is
 * summed up later. */
static bool end_account(struct accounts *accounts,
                        struct xenoprof_writer *writer,
                        const struct account *account)
{
    const struct xenoprof_ring_sum one = sum_of_account(account);
    const struct xenoprof_ring_sum nothing = {.owner = one.owner};

    /* Where its owner has a sum, adding takes no memory. */
    return ring_sums_add(&accounts->ended, &nothing) &&
           !xenoprof_writer_ring_ended(writer, &account->info) &&
           ring_sums_add(&accounts->ended, &one);
}

void accounts_retire(struct accounts *accounts, struct xenoprof_writer *writer)
{
    size_t ended = 0, kept = 0;

    for ( size_t i = 0; i < accounts->count; i++ )
        ended += account_has_ended(&accounts->items[i]);
    if ( !ended )
        return;
    /* Those that go on move to the front. */
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        const struct account *account = &accounts->items[i];

        if ( account_has_ended(account) &&
             end_account(accounts, writer, account) )
            free(account->last);
        else
            accounts->items[kept++] = *account;
    }
    /* They have new indices; there is room for each. */
    id_table_clear(&accounts->ids);
    id_table_clear(&accounts->vcpus);
    accounts->count = kept;
    for ( size_t i = 0; i < kept; i++ )
    {
        id_table_add(&accounts->ids,
                     hash_of_ring(accounts, &accounts->items[i].info),
                     (uint32_t)i + 1);
        add_to_vcpus(accounts, i);
    }
}
