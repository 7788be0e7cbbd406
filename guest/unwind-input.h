/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a walk up a stack is given, how it ends, and what it has found. */
#ifndef XENOPROF_GUEST_UNWIND_INPUT_H
#define XENOPROF_GUEST_UNWIND_INPUT_H

#include <stddef.h>

#include <xenoprof/record.h>

#include "unwind-row.h"

#define UNWIND_WINDOWS 2u

/* Code that needs a rule of its own, known by its name. */
enum unwind_special {
    UNWIND_ORDINARY,
    UNWIND_EDGE,     /* between kernel and user or Xen: nothing lies below */
    UNWIND_THUNK,    /* __x86_indirect_*: jumps through a register */
    UNWIND_LOOP,     /* clear_bhb_loop */
    UNWIND_SWITCH,   /* __switch_to_asm: where it fills the return buffer */
    UNWIND_HYPERCALL /* the hypercall page, if the guest is PV */
};

struct user_space;
struct row_cache;

/* What is known of a kernel's code; every function may be NULL. */
struct unwind_code {
    const void *self;
    /* Returns whether the code at address has a row; it is then in *ret. */
    bool (*row)(const void *self, uint64_t address, struct unwind_row *ret);
    /* Checks the return addresses that frame pointers lead to. */
    bool (*is_code)(const void *self, uint64_t address);
    /* Asked for interrupted code that has no row, or one that ends the
     * stack, or one like that of code which switches stacks; and in a PV
     * guest for all interrupted code. */
    enum unwind_special (*special)(const void *self, uint64_t address);
    bool frame_pointers; /* where there is no row */
    bool pv;             /* Xen wrote the hypercall page, if there is one */
    /* A kernel with rows of its compiler's, which is walked as a program is;
     * NULL: it has none. */
    const struct user_space *space;
    struct row_cache *cache; /* the space's */
};

struct unwind_window {
    uint64_t address;
    const uint8_t *bytes;
    size_t length; /* 0: there is no window */
};

struct unwind_start {
    uint64_t ip;
    const struct xenoprof_registers *registers; /* NULL: the leaf only */
    struct unwind_window windows[UNWIND_WINDOWS];
    bool bits32; /* the code lies below 4 GiB and may be 32-bit: sp and the
                    first frame decide */
    bool kernel; /* else user mode: frame pointers only */
};

enum unwind_end {
    UNWIND_ROOT,   /* the entry point, or the thread's first function */
    UNWIND_USER,   /* the pt_regs of a user process: kernel part complete */
    UNWIND_WINDOW, /* the rest lies outside the windows */
    UNWIND_NO_RULE,
    UNWIND_NONSENSE, /* the stack contradicts itself, or is too deep */
    UNWIND_ENDS,
    /* Inside of guest/ only: a step that did not end the walk. */
    UNWIND_ON = UNWIND_ENDS,
    UNWIND_PASS /* this unwinder does not know the frame; try the next */
};

#define GUEST_FRAMES_MAX 128u

struct unwind_result {
    uint64_t frames[GUEST_FRAMES_MAX]; /* leaf first; the leaf is ip */
    bool exact[GUEST_FRAMES_MAX]; /* interrupted there; else behind a call */
    uint32_t count;
    enum unwind_end end;
};

#endif
