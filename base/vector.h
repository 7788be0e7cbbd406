/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that grow: three members of the struct that owns them,
 *
 *   struct symbols {
 *       VECTOR(struct symbol);        items, count, room
 *   };
 *
 * All zeroes is an empty vector.  Items move when the vector grows.
 */
#ifndef XENOPROF_BASE_VECTOR_H
#define XENOPROF_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

#define VECTOR(type)                                                           \
    type *items;                                                               \
    size_t count;                                                              \
    size_t room

/* Returns a new last item, all zeroes, or NULL if there is no memory. */
#define vector_add(vector)                                                     \
    ((typeof((vector)->items))vector_add_item(                                 \
        &(vector)->items, &(vector)->count, &(vector)->room,                   \
        sizeof(*(vector)->items)))

/* Makes room for more items behind count.  Returns false if there is no
 * memory; the vector is then as before. */
#define vector_reserve(vector, more)                                           \
    vector_make_room(&(vector)->items, (vector)->count, &(vector)->room,       \
                     (more), sizeof(*(vector)->items))

/* Gives back the room that the items do not need, as far as it can be. */
#define vector_fit(vector)                                                     \
    vector_fit_items(&(vector)->items, (vector)->count, &(vector)->room,       \
                     sizeof(*(vector)->items))

/* Frees the items; an empty vector is left. */
#define vector_free(vector)                                                    \
    vector_free_items(&(vector)->items, &(vector)->count, &(vector)->room)

/* Only for the macros above; items_at is where the pointer to the items is. */
void *vector_add_item(void *items_at, size_t *count, size_t *room, size_t size);
bool vector_make_room(void *items_at, size_t count, size_t *room, size_t more,
                      size_t size);
void vector_fit_items(void *items_at, size_t count, size_t *room, size_t size);
void vector_free_items(void *items_at, size_t *count, size_t *room);

#endif
