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

void tables_deinit(struct session_tables *tables)
{
    for ( uint32_t i = 1; i <= tables->last_string; i++ )
        free(tables->strings[i].text);
    free(tables->strings);
    free(tables->places);
    free(tables->stacks);
    vector_free(&tables->stack_places);
    *tables = (struct session_tables){0};
}

void tables_begin_file(struct session_tables *tables)
{
    tables->file++;
    tables->stack_places.count = 0;
}

bool tables_set_string(struct session_tables *tables, uint32_t number,
                       const void *bytes, uint32_t length)
{
    char *text = malloc((size_t)length + 1);

    if ( !text || !grow(&tables->strings, &tables->strings_room, number,
                        sizeof(*tables->strings)) )
    {
        free(text);
        return false;
    }
    memcpy(text, bytes, length);
    text[length] = 0;
    free(tables->strings[number].text);
    tables->strings[number] = (struct string_entry){text, length, tables->file};
    raise(&tables->last_string, number);
    return true;
}

bool tables_set_place(struct session_tables *tables, uint32_t number,
                      const struct place_entry *place)
{
    if ( !grow(&tables->places, &tables->places_room, number,
               sizeof(*tables->places)) )
        return false;
    tables->places[number] = *place;
    if ( tables->file )
        tables->places[number].file = tables->file;
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
    struct stack_entry *stack;

    if ( !grow(&tables->stacks, &tables->stacks_room, number,
               sizeof(*tables->stacks)) )
        return false;
    stack = &tables->stacks[number];
    if ( !tables_now(tables, stack->file) )
        stack->room = 0; /* in places that other stacks have now */
    if ( !make_stack_room(tables, stack, count) )
        return false;
    if ( count )
        memmove(tables->stack_places.items + stack->first, places,
                count * sizeof(*places));
    stack->count = count;
    stack->leaf = count ? places[0] : 0;
    stack->call = 0;
    stack->file = tables->file;
    raise(&tables->last_stack, number);
    return true;
}
