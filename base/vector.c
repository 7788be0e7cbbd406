/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How vectors grow: twice the room, so that adding is cheap on average. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

#define ROOM_FIRST 16u

bool vector_make_room(void *items_at, size_t count, size_t *room, size_t more,
                      size_t size)
{
    size_t larger = *room ? *room : ROOM_FIRST;
    void *items;

    if ( more <= *room - count )
        return true;
    if ( more > SIZE_MAX / 4 / size - count )
        return false;
    while ( larger < count + more )
        larger *= 2;
    memcpy(&items, items_at, sizeof(items));
    items = reallocarray(items, larger, size);
    if ( !items )
        return false;
    memcpy(items_at, &items, sizeof(items));
    *room = larger;
    return true;
}

void *vector_add_item(void *items_at, size_t *count, size_t *room, size_t size)
{
    char *items;

    if ( !vector_make_room(items_at, *count, room, 1, size) )
        return NULL;
    memcpy(&items, items_at, sizeof(items));
    return memset(items + (*count)++ * size, 0, size);
}

void vector_fit_items(void *items_at, size_t count, size_t *room, size_t size)
{
    void *items;

    if ( !count || count == *room )
        return;
    memcpy(&items, items_at, sizeof(items));
    items = reallocarray(items, count, size);
    if ( !items )
        return;
    memcpy(items_at, &items, sizeof(items));
    *room = count;
}

void vector_free_items(void *items_at, size_t *count, size_t *room)
{
    void *items;

    memcpy(&items, items_at, sizeof(items));
    free(items);
    items = NULL;
    memcpy(items_at, &items, sizeof(items));
    *count = *room = 0;
}
