/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that one guest's walker was asked for, from the question until the
 * sample takes the answer, or wants none any more.  A stack is found by its
 * sample's tag, in the same few steps however many there are.
 */
#ifndef XENOPROF_DAEMON_GUESTS_WALKED_STACKS_H
#define XENOPROF_DAEMON_GUESTS_WALKED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id-table.h"
#include "base/vector.h"
#include "libxenoprof.h"

/* Stacks at a time: more than there can be in two batches. */
#define WALKED_STACKS_MAX 16384u

/* An address of a process, which may be called otherwise a moment later; or one
 * in a file, whosever it is: where in it, and no process. */
struct user_address {
    uint64_t address;
    uint64_t image; /* number of the file, in that conversation; 0: none */
    uint32_t conversation;
    uint32_t pid;
    char comm[16]; /* of the thread */
};

struct walked_stack {
    uint64_t tag; /* the sample's */
    bool open;    /* false: nobody's */
    bool answered;
    bool entered;       /* a kernel's, which ends where a process entered it */
    uint8_t window;     /* enum xenoprof_ended if the walk leaves the windows */
    uint8_t ended;      /* enum xenoprof_ended, when it is answered */
    uint32_t next_free; /* index + 1 of another that is nobody's */
    uint32_t count;     /* of places */
    uint32_t *places;   /* malloc'ed, or NULL; used again by who has the slot
                           next */
    uint32_t room;      /* for so many */
    uint64_t ip, cr3;
    /* Of a process: */
    uint64_t time; /* Xen's */
    struct user_address of;
};

struct walked_stacks {
    VECTOR(struct walked_stack);
    struct id_table ids; /* index + 1 of each that is open */
    uint32_t free;       /* index + 1 of one that is nobody's; 0: none */
};

void walked_stacks_init(struct walked_stacks *walked);
/* An empty table is left. */
void walked_stacks_free(struct walked_stacks *walked);

/* Notes a question.  Returns its stack, good until the next question, or NULL
 * if there is no memory or no room. */
struct walked_stack *walked_stacks_add(struct walked_stacks *walked,
                                       uint64_t tag);
/* Returns the stack with this tag, or NULL. */
struct walked_stack *walked_stacks_find(const struct walked_stacks *walked,
                                        uint64_t tag);
/* Notes an answer.  Returns false if there is no memory: the stack is as
 * before. */
bool walked_stacks_answer(struct walked_stack *stack, const uint32_t *places,
                          uint32_t count);
/* Nobody waits for this stack any more, whether it is answered or not. */
void walked_stacks_drop(struct walked_stacks *walked,
                        struct walked_stack *stack);
/* Drops questions that have no answer. */
void walked_stacks_forget_asked(struct walked_stacks *walked);
/* Drops those that have one: they may be asked again. */
void walked_stacks_forget_answered(struct walked_stacks *walked);

/* Returns how a chain has ended that left a sample's windows. */
enum xenoprof_ended walked_stack_left(
    const struct xenoprof_window *const windows[2]);

/* Returns how many are open. */
static inline size_t walked_stacks_open(const struct walked_stacks *walked)
{
    return walked->ids.used;
}

#endif
