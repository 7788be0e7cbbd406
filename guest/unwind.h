/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's frames from its registers and raw pieces of its stack.
 *
 * Pure: reads nothing but what it is given.  Registers and bytes are the
 * guest's word; the walk is bounded and never believes a length.  A chain
 * that cannot go on ends and says why; nothing in it is guessed.
 */
#ifndef GUEST_UNWIND_H
#define GUEST_UNWIND_H

#include <xenoprof/record.h>

#include "orc.h"

#define GUEST_FRAMES_MAX 128u
#define UNWIND_WINDOWS   2u

/* What is known of the code; every function may be NULL. */
struct unwind_code {
    const void *self;
    bool (*row)(const void *self, uint64_t address, struct orc_row *ret);
    /* Used to check the return addresses that frame pointers lead to. */
    bool (*is_code)(const void *self, uint64_t address);
    /* Code that has no row because it stands at the edge between kernel and
     * user (or Xen): below it there is nothing.  unwind_is_edge() knows its
     * names. */
    bool (*is_edge)(const void *self, uint64_t address);
    bool frame_pointers; /* where there is no row */
    /* PV guests: where Xen filled the page `hypercall_page` of a kernel that
     * has one, with code that its rows do not describe; else 0. */
    uint64_t hypercalls;
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
    bool bits32; /* 4-byte frames: code that is not 64-bit */
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

/* Whether Linux's function of that name is such an edge. */
bool unwind_is_edge(const char *name);

#endif
