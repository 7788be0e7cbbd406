/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that one guest's walker was asked for, from the question until the
 * sample takes the answer.  Answers come, and are taken, about in the order of
 * the questions.
 */
#ifndef XENOPROF_DAEMON_GUESTS_WALKED_STACKS_H
#define XENOPROF_DAEMON_GUESTS_WALKED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct walked_stack {
    uint64_t tag; /* the sample's */
    bool answered, taken;
    uint8_t window; /* enum xenoprof_ended if the walk leaves the windows */
    uint8_t ended;  /* enum xenoprof_ended, when it is answered */
    uint32_t count; /* of places */
    size_t first;   /* its places */
    uint64_t ip, cr3;
};

/* All zeroes is empty. */
struct walked_stacks {
    struct {
        VECTOR(struct walked_stack);
    } stacks;
    struct {
        VECTOR(uint32_t);
    } places;
    size_t begin; /* stacks before it are taken */
    size_t open;  /* stacks that are not taken */
};

void walked_stacks_free(struct walked_stacks *walked);

/* Notes a question.  Returns its stack, or NULL if there is no memory. */
struct walked_stack *walked_stacks_add(struct walked_stacks *walked,
                                       uint64_t tag);
/* Takes back the last question. */
void walked_stacks_drop_last(struct walked_stacks *walked);
/* Returns the stack with this tag that was not taken, or NULL. */
struct walked_stack *walked_stacks_find(struct walked_stacks *walked,
                                        uint64_t tag);
/* Notes an answer.  Returns false if there is no memory: the stack is as
 * before. */
bool walked_stacks_answer(struct walked_stacks *walked,
                          struct walked_stack *stack, const uint32_t *places,
                          uint32_t count);
/* Takes the stack out; its places are good until the next call. */
const uint32_t *walked_stacks_take(struct walked_stacks *walked,
                                   struct walked_stack *stack);
/* Forgets questions that have no answer. */
void walked_stacks_forget_asked(struct walked_stacks *walked);

#endif
