/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PV guest's hypercall page has 32 bytes for each hypercall.  Its kernel's
 * rows say that they are functions that push nothing; those that Xen writes
 * there push rcx and r11 before the system call and pop them behind it.
 */
#include "unwind-walk.h"

#define PAGE 4096u
#define STUB 32u
#define IRET 23u /* which never returns, and is jumped to */

/* Words on the stack at each of a stub's instructions: push rcx (1 byte),
 * push r11 (2), mov eax (5), syscall (2), pop r11 (2), pop rcx (1), ret. */
static const uint8_t pushed[STUB] = {
    [1] = 1, [2] = 1, [3] = 2, [4] = 2,  [5] = 2,  [6] = 2,
    [7] = 2, [8] = 2, [9] = 2, [10] = 2, [11] = 2, [12] = 1,
};

enum unwind_end walk_by_hypercall(struct walk *walk)
{
    unsigned int offset = walk->ip % PAGE;
    struct orc_row row = {.kind = ORC_CALL, .cfa_base = ORC_BASE_SP};

    if ( offset / STUB == IRET )
        return UNWIND_ROOT;
    row.cfa_offset = 8 + 8 * pushed[offset % STUB];
    return walk_by_row(walk, &row);
}
