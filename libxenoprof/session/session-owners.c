/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weighs what domains have in a writer's tables. */
#include "session-owners.h"

/* Less than this is not worth a look at all. */
#define DEAD_MIN 2048u

void owners_init(struct owners *owners)
{
    *owners = (struct owners){.weight = 0};
    table_init(&owners->table, sizeof(struct owner_key), sizeof(struct owner));
}

void owners_free(struct owners *owners)
{
    table_free(&owners->table);
}

static struct owner *find(const struct owners *owners, uint32_t uuid,
                          uint16_t domain)
{
    const struct owner_key key = {uuid, domain};

    return uuid ? table_find(&owners->table, &key) : NULL;
}

bool owners_add(struct owners *owners, uint32_t uuid, uint16_t domain,
                uint64_t weight)
{
    const struct owner_key key = {uuid, domain};
    struct owner *owner = uuid ? table_put(&owners->table, &key) : NULL;

    if ( uuid && !owner )
        return false;
    owners->weight += weight;
    if ( !owner )
        return true;
    owner->weight += weight;
    owners->dead += owner->ended ? weight : 0;
    return true;
}

void owners_add_waste(struct owners *owners)
{
    owners->weight++;
    owners->dead++;
}

void owners_end(struct owners *owners, uint32_t uuid, uint16_t domain,
                bool ended)
{
    struct owner *owner = find(owners, uuid, domain);

    if ( !owner || owner->ended == ended )
        return;
    owner->ended = ended;
    if ( ended )
        owners->dead += owner->weight;
    else
        owners->dead -= owner->weight;
}

bool owners_has_ended(const struct owners *owners, uint32_t uuid,
                      uint16_t domain)
{
    const struct owner *owner = find(owners, uuid, domain);

    return owner && owner->ended;
}

bool owners_are_worth_dropping(const struct owners *owners)
{
    return owners->dead >= DEAD_MIN && owners->dead > owners->weight / 2;
}

bool owners_keep(const struct owners *owners, struct owners *ret)
{
    owners_init(ret);
    for ( size_t i = 0; i < owners->table.count; i++ )
    {
        const struct owner *owner = table_at(&owners->table, i);
        struct owner *kept = owner->ended ? NULL
                                          : table_put(&ret->table, &owner->key);

        if ( kept )
            *kept = *owner;
        else if ( !owner->ended )
            return false;
    }
    ret->weight = owners->weight - owners->dead;
    return true;
}
