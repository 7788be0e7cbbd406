/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a process from its registers and a piece of its stack.
 *
 * Pure: reads only what it is given.  The process wrote its registers and its
 * stack, and a guest's agent the rows: each read is in the window, each frame
 * lies above the one before it, and there is a last one.  A chain that cannot
 * go on ends and says why; nothing in it is guessed but where code without rows
 * is taken to have frame pointers.
 */
#ifndef XENOPROF_ROWS_USER_WALK_H
#define XENOPROF_ROWS_USER_WALK_H

#include <xenoprof/record.h>

#include "user-space.h"

#define USER_FRAMES_MAX 512u
#define USER_RED_ZONE   128u /* bytes below the stack pointer that are in use */

enum user_end {
    USER_ROOT,     /* nobody called the last frame */
    USER_WINDOW,   /* the rest lies outside of the window */
    USER_NO_ROW,   /* no row, and no frame pointer that could be one */
    USER_NO_RULE,  /* the rule is not one that a walk can follow, or wants a
                      register that is lost */
    USER_OUTSIDE,  /* the last frame is in no mapping */
    USER_NONSENSE, /* the stack contradicts itself */
    USER_DEEP,     /* there are more frames than fit */
    USER_ENDS
};

/* Bytes of the stack; the window should begin USER_RED_ZONE below the stack
 * pointer. */
struct user_window {
    uint64_t address;
    const uint8_t *bytes;
    size_t length;
};

struct user_start {
    uint64_t ip;
    const struct xenoprof_registers *registers;
    struct user_window window;
};

struct user_chain {
    uint64_t frames[USER_FRAMES_MAX]; /* leaf first */
    bool exact[USER_FRAMES_MAX]; /* interrupted there; else behind a call */
    uint32_t count;              /* at least 1: the leaf is ip */
    enum user_end end;
    /* USER_WINDOW: bytes from the start of the window to the end of what was
     * wanted next; 0 if that lies below the window. */
    uint64_t wanted;
    uint64_t sp, bp; /* of the last frame, unless the end is USER_ROOT */
};

/* Remembers the rules of addresses: one cache for many walks. */
struct row_cache;

/* Returns NULL if there is no memory. */
struct row_cache *row_cache_open(void);
/* Takes NULL. */
void row_cache_close(struct row_cache *cache);

void user_walk(struct row_cache *cache, const struct user_space *space,
               const struct user_start *start, struct user_chain *ret);

#endif
