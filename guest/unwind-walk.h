/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One walk up a stack, frame by frame; only unwind*.c needs this. */
#ifndef XENOPROF_GUEST_UNWIND_WALK_H
#define XENOPROF_GUEST_UNWIND_WALK_H

#include <string.h>

#include "unwind.h"

/* What a step returns if the walk goes on. */
#define UNWIND_ON UNWIND_ENDS

/* From sp to the frame's end in code that switches stacks: six registers and a
 * return address; and two more words at most. */
#define UNWIND_SWITCHED      56
#define UNWIND_SWITCHING_MAX (UNWIND_SWITCHED + 16)

/* Where the frame's other registers are: only an interrupted frame has
 * them. */
enum walk_registers { REGISTERS_LEAF, REGISTERS_SAVED, REGISTERS_LOST };

struct walk {
    const struct unwind_code *code;
    const struct unwind_start *start;
    uint64_t ip, sp, bp;
    bool exact;   /* ip was interrupted */
    uint8_t word; /* bytes of one, in this code */
    enum walk_registers registers;
    uint64_t saved; /* where their pt_regs lies */
    /* On each stack frames only rise, so every walk ends. */
    uint64_t floors[UNWIND_WINDOWS];
    unsigned int stack;   /* the window the last frame was in */
    const uint8_t *frame; /* its bytes */
};

void walk_start(struct walk *walk, const struct unwind_code *code,
                const struct unwind_start *start);
/* False: the word at address is in no window. */
bool walk_read(const struct walk *walk, uint64_t address, uint64_t *ret);
/* A frame lies at address; none of the following may lie below its end.  If
 * it returns UNWIND_ON, walk_member() reads it. */
enum unwind_end walk_rise(struct walk *walk, uint64_t address, size_t size);

static inline uint64_t walk_load(const struct walk *walk, const uint8_t *from)
{
    uint64_t word = 0;

    if ( walk->word == 8 )
        memcpy(&word, from, 8);
    else
        memcpy(&word, from, 4);
    return word;
}

/* The word so many bytes behind where the frame begins. */
static inline uint64_t walk_member(const struct walk *walk, size_t offset)
{
    return walk_load(walk, walk->frame + offset);
}

/* Each goes from a frame to its caller's; *walk is good for another step only
 * if it returns UNWIND_ON. */
enum unwind_end walk_by_row(struct walk *walk, const struct orc_row *row);
enum unwind_end walk_by_frame_pointer(struct walk *walk);
/* Interrupted code only, which is not ordinary. */
enum unwind_end walk_by_special(struct walk *walk, enum unwind_special special);
enum unwind_end walk_by_hypercall(struct walk *walk);

#endif
