/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stays of a writer's tables, and of those that find it. */
#include <stdlib.h>

#include "session-sweep.h"

/* All that a sweep makes before it changes anything. */
struct sweep {
    struct tables_kept kept;
    struct id_table string_ids, place_ids, stack_ids, base_ids;
    struct owners owners;
};

static uint32_t string_slots(const struct session_tables *tables)
{
    return tables_slots(tables, &tables->string_numbers, tables->last_string);
}

static uint32_t place_slots(const struct session_tables *tables)
{
    return tables_slots(tables, &tables->place_numbers, tables->last_place);
}

static uint32_t stack_slots(const struct session_tables *tables)
{
    return tables_slots(tables, &tables->stack_numbers, tables->last_stack);
}

static void keep_string(const struct session_tables *tables,
                        struct tables_kept *kept, uint32_t number)
{
    if ( tables_string(tables, number) )
        kept->strings[tables_slot(tables, &tables->string_numbers, number)] = 1;
}

static void keep_places(const struct session_state *state,
                        struct tables_kept *kept)
{
    const struct session_tables *tables = &state->tables;

    for ( uint32_t i = 1; i <= place_slots(tables); i++ )
    {
        const struct place_entry *place = &tables->places[i];

        if ( !place->used ||
             owners_has_ended(&state->owners, place->owner, place->domain) )
            continue;
        kept->places[i] = 1;
        keep_string(tables, kept, place->image);
        keep_string(tables, kept, place->symbol);
        keep_string(tables, kept, place->owner);
    }
}

static bool has_all_places(const struct session_tables *tables,
                           const struct tables_kept *kept,
                           const struct stack_entry *stack)
{
    const uint32_t *places = tables->stack_places.items + stack->first;

    for ( uint32_t i = 0; i < stack->count; i++ )
    {
        uint32_t slot = tables_slot(tables, &tables->place_numbers, places[i]);

        if ( places[i] && (!slot || !kept->places[slot]) )
            return false;
    }
    return true;
}

static void keep_stacks(const struct session_tables *tables,
                        struct tables_kept *kept)
{
    for ( uint32_t i = 1; i <= stack_slots(tables); i++ )
        kept->stacks[i] = tables->stacks[i].count &&
                          has_all_places(tables, kept, &tables->stacks[i]);
}

static void keep_other_strings(const struct session_state *state,
                               struct tables_kept *kept)
{
    const struct session_tables *tables = &state->tables;

    for ( size_t i = 0; i < state->attributes.count; i++ )
    {
        keep_string(tables, kept, state->attributes.items[i].key);
        keep_string(tables, kept, state->attributes.items[i].value);
    }
    for ( size_t i = 0; i < state->domains.count; i++ )
    {
        const struct domain_state *domain = &state->domains.items[i];

        if ( owners_has_ended(&state->owners, domain->uuid, domain->domain) )
            continue;
        keep_string(tables, kept, domain->uuid);
        keep_string(tables, kept, domain->name);
        keep_string(tables, kept, domain->kind);
    }
    for ( size_t i = 0; i < state->owners.table.count; i++ )
    {
        const struct owner *owner = table_at(&state->owners.table, i);

        if ( !owner->ended )
            keep_string(tables, kept, owner->key.uuid);
    }
}

static bool mark(const struct session_state *state, struct tables_kept *kept)
{
    const struct session_tables *tables = &state->tables;

    kept->strings = calloc(string_slots(tables) + 1, 1);
    kept->places = calloc(place_slots(tables) + 1, 1);
    kept->stacks = calloc(stack_slots(tables) + 1, 1);
    if ( !kept->strings || !kept->places || !kept->stacks )
        return false;
    keep_places(state, kept);
    keep_stacks(tables, kept);
    keep_other_strings(state, kept);
    return true;
}

/* Hashes are of what things are, and not of their numbers. */
static bool keep_ids(const struct session_tables *tables,
                     const struct number_list *numbers, const uint8_t *kept,
                     const struct id_table *ids, struct id_table *ret)
{
    *ret = (struct id_table){.seed = ids->seed};
    for ( size_t i = 0; ids->slots && i <= ids->mask; i++ )
    {
        const struct id_slot *slot = &ids->slots[i];
        uint32_t at = slot->id ? tables_slot(tables, numbers, slot->id) : 0;

        if ( at && kept[at] && !id_table_add(ret, slot->hash, slot->id) )
            return false;
    }
    return true;
}

static bool prepare(const struct session_state *state, struct sweep *sweep)
{
    const struct session_tables *tables = &state->tables;
    const struct tables_kept *kept = &sweep->kept;

    return mark(state, &sweep->kept) &&
           owners_keep(&state->owners, &sweep->owners) &&
           keep_ids(tables, &tables->string_numbers, kept->strings,
                    &state->string_ids, &sweep->string_ids) &&
           keep_ids(tables, &tables->place_numbers, kept->places,
                    &state->place_ids, &sweep->place_ids) &&
           keep_ids(tables, &tables->stack_numbers, kept->stacks,
                    &state->stack_ids, &sweep->stack_ids) &&
           keep_ids(tables, &tables->stack_numbers, kept->stacks,
                    &state->base_ids, &sweep->base_ids);
}

static void swap_ids(struct id_table *left, struct id_table *right)
{
    struct id_table old = *left;

    *left = *right;
    *right = old;
}

/* The state gets what was prepared; what it had is freed with the sweep. */
static void finish(struct session_state *state, struct sweep *sweep)
{
    struct owners old = state->owners;

    state_drop_domains(state);
    swap_ids(&state->string_ids, &sweep->string_ids);
    swap_ids(&state->place_ids, &sweep->place_ids);
    swap_ids(&state->stack_ids, &sweep->stack_ids);
    swap_ids(&state->base_ids, &sweep->base_ids);
    state->owners = sweep->owners;
    sweep->owners = old;
}

bool state_sweep(struct session_state *state)
{
    struct sweep sweep = {.kept = {NULL, NULL, NULL}};
    bool done;

    owners_init(&sweep.owners);
    done = prepare(state, &sweep) && tables_drop(&state->tables, &sweep.kept);
    if ( done )
        finish(state, &sweep);
    id_table_deinit(&sweep.string_ids);
    id_table_deinit(&sweep.place_ids);
    id_table_deinit(&sweep.stack_ids);
    id_table_deinit(&sweep.base_ids);
    owners_free(&sweep.owners);
    free(sweep.kept.strings);
    free(sweep.kept.places);
    free(sweep.kept.stacks);
    return done;
}

void state_sweep_now_and_then(struct session_state *state)
{
    /* Without memory another time. */
    if ( owners_are_worth_dropping(&state->owners) )
        state_sweep(state);
}
