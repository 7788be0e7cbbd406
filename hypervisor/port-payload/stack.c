/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's own stacks, and the table for walking them.
 */
#include <xenoprof/unwind.h>

#include "xen.h"

/* unwind-data.c */
extern const struct xenoprof_unwind unwind_table
    __attribute__((visibility("hidden")));
extern const char module_text_start[] __attribute__((visibility("hidden")));

/* A pCPU has eight pages of stacks, from the bottom: 0 and 5 are shadow stacks
 * or guard pages, 1 to 4 belong to one exception each, 6 and 7 are the main
 * stack. */
#define PAGE           XENOPROF_PAGE_SIZE
#define MAIN_SIZE      XEN_MAIN_STACK_SIZE
#define FIRST_OF_EVENT 1u
#define LAST_OF_EVENT  4u

const void *port_unwind_table(uint64_t *size, uint64_t *own_text)
{
    *size = unwind_table.size;
    *own_text = (uintptr_t)module_text_start;
    return unwind_table.size ? &unwind_table : NULL;
}

bool port_xen_stack_of(uint64_t sp, struct port_span *ret)
{
    uint64_t end = (uintptr_t)xen_stack_end();
    uint64_t page = (sp & (XEN_STACK_SIZE - 1)) / PAGE;

    if ( sp >= end || end - sp > XEN_STACK_SIZE )
        return false;
    if ( end - sp <= MAIN_SIZE )
    {
        *ret = (struct port_span){.low = end - MAIN_SIZE, .high = end};
        return true;
    }
    ret->low = sp & ~(uint64_t)(PAGE - 1);
    ret->high = ret->low + PAGE;
    return page >= FIRST_OF_EVENT && page <= LAST_OF_EVENT;
}

uint64_t port_stack_room(void)
{
    struct port_span stack;
    uint64_t sp;

    asm("mov %%rsp, %0" : "=r"(sp));
    return port_xen_stack_of(sp, &stack) ? sp - stack.low : 0;
}

/* Where Xen's entry code saves registers in a frame, in words. */
enum { SAVED_RBP = 4, SAVED_R10 = 7, SAVED_RAX = 10 };

bool port_xen_stack(const struct port_frame *frame, struct port_xen_stack *ret)
{
    const uint64_t *saved = (const uint64_t *)frame;
    uint64_t end = (uintptr_t)xen_stack_end();

    ret->ip = xen_u64(frame, FRAME_IP);
    ret->sp = xen_u64(frame, FRAME_SP);
    ret->bp = saved[SAVED_RBP];
    ret->ax = saved[SAVED_RAX];
    ret->r10 = saved[SAVED_R10];
    ret->root = (uintptr_t)xen_guest_frame();
    return ret->sp < end && end - ret->sp <= XEN_STACK_SIZE;
}
