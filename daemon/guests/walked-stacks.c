/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of stacks, whose room is used again when all were taken. */
#include "walked-stacks.h"

/* Stacks that nobody came for: their ring is gone or broken. */
#define OPEN_MAX 16384u

void walked_stacks_free(struct walked_stacks *walked)
{
    vector_free(&walked->stacks);
    vector_free(&walked->places);
    walked->begin = walked->open = 0;
}

static void empty(struct walked_stacks *walked)
{
    walked->stacks.count = walked->places.count = 0;
    walked->begin = walked->open = 0;
}

struct walked_stack *walked_stacks_add(struct walked_stacks *walked,
                                       uint64_t tag)
{
    struct walked_stack *stack;

    if ( !walked->open || walked->stacks.count >= OPEN_MAX )
        empty(walked);
    stack = vector_add(&walked->stacks);
    if ( !stack )
        return NULL;
    stack->tag = tag;
    walked->open++;
    return stack;
}

void walked_stacks_drop_last(struct walked_stacks *walked)
{
    walked->stacks.count--;
    walked->open--;
}

struct walked_stack *walked_stacks_find(struct walked_stacks *walked,
                                        uint64_t tag)
{
    while ( walked->begin < walked->stacks.count &&
            walked->stacks.items[walked->begin].taken )
        walked->begin++;
    for ( size_t i = walked->begin; i < walked->stacks.count; i++ )
    {
        struct walked_stack *stack = &walked->stacks.items[i];

        if ( stack->tag == tag && !stack->taken )
            return stack;
    }
    return NULL;
}

bool walked_stacks_answer(struct walked_stacks *walked,
                          struct walked_stack *stack, const uint32_t *places,
                          uint32_t count)
{
    if ( !vector_reserve(&walked->places, count) )
        return false;
    stack->first = walked->places.count;
    stack->count = count;
    stack->answered = true;
    for ( uint32_t i = 0; i < count; i++ )
        *vector_add(&walked->places) = places[i];
    return true;
}

const uint32_t *walked_stacks_take(struct walked_stacks *walked,
                                   struct walked_stack *stack)
{
    stack->taken = true;
    walked->open--;
    return walked->places.items + stack->first;
}

void walked_stacks_forget_asked(struct walked_stacks *walked)
{
    for ( size_t i = walked->begin; i < walked->stacks.count; i++ )
    {
        struct walked_stack *stack = &walked->stacks.items[i];

        if ( stack->answered || stack->taken )
            continue;
        stack->taken = true;
        walked->open--;
    }
}
