/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk up a stack, frame by frame, and the unwinders: each is a way from
 * a frame to its caller's.
 */
#ifndef XENOPROF_GUEST_STACK_WALK_H
#define XENOPROF_GUEST_STACK_WALK_H

#include <stddef.h>
#include <string.h>

#include "unwind-input.h"

/* Where the frame's other registers are: only an interrupted frame has
 * them. */
enum walk_registers { REGISTERS_LEAF, REGISTERS_SAVED, REGISTERS_LOST };

struct stack_walk {
    const struct unwind_code *code;
    const struct unwind_start *start;
    uint64_t ip, sp, bp;
    bool exact;            /* ip was interrupted; else it is behind a call */
    uint8_t word;          /* its bytes, in this code */
    struct unwind_row row; /* of the frame; kind is UNDEFINED if it has none */
    enum walk_registers registers;
    uint64_t saved; /* address of their pt_regs */
    /* On each stack frames only rise, so every walk ends. */
    uint64_t floors[UNWIND_WINDOWS];
    unsigned int stack;   /* the window of the last frame */
    const uint8_t *frame; /* its bytes */
};

void walk_start(struct stack_walk *walk, const struct unwind_code *code,
                const struct unwind_start *start);

/* Returns whether the word at address is in a window; it is then in *ret. */
bool walk_read(const struct stack_walk *walk, uint64_t address, uint64_t *ret);

/* Enters the frame at address: no later frame may lie below its end.  Returns
 * UNWIND_ON, after which walk_member() reads the frame, or why the walk
 * ends. */
enum unwind_end walk_rise(struct stack_walk *walk, uint64_t address,
                          size_t size);

static inline uint64_t walk_load(const struct stack_walk *walk,
                                 const uint8_t *from)
{
    uint64_t word = 0;

    if ( walk->word == 8 )
        memcpy(&word, from, 8);
    else
        memcpy(&word, from, 4);
    return word;
}

/* The word at this offset in the frame. */
static inline uint64_t walk_member(const struct stack_walk *walk, size_t offset)
{
    return walk_load(walk, walk->frame + offset);
}

/*
 * The unwinders.  Each returns UNWIND_ON with *walk at the caller's frame,
 * UNWIND_PASS if the frame is not one for it, or why the walk ends.
 */
enum unwind_end walk_by_row(struct stack_walk *walk);
enum unwind_end walk_by_frame_pointer(struct stack_walk *walk);

#endif
