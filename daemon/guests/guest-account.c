/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of a session's guests, in a table whose hash has a seed. */
#include "base/clock.h"
#include "guest-account.h"

void guest_accounts_init(struct guest_accounts *accounts)
{
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
    struct guest_account *account = table_put(&accounts->table, uuid);

    if ( !account )
        return &accounts->spare;
    if ( !account->since )
    {
        account->since = monotonic_now();
        account->calls_left = GUEST_CALLS_MAX;
    }
    return account;
}

bool guest_account_is_spent(const struct guest_account *account)
{
    return account->cpu > GUEST_CPU_FREE &&
           account->cpu - GUEST_CPU_FREE >
               (monotonic_now() - account->since) / GUEST_CPU_SHARE;
}
