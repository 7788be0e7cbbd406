/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the stack before an instruction, by whatever way it is
 * reached, and how an instruction changes that. */
#ifndef XENOPROF_MODULE_UNWIND_STACK_FRAME_H
#define XENOPROF_MODULE_UNWIND_STACK_FRAME_H

#include "listing.h"

enum unwind_base {
    UNWIND_BASE_NONE,  /* nothing reaches the instruction */
    UNWIND_BASE_RSP,   /* CFA = rsp + depth */
    UNWIND_BASE_LOST,  /* rsp is not known, but rbp may be (framed) */
    UNWIND_BASE_RESET, /* the stack was emptied; rsp is at a cpu_user_regs */
    UNWIND_BASE_R10,   /* rsp was rounded down; CFA = r10 */
    UNWIND_BASE_DRAP,  /* r10 is saved: CFA at rbp - slot */
    UNWIND_BASE_ENTRY, /* entry code: cpu_user_regs = rsp + depth; 0: unknown */
    UNWIND_BASE_STUFF  /* filling the return stack: rax + depth */
};

enum unwind_rbp { UNWIND_RBP_KEPT, UNWIND_RBP_SAVED, UNWIND_RBP_LOST };

#define UNWIND_DEPTH_LOST INT32_MIN

struct unwind_frame {
    uint8_t base;  /* enum unwind_base */
    uint8_t rbp;   /* enum unwind_rbp: where the caller's rbp is */
    uint8_t alias; /* register with a copy of rsp, or UNWIND_NO_REGISTER */
    bool framed;   /* rbp points into this function's frame */
    int32_t depth; /* R10 and DRAP: rbp - rsp, or UNWIND_DEPTH_LOST */
    int32_t frame; /* CFA - rbp, if framed */
    int32_t saved; /* CFA - where rbp is saved */
    int32_t alias_depth; /* CFA - alias */
    int32_t slot;
};

/* The frame at the start of a function: only the return address is there. */
extern const struct unwind_frame unwind_frame_start;

/* Applies an instruction that does not change the flow. */
void unwind_frame_step(struct unwind_frame *frame,
                       const struct unwind_insn *insn);

/* Applies a call that returned: the callee's registers are lost. */
void unwind_frame_called(struct unwind_frame *frame);

/* Pushes a return address that stays (`call 1f`). */
void unwind_frame_push(struct unwind_frame *frame);

/* Applies an iretq that goes on right behind itself: it pops a frame. */
void unwind_frame_returned(struct unwind_frame *frame);

/* Reduces frame to what also holds in other.  Returns whether frame changed; it
 * can do so only a bounded number of times. */
bool unwind_frame_join(struct unwind_frame *frame,
                       const struct unwind_frame *other);

#endif
