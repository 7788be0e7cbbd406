/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's frames from its registers and raw pieces of its stack.
 *
 * Pure: reads nothing but what it is given.  Registers and bytes are the
 * guest's word; the walk is bounded and never believes a length.  A chain
 * that cannot go on ends and says why; nothing in it is guessed.
 */
#ifndef XENOPROF_GUEST_UNWIND_H
#define XENOPROF_GUEST_UNWIND_H

#include <xenoprof/record.h>

#include "guest/linux/orc.h"

#define GUEST_FRAMES_MAX 128u
#define UNWIND_WINDOWS   2u

/* Code of Linux whose rows say nothing of use, told by its name. */
enum unwind_special {
    UNWIND_ORDINARY,
    UNWIND_EDGE,     /* between kernel and user or Xen: nothing lies below */
    UNWIND_THUNK,    /* __x86_indirect_*: jumps through a register */
    UNWIND_LOOP,     /* clear_bhb_loop */
    UNWIND_SWITCH,   /* __switch_to_asm: where it fills the return buffer */
    UNWIND_HYPERCALL /* the hypercall page, if the guest is PV */
};

/* What Linux's function of that name is. */
enum unwind_special unwind_special_of(const char *name);

/* What is known of the code; every function may be NULL. */
struct unwind_code {
    const void *self;
    bool (*row)(const void *self, uint64_t address, struct orc_row *ret);
    /* Used to check the return addresses that frame pointers lead to. */
    bool (*is_code)(const void *self, uint64_t address);
    /* Asked for interrupted code that has no row, or one that ends the
     * stack, or one that code which switches stacks may have; and in a PV
     * guest for all that was interrupted. */
    enum unwind_special (*special)(const void *self, uint64_t address);
    bool frame_pointers; /* where there is no row */
    bool pv;             /* Xen wrote the hypercall page, if there is one */
};

struct unwind_window {
    uint64_t address;
    const uint8_t *bytes;
    size_t length; /* 0: none */
};

struct unwind_start {
    uint64_t ip;
    const struct xenoprof_registers *registers; /* NULL: the leaf only */
    struct unwind_window windows[UNWIND_WINDOWS];
    /* The code may not be 64-bit, since it lies below 4 GiB: whether frames
     * are of 4-byte words is seen from sp and the first of them. */
    bool bits32;
    bool kernel; /* else user mode: frame pointers only */
};

enum unwind_end {
    UNWIND_ROOT,   /* the entry point, or the thread's first function */
    UNWIND_USER,   /* the pt_regs of a user process: kernel part complete */
    UNWIND_WINDOW, /* the rest lies outside the windows */
    UNWIND_NO_RULE,
    UNWIND_NONSENSE, /* the stack contradicts itself, or is too deep */
    UNWIND_ENDS
};

struct unwind_result {
    uint64_t frames[GUEST_FRAMES_MAX]; /* leaf first; the leaf is ip */
    bool exact[GUEST_FRAMES_MAX]; /* an interrupted ip; else behind a call */
    uint32_t count;
    enum unwind_end end;
};

/* A frame of 1 (the leaf) at least. */
void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret);

#endif
