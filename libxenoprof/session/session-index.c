/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and numbers the strings, places and stacks of a session. */
#include <string.h>

#include "session-format.h"
#include "session-index.h"

static uint32_t place_hash(const struct session_state *state, uint16_t domain,
                           uint8_t mode, uint64_t address)
{
    return hash_end(hash_mix(hash_mix(state->place_ids.seed, address),
                             (uint64_t)domain << 8 | mode));
}

static uint32_t find_string(const struct session_state *state,
                            const void *bytes, size_t size, uint32_t hash)
{
    const struct id_slot *slot = id_first(&state->string_ids, hash);

    for ( ; slot->id; slot = id_after(&state->string_ids, slot) )
    {
        const struct string_entry *string = slot->hash == hash
                                                ? tables_string(&state->tables,
                                                                slot->id)
                                                : NULL;

        if ( string && string->length == size &&
             !memcmp(string->text, bytes, size) )
            return slot->id;
    }
    return 0;
}

uint32_t index_find_string(const struct session_state *state, const void *bytes,
                           size_t size)
{
    return find_string(state, bytes, size,
                       hash_bytes(state->string_ids.seed, bytes, size));
}

uint32_t index_string(struct session_state *state, const void *bytes,
                      size_t size)
{
    uint32_t hash = hash_bytes(state->string_ids.seed, bytes, size);
    uint32_t number = find_string(state, bytes, size, hash);

    if ( number )
        return number;
    number = state->tables.last_string + 1;
    if ( number > NUMBER_MAX ||
         !tables_set_string(&state->tables, number, bytes, size) ||
         !id_table_add(&state->string_ids, hash, number) )
        return 0;
    return number;
}

/* A domain's places are those that were made while it had its number. */
static bool is_owned(const struct place_entry *place,
                     const struct domain_state *now)
{
    if ( !now )
        return !place->owner;
    return place->owner ? place->owner == now->uuid : !now->given;
}

uint32_t index_find_place(const struct session_state *state, uint16_t domain,
                          uint8_t mode, uint64_t address)
{
    uint32_t hash = place_hash(state, domain, mode, address);
    const struct id_slot *slot = id_first(&state->place_ids, hash);

    for ( ; slot->id; slot = id_after(&state->place_ids, slot) )
    {
        const struct place_entry *place = slot->hash == hash
                                              ? tables_place(&state->tables,
                                                             slot->id)
                                              : NULL;

        if ( place && place->address == address && place->domain == domain &&
             place->mode == mode && !place->stale &&
             is_owned(place, state_domain_now(state, domain)) )
            return slot->id;
    }
    return 0;
}

bool index_take_place(struct session_state *state, uint32_t number,
                      const struct place_entry *place)
{
    uint32_t hash = place_hash(state, place->domain, place->mode,
                               place->address);
    uint32_t old = index_find_place(state, place->domain, place->mode,
                                    place->address);
    const struct domain_state *now = state_domain_now(state, place->domain);
    struct place_entry owned = *place;

    owned.owner = now ? now->uuid : 0;
    if ( !tables_set_place(&state->tables, number, &owned) )
        return false;
    if ( old == number )
        return true;
    if ( old )
        tables_place(&state->tables, old)->stale = true;
    return owners_add(&state->owners, owned.owner, place->domain, 1) &&
           id_table_add(&state->place_ids, hash, number);
}

/* The name is valid for all samples of the place, earlier ones too. */
static bool gets_name(struct place_entry *known,
                      const struct place_entry *place)
{
    struct place_entry named = *place;

    if ( known->symbol || !place->symbol )
        return false;
    named.owner = known->owner;
    named.used = true;
    *known = named;
    return true;
}

uint32_t index_unnamed(const struct session_state *state, uint16_t domain,
                       uint8_t mode, uint32_t number)
{
    const struct session_tables *tables = &state->tables;
    const struct domain_state *now = state_domain_now(state, domain);
    uint32_t slots = tables_slots(tables, &tables->place_numbers,
                                  tables->last_place);

    for ( uint32_t slot =
              tables_slot_after(tables, &tables->place_numbers, number);
          slot <= slots; slot++ )
    {
        const struct place_entry *place = &tables->places[slot];

        if ( !place->symbol && !place->stale && place->address &&
             place->domain == domain && place->mode == mode &&
             is_owned(place, now) )
            return tables_number(tables, &tables->place_numbers, slot);
    }
    return 0;
}

uint32_t index_place(struct session_state *state,
                     const struct place_entry *place, bool *named)
{
    struct session_tables *tables = &state->tables;
    uint32_t number = index_find_place(state, place->domain, place->mode,
                                       place->address);

    *named = false;
    if ( number )
    {
        struct place_entry *known = tables_place(tables, number);

        *named = gets_name(known, place);
        if ( known->image == place->image && known->symbol == place->symbol &&
             known->symbol_start == place->symbol_start )
            return number;
    }
    number = tables->last_place + 1;
    if ( number > NUMBER_MAX || !index_take_place(state, number, place) )
        return 0;
    return number;
}

/* It is its leaf's. */
static bool weigh_stack(struct session_state *state, uint32_t leaf,
                        size_t count)
{
    const struct place_entry *place = tables_place(&state->tables, leaf);

    return owners_add(&state->owners, place ? place->owner : 0,
                      place ? place->domain : 0, 1 + count);
}

bool index_take_stack(struct session_state *state, uint32_t number,
                      const uint32_t *places, size_t count)
{
    return tables_set_stack(&state->tables, number, places, count) &&
           weigh_stack(state, places[0], count) &&
           id_table_add(&state->stack_ids,
                        hash_bytes(state->stack_ids.seed, places,
                                   count * sizeof(*places)),
                        number);
}

uint32_t index_find_stack(const struct session_state *state,
                          const uint32_t *places, size_t count)
{
    const struct session_tables *tables = &state->tables;
    uint32_t hash = hash_bytes(state->stack_ids.seed, places,
                               count * sizeof(*places));
    const struct id_slot *slot = id_first(&state->stack_ids, hash);

    for ( ; slot->id; slot = id_after(&state->stack_ids, slot) )
    {
        const struct stack_entry *stack = slot->hash == hash
                                              ? tables_stack(tables, slot->id)
                                              : NULL;

        if ( stack && stack->count == count &&
             !memcmp(tables->stack_places.items + stack->first, places,
                     count * sizeof(*places)) )
            return slot->id;
    }
    return 0;
}

uint32_t index_stack(struct session_state *state, const uint32_t *places,
                     size_t count)
{
    uint32_t number = index_find_stack(state, places, count);

    if ( number )
        return number;
    number = state->tables.last_stack + 1;
    if ( number > NUMBER_MAX ||
         !index_take_stack(state, number, places, count) )
        return 0;
    return number;
}

/* hashes[i] is the hash of places[i] and all places after it. */
static void hash_ends(uint64_t seed, const uint32_t *places, uint32_t count,
                      uint32_t hashes[STACK_MAX])
{
    uint64_t mixed = seed;

    for ( uint32_t i = count; i--; )
    {
        mixed = hash_mix(mixed, places[i]);
        hashes[i] = hash_end(mixed);
    }
}

/* Returns whether the stack ends in these places. */
static bool ends_in(const struct session_tables *tables, uint32_t number,
                    const uint32_t *places, uint32_t count)
{
    const struct stack_entry *stack = tables_stack(tables, number);

    return stack && stack->count >= count &&
           !memcmp(tables->stack_places.items + stack->first + stack->count -
                       count,
                   places, count * sizeof(*places));
}

static const struct id_slot *find_end(const struct session_state *state,
                                      uint32_t hash, const uint32_t *places,
                                      uint32_t count)
{
    const struct id_slot *slot = id_first(&state->base_ids, hash);

    for ( ; slot->id; slot = id_after(&state->base_ids, slot) )
        if ( slot->hash == hash &&
             ends_in(&state->tables, slot->id, places, count) )
            return slot;
    return NULL;
}

uint32_t index_find_base(const struct session_state *state, uint32_t file,
                         const uint32_t *places, uint32_t count,
                         uint32_t *shared)
{
    uint32_t hashes[STACK_MAX];

    hash_ends(state->base_ids.seed, places, count, hashes);
    for ( uint32_t i = 0; i < count; i++ )
    {
        const struct id_slot *slot = find_end(state, hashes[i], places + i,
                                              count - i);

        if ( !slot || tables_stack(&state->tables, slot->id)->file != file )
            continue;
        *shared = count - i;
        return slot->id;
    }
    *shared = 0;
    return 0;
}

bool index_add_base(struct session_state *state, uint32_t file, uint32_t number)
{
    const struct session_tables *tables = &state->tables;
    struct stack_entry *stack = tables_stack(tables, number);
    const uint32_t *places = tables->stack_places.items + stack->first;
    uint32_t hashes[STACK_MAX];

    hash_ends(state->base_ids.seed, places, stack->count, hashes);
    for ( uint32_t i = 0; i < stack->count; i++ )
    {
        const struct id_slot *slot = find_end(state, hashes[i], places + i,
                                              stack->count - i);

        if ( !slot )
        {
            if ( !id_table_add(&state->base_ids, hashes[i], number) )
                return false;
        }
        else if ( tables_stack(tables, slot->id)->file != file )
            id_table_replace(&state->base_ids, slot, number);
        else
            break; /* then its shorter ends are there too */
    }
    /* Last: until here the stack's own slots were an older file's. */
    stack->file = file;
    return true;
}
