/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the last attributes, domains and rings of a session. */
#include <stdlib.h>
#include <string.h>

#include "session-state.h"

void state_init(struct session_state *state)
{
    id_table_init(&state->domain_ids);
    id_table_init(&state->ring_ids);
    ring_sums_init(&state->ring_sums);
}

static void free_attribute(struct attribute_state *attribute)
{
    free(attribute->key);
    free(attribute->value);
}

static void free_domain(struct domain_state *domain)
{
    free(domain->name);
    free(domain->kind);
}

void state_deinit(struct session_state *state)
{
    for ( size_t i = 0; i < state->attributes.count; i++ )
        free_attribute(&state->attributes.items[i]);
    for ( size_t i = 0; i < state->domains.count; i++ )
        free_domain(&state->domains.items[i]);
    id_table_deinit(&state->domain_ids);
    id_table_deinit(&state->ring_ids);
    vector_free(&state->attributes);
    vector_free(&state->domains);
    vector_free(&state->rings);
    table_free(&state->ring_sums);
}

static struct attribute_state *find_attribute(const struct session_state *state,
                                              const char *key)
{
    for ( size_t i = 0; i < state->attributes.count; i++ )
        if ( !strcmp(state->attributes.items[i].key, key) )
            return &state->attributes.items[i];
    return NULL;
}

/* Sets a text to a copy.  Returns false if there is no memory: it is as
 * before. */
static bool set_state_text(char **text, const char *with)
{
    char *copy = strdup(with);

    if ( !copy )
        return false;
    free(*text);
    *text = copy;
    return true;
}

bool state_attribute(struct session_state *state, uint64_t time,
                     const char *key, const char *value, bool *changed)
{
    struct attribute_state *last = find_attribute(state, key);

    *changed = !last || !last->value || strcmp(last->value, value);
    if ( !*changed )
        return true;
    if ( !last )
    {
        last = vector_add(&state->attributes);
        if ( last && !set_state_text(&last->key, key) )
        {
            state->attributes.count--;
            return false;
        }
    }
    if ( !last || !set_state_text(&last->value, value) )
        return false;
    last->time = time;
    return true;
}

void state_drop_attribute(struct session_state *state, const char *key)
{
    struct attribute_state *last = find_attribute(state, key);

    if ( !last )
        return;
    free_attribute(last);
    *last = state->attributes.items[--state->attributes.count];
}

const char *state_attribute_now(const struct session_state *state,
                                const char *key)
{
    const struct attribute_state *attribute = find_attribute(state, key);

    return attribute ? attribute->value : NULL;
}

static uint32_t number_hash(const struct id_table *ids, uint16_t domain)
{
    return (uint32_t)hash_end(hash_mix(ids->seed, domain));
}

static const struct id_slot *find_domain_slot(const struct session_state *state,
                                              uint16_t domain)
{
    const struct id_slot *slot = id_first(
        &state->domain_ids, number_hash(&state->domain_ids, domain));

    while ( slot->id && state->domains.items[slot->id - 1].domain != domain )
        slot = id_after(&state->domain_ids, slot);
    return slot;
}

static struct domain_state *find_domain(const struct session_state *state,
                                        uint16_t domain)
{
    const struct id_slot *slot = find_domain_slot(state, domain);

    return slot->id ? &state->domains.items[slot->id - 1] : NULL;
}

const struct domain_state *state_domain_now(const struct session_state *state,
                                            uint16_t domain)
{
    return find_domain(state, domain);
}

static bool is_same_domain(const struct domain_state *last,
                           const struct domain_state *domain)
{
    return last->name && last->kind && !strcmp(last->name, domain->name) &&
           !strcmp(last->kind, domain->kind) &&
           !memcmp(last->uuid, domain->uuid, sizeof(last->uuid));
}

bool state_domain(struct session_state *state,
                  const struct domain_state *domain, bool *changed)
{
    struct domain_state *last = find_domain(state, domain->domain);

    *changed = !last || !is_same_domain(last, domain);
    if ( !*changed )
        return true;
    if ( !last )
    {
        if ( !vector_reserve(&state->domains, 1) ||
             !id_table_add(&state->domain_ids,
                           number_hash(&state->domain_ids, domain->domain),
                           (uint32_t)state->domains.count + 1) )
            return false;
        last = vector_add(&state->domains);
        last->domain = domain->domain;
    }
    if ( !set_state_text(&last->name, domain->name) ||
         !set_state_text(&last->kind, domain->kind) )
        return false;
    memcpy(last->uuid, domain->uuid, sizeof(last->uuid));
    last->time = domain->time;
    return true;
}

/* The last domain takes its entry. */
void state_drop_domain(struct session_state *state, uint16_t domain,
                       const uint8_t uuid[16])
{
    const struct id_slot *slot = find_domain_slot(state, domain);
    struct domain_state *gone, *last;
    uint32_t id = slot->id;

    if ( !id )
        return;
    gone = &state->domains.items[id - 1];
    if ( memcmp(gone->uuid, uuid, sizeof(gone->uuid)) )
        return;
    free_domain(gone);
    id_table_remove(&state->domain_ids, slot);
    last = &state->domains.items[--state->domains.count];
    if ( gone == last )
        return;
    id_table_replace(&state->domain_ids, find_domain_slot(state, last->domain),
                     id);
    *gone = *last;
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

bool state_ring(struct session_state *state,
                const struct xenoprof_ring_past *ring, bool *changed)
{
    const uint32_t id = find_slot(state, &ring->info)->id;
    struct xenoprof_ring_past *last = id ? &state->rings.items[id - 1] : NULL;

    *changed = !last || memcmp(last, ring, sizeof(*last));
    if ( !last )
    {
        if ( !vector_reserve(&state->rings, 1) ||
             !id_table_add(&state->ring_ids, ring_hash(&ring->info),
                           state->rings.count + 1) )
            return false;
        last = &state->rings.items[state->rings.count++];
    }
    *last = *ring;
    return true;
}

static bool sum_ring(struct session_state *state,
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
    if ( !sum_ring(state, &state->rings.items[id - 1]) )
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
