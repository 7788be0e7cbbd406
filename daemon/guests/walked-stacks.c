/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks in slots that are used again, found by the tags of their samples. */
#include <stdlib.h>
#include <string.h>

#include "walked-stacks.h"

#define PAGE_BYTES 4096u
/* Places that a slot keeps room for: most stacks have no more. */
#define ROOM_KEPT 16u

void walked_stacks_init(struct walked_stacks *walked)
{
    *walked = (struct walked_stacks){0};
    id_table_init(&walked->ids);
}

void walked_stacks_free(struct walked_stacks *walked)
{
    for ( size_t i = 0; i < walked->count; i++ )
        free(walked->items[i].places);
    vector_free(walked);
    id_table_deinit(&walked->ids);
    walked->free = 0;
}

/* A tag has the length of its sample in it, which the guest chooses. */
static uint32_t hash_of_tag(const struct walked_stacks *walked, uint64_t tag)
{
    return (uint32_t)hash_end(hash_mix(walked->ids.seed, tag));
}

static const struct id_slot *slot_of_tag(const struct walked_stacks *walked,
                                         uint64_t tag)
{
    uint32_t hash = hash_of_tag(walked, tag);
    const struct id_slot *slot = id_first(&walked->ids, hash);

    while ( slot->id && walked->items[slot->id - 1].tag != tag )
        slot = id_after(&walked->ids, slot);
    return slot;
}

struct walked_stack *walked_stacks_find(const struct walked_stacks *walked,
                                        uint64_t tag)
{
    const struct id_slot *slot = slot_of_tag(walked, tag);

    return slot->id ? &walked->items[slot->id - 1] : NULL;
}

/* Nobody's from now on. */
static void set_free(struct walked_stacks *walked, struct walked_stack *stack)
{
    if ( stack->room > ROOM_KEPT )
    {
        free(stack->places);
        stack->places = NULL;
        stack->room = 0;
    }
    stack->open = false;
    stack->next_free = walked->free;
    walked->free = (uint32_t)(stack - walked->items) + 1;
}

struct walked_stack *walked_stacks_add(struct walked_stacks *walked,
                                       uint64_t tag)
{
    struct walked_stack *stack;
    uint32_t index;

    if ( walked_stacks_open(walked) >= WALKED_STACKS_MAX )
        return NULL;
    index = walked->free - 1;
    if ( walked->free )
        walked->free = walked->items[index].next_free;
    else if ( vector_add(walked) )
        index = (uint32_t)walked->count - 1;
    else
        return NULL;
    stack = &walked->items[index];
    *stack = (struct walked_stack){
        .tag = tag, .open = true, .places = stack->places, .room = stack->room};
    if ( id_table_add(&walked->ids, hash_of_tag(walked, tag), index + 1) )
        return stack;
    set_free(walked, stack);
    return NULL;
}

bool walked_stacks_answer(struct walked_stack *stack, const uint32_t *places,
                          uint32_t count)
{
    if ( count > stack->room )
    {
        const uint32_t room = count < ROOM_KEPT ? ROOM_KEPT : count;
        uint32_t *larger = reallocarray(stack->places, room, sizeof(*larger));

        if ( !larger )
            return false;
        stack->places = larger;
        stack->room = room;
    }
    if ( count )
        memcpy(stack->places, places, count * sizeof(*places));
    stack->count = count;
    stack->answered = true;
    return true;
}

void walked_stacks_drop(struct walked_stacks *walked,
                        struct walked_stack *stack)
{
    id_table_remove(&walked->ids, slot_of_tag(walked, stack->tag));
    set_free(walked, stack);
}

static void forget_walked_stacks(struct walked_stacks *walked, bool answered)
{
    for ( size_t i = 0; i < walked->count; i++ )
        if ( walked->items[i].open && walked->items[i].answered == answered )
            walked_stacks_drop(walked, &walked->items[i]);
}

void walked_stacks_forget_asked(struct walked_stacks *walked)
{
    forget_walked_stacks(walked, false);
}

void walked_stacks_forget_answered(struct walked_stacks *walked)
{
    forget_walked_stacks(walked, true);
}

/* A window that was filled ends anywhere; one that was cut short ends at a
 * page, where the stack could not be read. */
enum xenoprof_ended walked_stack_left(
    const struct xenoprof_window *const windows[2])
{
    const struct xenoprof_window *last = windows[1] ? windows[1] : windows[0];

    return (last->address + last->length) % PAGE_BYTES ? XENOPROF_ENDED_WINDOW
                                                       : XENOPROF_ENDED_PAGE;
}
