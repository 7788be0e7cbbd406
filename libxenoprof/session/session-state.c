/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the last attributes, domains and rings of a session. */
#include <stdlib.h>
#include <string.h>

#include "session-format.h"
#include "session-state.h"

void state_init(struct session_state *state)
{
    owners_init(&state->owners);
    id_table_init(&state->string_ids);
    id_table_init(&state->place_ids);
    id_table_init(&state->stack_ids);
    id_table_init(&state->base_ids);
    id_table_init(&state->attribute_ids);
    id_table_init(&state->domain_ids);
    id_table_init(&state->ring_ids);
    ring_sums_init(&state->ring_sums);
}

void state_deinit(struct session_state *state)
{
    owners_free(&state->owners);
    id_table_deinit(&state->string_ids);
    id_table_deinit(&state->place_ids);
    id_table_deinit(&state->stack_ids);
    id_table_deinit(&state->base_ids);
    id_table_deinit(&state->attribute_ids);
    id_table_deinit(&state->domain_ids);
    id_table_deinit(&state->ring_ids);
    tables_deinit(&state->tables);
    vector_free(&state->attributes);
    vector_free(&state->domains);
    vector_free(&state->rings);
    table_free(&state->ring_sums);
}

static uint32_t key_hash(const struct id_table *ids, uint64_t key)
{
    return hash_end(hash_mix(ids->seed, key));
}

static struct attribute_state *find_attribute(const struct session_state *state,
                                              uint32_t key)
{
    uint32_t hash = key_hash(&state->attribute_ids, key);
    const struct id_slot *slot = id_first(&state->attribute_ids, hash);

    for ( ; slot->id; slot = id_after(&state->attribute_ids, slot) )
        if ( state->attributes.items[slot->id - 1].key == key )
            return &state->attributes.items[slot->id - 1];
    return NULL;
}

static struct attribute_state *add_attribute(struct session_state *state,
                                             uint32_t key)
{
    if ( !vector_reserve(&state->attributes, 1) ||
         !id_table_add(&state->attribute_ids,
                       key_hash(&state->attribute_ids, key),
                       state->attributes.count + 1) )
        return NULL;
    return &state->attributes.items[state->attributes.count++];
}

bool state_attribute(struct session_state *state,
                     const struct attribute_state *attribute, bool *changed)
{
    struct attribute_state *last = find_attribute(state, attribute->key);

    *changed = !last || last->value != attribute->value;
    if ( !last )
        last = add_attribute(state, attribute->key);
    if ( !last )
        return false;
    if ( !*changed )
        return true;
    /* Its old text. */
    owners_add_waste(&state->owners);
    *last = *attribute;
    return true;
}

void state_drop_attribute(struct session_state *state, uint32_t key)
{
    size_t kept = 0;

    if ( !find_attribute(state, key) )
        return;
    id_table_clear(&state->attribute_ids);
    for ( size_t i = 0; i < state->attributes.count; i++ )
    {
        const struct attribute_state *one = &state->attributes.items[i];

        if ( one->key == key )
            continue;
        /* There was room for more. */
        id_table_add(&state->attribute_ids,
                     key_hash(&state->attribute_ids, one->key), kept + 1);
        state->attributes.items[kept++] = *one;
    }
    state->attributes.count = kept;
}

static struct domain_state *find_domain(const struct session_state *state,
                                        uint16_t domain)
{
    uint32_t hash = key_hash(&state->domain_ids, domain);
    const struct id_slot *slot = id_first(&state->domain_ids, hash);

    for ( ; slot->id; slot = id_after(&state->domain_ids, slot) )
        if ( state->domains.items[slot->id - 1].domain == domain )
            return &state->domains.items[slot->id - 1];
    return NULL;
}

static struct domain_state *add_domain(struct session_state *state,
                                       uint16_t domain)
{
    if ( !vector_reserve(&state->domains, 1) ||
         !id_table_add(&state->domain_ids, key_hash(&state->domain_ids, domain),
                       state->domains.count + 1) )
        return NULL;
    return &state->domains.items[state->domains.count++];
}

const struct domain_state *state_domain_now(const struct session_state *state,
                                            uint16_t domain)
{
    return find_domain(state, domain);
}

/* What a domain has besides places. */
#define DOMAIN_WEIGHT 16u

bool state_domain(struct session_state *state,
                  const struct domain_state *domain, bool *changed)
{
    struct domain_state *last = find_domain(state, domain->domain);
    bool other = !last || last->uuid != domain->uuid;
    bool given = last && (last->given || other);

    *changed = other || last->name != domain->name ||
               last->kind != domain->kind;
    if ( other && !owners_add(&state->owners, domain->uuid, domain->domain,
                              DOMAIN_WEIGHT) )
        return false;
    owners_end(&state->owners, domain->uuid, domain->domain, false);
    if ( !last )
        last = add_domain(state, domain->domain);
    if ( !last )
        return false;
    if ( *changed )
        *last = *domain;
    if ( *changed && !other )
        owners_add_waste(&state->owners);
    last->given = given;
    return true;
}

void state_drop_domains(struct session_state *state)
{
    size_t kept = 0;

    id_table_clear(&state->domain_ids);
    for ( size_t i = 0; i < state->domains.count; i++ )
    {
        const struct domain_state *one = &state->domains.items[i];

        if ( owners_has_ended(&state->owners, one->uuid, one->domain) )
            continue;
        /* There was room for more. */
        id_table_add(&state->domain_ids,
                     key_hash(&state->domain_ids, one->domain), kept + 1);
        state->domains.items[kept++] = *one;
    }
    state->domains.count = kept;
}

static uint32_t ring_hash(const struct xenoprof_ring_info *info)
{
    return hash_end(hash_mix(info->generation, info->ring));
}

/* Returns the ring's slot, or a free one. */
static const struct id_slot *find_slot(const struct session_state *state,
                                       const struct xenoprof_ring_info *info)
{
    uint32_t hash = ring_hash(info);
    const struct id_slot *slot = id_first(&state->ring_ids, hash);

    for ( ; slot->id; slot = id_after(&state->ring_ids, slot) )
    {
        const struct xenoprof_ring_info *past =
            &state->rings.items[slot->id - 1].info;

        if ( past->ring == info->ring && past->generation == info->generation )
            break;
    }
    return slot;
}

static struct xenoprof_ring_past *find_ring(
    const struct session_state *state, const struct xenoprof_ring_info *info)
{
    const struct id_slot *slot = find_slot(state, info);

    return slot->id ? &state->rings.items[slot->id - 1] : NULL;
}

static struct xenoprof_ring_past *add_ring(
    struct session_state *state, const struct xenoprof_ring_info *info)
{
    if ( !vector_reserve(&state->rings, 1) ||
         !id_table_add(&state->ring_ids, ring_hash(info),
                       state->rings.count + 1) )
        return NULL;
    return &state->rings.items[state->rings.count++];
}

bool state_ring(struct session_state *state,
                const struct xenoprof_ring_past *ring, bool *changed)
{
    struct xenoprof_ring_past *last = find_ring(state, &ring->info);

    *changed = !last || memcmp(last, ring, sizeof(*last));
    if ( !last )
        last = add_ring(state, &ring->info);
    if ( !last )
        return false;
    *last = *ring;
    return true;
}

static bool sum_up(struct session_state *state,
                   const struct xenoprof_ring_past *ring)
{
    struct xenoprof_ring_sum sum = {
        .owner = {.domain = ring->info.domain, .kind = ring->info.kind},
        .rings = 1,
        .made = ring->info.made,
        .read = ring->read,
        .lost_daemon = ring->lost_daemon + ring->spooled,
    };

    memcpy(sum.owner.uuid, ring->info.uuid, sizeof(sum.owner.uuid));
    memcpy(sum.lost, ring->info.lost, sizeof(sum.lost));
    return ring_sums_add(&state->ring_sums, &sum);
}

/* The last ring takes its entry. */
bool state_end_ring(struct session_state *state,
                    const struct xenoprof_ring_info *info)
{
    const struct id_slot *slot = find_slot(state, info);
    uint32_t id = slot->id;

    if ( !id )
        return true;
    if ( !sum_up(state, &state->rings.items[id - 1]) )
        return false;
    id_table_remove(&state->ring_ids, slot);
    state->rings.count--;
    if ( id > state->rings.count )
        return true;
    slot = find_slot(state, &state->rings.items[state->rings.count].info);
    id_table_replace(&state->ring_ids, slot, id);
    state->rings.items[id - 1] = state->rings.items[state->rings.count];
    return true;
}
