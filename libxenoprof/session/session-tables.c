/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps strings, places and stacks by number. */
#include <stdlib.h>
#include <string.h>

#include "session-tables.h"

/*
 * Make room for entry number of an array.  Memory comes from calloc(), so that
 * a number far above the others costs address space and not memory; vectors
 * would write to it.
 */
static bool grow(void *array_at, uint32_t *room, uint32_t number, size_t size)
{
    size_t larger = *room ? *room : 256;
    void **array = array_at, *bytes;

    if ( number < *room )
        return true;
    while ( larger <= number )
        larger *= 2;
    bytes = calloc(larger, size);
    if ( !bytes )
        return false;
    if ( *array )
        memcpy(bytes, *array, *room * size);
    free(*array);
    *array = bytes;
    *room = larger;
    return true;
}

static void raise(uint32_t *last, uint32_t number)
{
    if ( *last < number )
        *last = number;
}

static void free_arrays(struct session_tables *tables)
{
    free(tables->strings);
    free(tables->places);
    free(tables->stacks);
    vector_free(&tables->stack_places);
    vector_free(&tables->string_numbers);
    vector_free(&tables->place_numbers);
    vector_free(&tables->stack_numbers);
    *tables = (struct session_tables){0};
}

void tables_deinit(struct session_tables *tables)
{
    uint32_t strings = tables_slots(tables, &tables->string_numbers,
                                    tables->last_string);

    for ( uint32_t i = 1; i <= strings; i++ )
        free(tables->strings[i].text);
    free_arrays(tables);
}

void tables_begin_file(struct session_tables *tables)
{
    tables->file++;
    tables->stack_places.count = 0;
}

/* Returns how many numbers are below this one. */
static uint32_t numbers_below(const struct number_list *numbers,
                              uint32_t number)
{
    uint32_t low = 0, high = (uint32_t)numbers->count;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( numbers->items[middle] < number )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t number_list_find(const struct number_list *numbers, uint32_t number)
{
    uint32_t count = (uint32_t)numbers->count, back, at;

    if ( !count || number > numbers->items[count - 1] )
        return 0;
    /* Since entries were dropped last, numbers came one after the other. */
    back = numbers->items[count - 1] - number;
    if ( back < count && numbers->items[count - 1 - back] == number )
        return count - back;
    at = numbers_below(numbers, number);
    return numbers->items[at] == number ? at + 1 : 0;
}

uint32_t tables_slot_after(const struct session_tables *tables,
                           const struct number_list *numbers, uint32_t number)
{
    return 1 + (tables->dropped ? numbers_below(numbers, number + 1) : number);
}

/* Returns the slot of a number, a new one for a new number, for which there is
 * room in the list then; or 0 if there is no memory. */
static uint32_t slot_for(const struct session_tables *tables,
                         struct number_list *numbers, uint32_t number)
{
    uint32_t slot = tables_slot(tables, numbers, number);

    if ( slot )
        return slot;
    return vector_reserve(numbers, 1) ? (uint32_t)numbers->count + 1 : 0;
}

/* The slot is in use. */
static void take_slot(const struct session_tables *tables,
                      struct number_list *numbers, uint32_t slot,
                      uint32_t number)
{
    if ( tables->dropped && slot > numbers->count )
        numbers->items[numbers->count++] = number;
}

bool tables_set_string(struct session_tables *tables, uint32_t number,
                       const void *bytes, uint32_t length)
{
    char *text = malloc((size_t)length + 1);
    uint32_t slot = slot_for(tables, &tables->string_numbers, number);

    if ( !text || !slot ||
         !grow(&tables->strings, &tables->strings_room, slot,
               sizeof(*tables->strings)) )
    {
        free(text);
        return false;
    }
    memcpy(text, bytes, length);
    text[length] = 0;
    free(tables->strings[slot].text);
    tables->strings[slot] = (struct string_entry){text, length, tables->file};
    take_slot(tables, &tables->string_numbers, slot, number);
    raise(&tables->last_string, number);
    return true;
}

bool tables_set_place(struct session_tables *tables, uint32_t number,
                      const struct place_entry *place)
{
    uint32_t slot = slot_for(tables, &tables->place_numbers, number);

    if ( !slot || !grow(&tables->places, &tables->places_room, slot,
                        sizeof(*tables->places)) )
        return false;
    tables->places[slot] = *place;
    tables->places[slot].used = true;
    if ( tables->file )
        tables->places[slot].file = tables->file;
    take_slot(tables, &tables->place_numbers, slot, number);
    raise(&tables->last_place, number);
    return true;
}

/* A stack that grew gets twice its room, so that what it leaves behind is never
 * more than what it has. */
static bool make_stack_room(struct session_tables *tables,
                            struct stack_entry *stack, uint32_t count)
{
    uint32_t room = count > 2u * stack->room ? count : 2u * stack->room;

    if ( count <= stack->room )
        return true;
    if ( !vector_reserve(&tables->stack_places, room) )
        return false;
    stack->first = tables->stack_places.count;
    stack->room = room;
    tables->stack_places.count += room;
    return true;
}

bool tables_set_stack(struct session_tables *tables, uint32_t number,
                      const uint32_t *places, uint32_t count)
{
    uint32_t slot = slot_for(tables, &tables->stack_numbers, number);
    struct stack_entry *stack;

    if ( !slot || !grow(&tables->stacks, &tables->stacks_room, slot,
                        sizeof(*tables->stacks)) )
        return false;
    stack = &tables->stacks[slot];
    if ( !tables_now(tables, stack->file) )
        stack->room = 0; /* in places that other stacks have now */
    if ( !make_stack_room(tables, stack, count) )
        return false;
    if ( count )
        memmove(tables->stack_places.items + stack->first, places,
                count * sizeof(*places));
    stack->count = count;
    stack->leaf = count ? places[0] : 0;
    stack->file = tables->file;
    take_slot(tables, &tables->stack_numbers, slot, number);
    raise(&tables->last_stack, number);
    return true;
}

/* Entries of one kind that stay. */
struct kept_entries {
    void *items; /* by slot */
    uint32_t room;
    struct number_list numbers;
};

static bool keep_entries(const struct session_tables *tables,
                         const struct number_list *numbers, uint32_t last,
                         const void *entries, size_t size, const uint8_t *keep,
                         struct kept_entries *ret)
{
    uint32_t slots = tables_slots(tables, numbers, last), count = 0;
    char *to;

    *ret = (struct kept_entries){.room = 1};
    for ( uint32_t i = 1; i <= slots; i++ )
        ret->room += keep[i] != 0;
    to = ret->items = calloc(ret->room, size);
    if ( !to || !vector_reserve(&ret->numbers, ret->room) )
        return false;
    for ( uint32_t i = 1; i <= slots; i++ )
    {
        if ( !keep[i] )
            continue;
        memcpy(to + ++count * size, (const char *)entries + i * size, size);
        ret->numbers.items[ret->numbers.count++] = tables_number(tables,
                                                                 numbers, i);
    }
    return true;
}

/* Their places follow one another without gaps. */
static bool keep_stack_places(const struct session_tables *tables,
                              struct session_tables *fresh)
{
    size_t all = 0;

    for ( size_t i = 1; i <= fresh->stack_numbers.count; i++ )
        all += fresh->stacks[i].count;
    if ( !vector_reserve(&fresh->stack_places, all + 1) )
        return false;
    for ( size_t i = 1; i <= fresh->stack_numbers.count; i++ )
    {
        struct stack_entry *stack = &fresh->stacks[i];
        size_t first = fresh->stack_places.count;

        memcpy(fresh->stack_places.items + first,
               tables->stack_places.items + stack->first,
               stack->count * sizeof(uint32_t));
        stack->first = first;
        stack->room = stack->count;
        fresh->stack_places.count += stack->count;
    }
    return true;
}

#define KEEP(what)                                                             \
    keep_entries(tables, &tables->what##_numbers, tables->last_##what,         \
                 tables->what##s, sizeof(*tables->what##s), kept->what##s,     \
                 &what##s)

static bool keep_all(const struct session_tables *tables,
                     const struct tables_kept *kept,
                     struct session_tables *fresh)
{
    struct kept_entries strings = {0}, places = {0}, stacks = {0};
    bool done = KEEP(string) && KEEP(place) && KEEP(stack);

    *fresh = (struct session_tables){
        .strings = strings.items,
        .places = places.items,
        .stacks = stacks.items,
        .strings_room = strings.room,
        .places_room = places.room,
        .stacks_room = stacks.room,
        .last_string = tables->last_string,
        .last_place = tables->last_place,
        .last_stack = tables->last_stack,
        .dropped = true,
        .string_numbers = strings.numbers,
        .place_numbers = places.numbers,
        .stack_numbers = stacks.numbers,
    };
    return done && keep_stack_places(tables, fresh);
}

bool tables_drop(struct session_tables *tables, const struct tables_kept *kept)
{
    uint32_t strings = tables_slots(tables, &tables->string_numbers,
                                    tables->last_string);
    struct session_tables fresh;

    if ( !keep_all(tables, kept, &fresh) )
    {
        free_arrays(&fresh);
        return false;
    }
    for ( uint32_t i = 1; i <= strings; i++ )
        if ( !kept->strings[i] )
            free(tables->strings[i].text);
    free_arrays(tables);
    *tables = fresh;
    return true;
}
