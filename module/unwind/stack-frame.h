/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the stack before an instruction, whichever way it was
 * reached, and what an instruction makes of it.
 */
#ifndef XENOPROF_MODULE_UNWIND_STACK_FRAME_H
#define XENOPROF_MODULE_UNWIND_STACK_FRAME_H

#include "listing.h"

enum unwind_base {
    UNWIND_BASE_NONE,  /* nothing comes by here */
    UNWIND_BASE_RSP,   /* CFA = rsp + depth */
    UNWIND_BASE_LOST,  /* rsp is not known; rbp may be, if framed */
    UNWIND_BASE_RESET, /* the stack was emptied: rsp is at a cpu_user_regs */
    UNWIND_BASE_R10,   /* rsp was rounded down; CFA = r10 */
    UNWIND_BASE_DRAP,  /* and r10 is saved: CFA lies at rbp - slot */
    UNWIND_BASE_ENTRY, /* entry code: cpu_user_regs = rsp + depth; 0: unknown */
    UNWIND_BASE_STUFF  /* filling the return stack: rax + depth */
};

enum unwind_rbp { UNWIND_RBP_KEPT, UNWIND_RBP_SAVED, UNWIND_RBP_LOST };

#define UNWIND_DEPTH_LOST INT32_MIN

struct unwind_frame {
    uint8_t base;  /* enum unwind_base */
    uint8_t rbp;   /* enum unwind_rbp: where the caller's is */
    uint8_t alias; /* register with a copy of rsp, or UNWIND_NO_REGISTER */
    bool framed;   /* rbp points into this function's frame */
    int32_t depth; /* R10 and DRAP: rbp - rsp, or UNWIND_DEPTH_LOST */
    int32_t frame; /* CFA - rbp, if framed */
    int32_t saved; /* CFA - where rbp is saved */
    int32_t alias_depth; /* CFA - alias */
    int32_t slot;
};

/* As a function is entered: only the return address lies on the stack. */
extern const struct unwind_frame unwind_frame_start;

/* Any instruction that changes no flow. */
void unwind_frame_step(struct unwind_frame *frame,
                       const struct unwind_insn *insn);

/* A call that came back: registers that belong to the callee are lost. */
void unwind_frame_called(struct unwind_frame *frame);

/* A return address that stays where it was pushed (`call 1f`). */
void unwind_frame_push(struct unwind_frame *frame);

/* An iretq that goes on behind itself: it popped a frame of its own. */
void unwind_frame_returned(struct unwind_frame *frame);

/*
 * What holds on both ways, into frame.  True if that is less than frame said
 * before; each frame can only become less a bounded number of times.
 */
bool unwind_frame_join(struct unwind_frame *frame,
                       const struct unwind_frame *other);

#endif
