/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process below a kernel.  What an entry saved of it (struct pt_regs) lies
 * at the end of the task's stack, and so at the end of the last of the kernel's
 * windows.  While an entry still saves it, or has taken it off the stack, it is
 * not in a window.
 */
#include <string.h>

#include "guest/links.h"
#include "guest-below.h"
#include "rows/user-walk.h"

#define USER_END 0x0100000000000000ull /* of five levels of page tables */
#define RIGHTS   3u                    /* of a code or stack segment */

/* ns after its guest's last sample. */
#define BELOW_PATIENCE 1000000000ull

/* Of 64-bit Linux, in its order. */
struct saved {
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
    uint64_t ax, cx, dx, si, di, entry;
    uint64_t ip, cs, flags, sp, ss;
};
_Static_assert(offsetof(struct saved, sp) == GUEST_ENTRY_SP,
               "the stack pointer is where Xen looks for it");

/* Bytes behind it: none, or those that a kernel built for FRED leaves free. */
static const uint32_t gaps[] = {0, 16};

/* Xen found a stack by the word in the same place: what is saved there is an
 * entry if all of it says so. */
static bool is_entry(const struct saved *saved,
                     const struct xenoprof_window *stack)
{
    return (saved->cs & RIGHTS) == RIGHTS && (saved->ss & RIGHTS) == RIGHTS &&
           saved->ip && saved->ip < USER_END && saved->sp < USER_END &&
           saved->sp - stack->address <= USER_RED_ZONE;
}

static bool get_entry_registers(const struct guest_sample *kernel,
                                struct saved *ret)
{
    const struct xenoprof_window *last = kernel->windows[1]
                                             ? kernel->windows[1]
                                             : kernel->windows[0];

    for ( size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++ )
    {
        uint32_t size = sizeof(*ret) + gaps[i];

        if ( last->length < size )
            return false;
        memcpy(ret, (const uint8_t *)(last + 1) + last->length - size,
               sizeof(*ret));
        if ( is_entry(ret, kernel->user_window) )
            return true;
    }
    return false;
}

static struct xenoprof_registers registers_of(const struct saved *saved)
{
    return (struct xenoprof_registers){
        .rax = saved->ax,
        .rdx = saved->dx,
        .rcx = saved->cx,
        .rbx = saved->bx,
        .rsi = saved->si,
        .rdi = saved->di,
        .rbp = saved->bp,
        .rsp = saved->sp,
        .r8 = saved->r8,
        .r9 = saved->r9,
        .r10 = saved->r10,
        .r11 = saved->r11,
        .r12 = saved->r12,
        .r13 = saved->r13,
        .r14 = saved->r14,
        .r15 = saved->r15,
    };
}

bool guest_below_get(const struct guest_sample *kernel, struct guest_below *ret)
{
    struct saved saved;

    if ( kernel->mode != XENOPROF_MODE_KERNEL || !kernel->windows[0] ||
         !kernel->user_window || !get_entry_registers(kernel, &saved) )
        return false;
    ret->registers = registers_of(&saved);
    ret->sample = (struct guest_sample){
        .time = kernel->time,
        .domain = kernel->domain,
        .uuid = kernel->uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = saved.ip,
        .registers = &ret->registers,
        .windows = {kernel->user_window},
        .thread = kernel->thread,
        .tag = kernel->tag,
        .cut = kernel->cut,
    };
    return true;
}

/* Returns whether its callers can be found. */
static bool wants_user_callers(const struct guests *guests,
                               const struct guest *guest,
                               const struct guest_sample *kernel,
                               struct guest_below *ret)
{
    return guests->below_kernels && guest->user &&
           guest_below_get(kernel, ret) &&
           user_stacks_want(guests, guest, &ret->sample);
}

/* Of a guest that makes processes all the time, all samples in the kernel would
 * wait for what the agent says of each; so one waits for a while only. */
static bool has_waited_enough(const struct guest *guest,
                              const struct guest_sample *kernel)
{
    return guest->last > kernel->time + BELOW_PATIENCE &&
           !user_stacks_know(&guest->user->stacks, kernel);
}

enum guest_wait guest_below_wait(const struct guests *guests,
                                 const struct guest *guest,
                                 const struct guest_sample *kernel)
{
    struct guest_below below;
    enum guest_wait wait = wants_user_callers(guests, guest, kernel, &below)
                               ? guest_user_wait(guests, guest, &below.sample)
                               : GUEST_READY;

    return wait == GUEST_NOT_ASKED && has_waited_enough(guest, kernel)
               ? GUEST_READY
               : wait;
}

bool guest_below_ask(struct guests *guests, struct guest *guest,
                     const struct guest_sample *kernel)
{
    struct guest_below below;

    return !wants_user_callers(guests, guest, kernel, &below) ||
           has_waited_enough(guest, kernel) ||
           guest_user_ask(guests, guest, &below.sample);
}

bool guest_below_can_ask(const struct guests *guests, const struct guest *guest,
                         const struct guest_sample *kernel)
{
    struct guest_below below;

    return wants_user_callers(guests, guest, kernel, &below) &&
           !has_waited_enough(guest, kernel) &&
           guest_user_can_ask(guests, guest, &below.sample);
}

/* What is away may be of other samples, too. */
bool guest_below_walks(const struct guest *guest,
                       const struct guest_sample *kernel)
{
    return guest->user && kernel->user_window &&
           guest_user_is_away(guest->user);
}
