/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of a session's guests, in a table whose hash has a seed. */
#include "base/clock.h"
#include "guest-account.h"

void guest_accounts_init(struct guest_accounts *accounts)
{
    *accounts = (struct guest_accounts){.stay = 0};
    table_init(&accounts->table, sizeof(accounts->spare.uuid),
               sizeof(struct guest_account));
    /* Whoever has no account of his own gets addresses only. */
    accounts->spare = (struct guest_account){
        .strikes = GUEST_STRIKES_MAX,
        .places_made = GUEST_PLACES_MAX,
        .frames_made = GUEST_FRAMES_ALL,
    };
}

void guest_accounts_free(struct guest_accounts *accounts)
{
    table_free(&accounts->table);
}

struct guest_account *guest_accounts_get(struct guest_accounts *accounts,
                                         const uint8_t uuid[16])
{
    struct guest_account *account = table_put_last(&accounts->table,
                                                   &accounts->last, uuid);

    if ( !account )
        return &accounts->spare;
    if ( !account->since )
    {
        account->since = monotonic_now();
        account->calls_left = GUEST_CALLS_MAX;
    }
    return account;
}

static uint64_t age(const struct guest_account *account)
{
    return monotonic_now() - account->since;
}

/* A new account would give it more than it has. */
static bool is_worth_keeping(const struct guest_account *account)
{
    return account->strikes || account->replaced || account->agent_lies ||
           account->user_deaths ||
           account->cpu > age(account) / GUEST_CPU_SHARE ||
           account->places_made > GUEST_PLACES_MAX / GUEST_GOOD_PART ||
           account->frames_made > GUEST_FRAMES_ALL / GUEST_GOOD_PART ||
           account->calls_left <
               GUEST_CALLS_MAX - GUEST_CALLS_MAX / GUEST_GOOD_PART;
}

static bool may_go(const struct guest_account *account,
                   const struct table *alive)
{
    return !table_find(alive, account->uuid) && !is_worth_keeping(account);
}

bool guest_accounts_are_many(const struct guest_accounts *accounts,
                             size_t alive)
{
    return accounts->table.count >
           accounts->stay + alive + 2 * (size_t)GUEST_ACCOUNTS_GONE;
}

/* The oldest come first. */
void guest_accounts_trim(struct guest_accounts *accounts,
                         const struct table *alive)
{
    size_t count = accounts->table.count, many = 0;
    struct table kept;

    for ( size_t i = 0; i < count; i++ )
        many += may_go(table_at(&accounts->table, i), alive);
    many -= many < GUEST_ACCOUNTS_GONE ? many : GUEST_ACCOUNTS_GONE;
    table_init(&kept, sizeof(accounts->spare.uuid),
               sizeof(struct guest_account));
    accounts->stay = 0;
    for ( size_t i = 0; i < count; i++ )
    {
        const struct guest_account *account = table_at(&accounts->table, i);
        bool may = may_go(account, alive);
        struct guest_account *copy;

        accounts->stay += !may && !table_find(alive, account->uuid);
        if ( may && many )
        {
            many--;
            continue;
        }
        copy = table_put(&kept, account->uuid);
        if ( !copy )
        {
            table_free(&kept);
            return;
        }
        *copy = *account;
    }
    table_free(&accounts->table);
    accounts->table = kept;
}

/* Whether it worked more than a percentage of what it may. */
static bool has_used(const struct guest_account *account, unsigned int percent)
{
    const uint64_t free = GUEST_CPU_FREE / 100 * percent;
    const uint64_t share = age(account) / GUEST_CPU_SHARE / 100 * percent;

    return account->cpu > free && account->cpu - free > share;
}

bool guest_account_is_spent(const struct guest_account *account)
{
    return has_used(account, 100);
}

bool guest_account_user_is_spent(const struct guest_account *account)
{
    return has_used(account, GUEST_CPU_USER);
}
