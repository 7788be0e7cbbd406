/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinder that follows frame pointers: the caller's frame pointer lies
 * where the frame's points, and the return address above it.  Where a pt_regs
 * lies instead, Linux's entry code makes the frame pointer an address that
 * cannot be one: odd on 64-bit, in the user's half on 32-bit, since Linux
 * commit 5c99b692cfd6 ("x86/unwind: Use MSB for frame pointer encoding on
 * 32-bit") (v4.14).
 */
#include "stack-walk.h"

struct saved_frame {
    uint16_t bp, ip, cs, sp, size;
};

static const struct saved_frame saved_64 = {32, 128, 136, 152, 160};
/* Only a user's sp is saved; the kernel's stack goes on at its offset. */
static const struct saved_frame saved_32 = {20, 48, 52, 60, 60};

#define KERNEL_HALF_32 0x80000000u

static bool is_in_window(const struct stack_walk *walk, uint64_t address)
{
    uint64_t word;

    return walk_read(walk, address, &word);
}

/* Returns whether the frame pointer stands for a pt_regs, and its address in
 * *at. */
static bool is_saved(const struct stack_walk *walk, uint64_t *at)
{
    if ( !walk->start->kernel )
        return false;
    if ( walk->word == 8 )
    {
        *at = walk->bp - 1;
        return walk->bp & 1;
    }
    *at = walk->bp | KERNEL_HALF_32;
    return walk->bp < KERNEL_HALF_32 && !is_in_window(walk, walk->bp) &&
           is_in_window(walk, *at);
}

static enum unwind_end from_saved(struct stack_walk *walk, uint64_t at)
{
    const struct saved_frame *saved = walk->word == 8 ? &saved_64 : &saved_32;
    enum unwind_end end = walk_rise(walk, at, saved->size);

    if ( end != UNWIND_ON )
        return end;
    if ( (walk_member(walk, saved->cs) & 3) == 3 )
        return UNWIND_USER;
    walk->sp = walk->word == 8 ? walk_member(walk, saved->sp) : at + saved->sp;
    walk->ip = walk_member(walk, saved->ip);
    walk->bp = walk_member(walk, saved->bp);
    walk->registers = REGISTERS_SAVED;
    walk->saved = at;
    walk->exact = true;
    return UNWIND_ON;
}

static enum unwind_end from_frame(struct stack_walk *walk)
{
    uint64_t at = walk->bp;
    unsigned int word = walk->word;
    enum unwind_end end;

    end = walk_rise(walk, at, 2 * word);
    /* A caller's frame is never below its callee's, so the register is used
     * for something else. */
    if ( end == UNWIND_WINDOW && at < walk->sp )
        return UNWIND_NONSENSE;
    if ( end != UNWIND_ON )
        return end;
    walk->bp = walk_member(walk, 0);
    walk->ip = walk_member(walk, word);
    walk->sp = at + 2 * word;
    walk->registers = REGISTERS_LOST;
    walk->exact = false;
    return UNWIND_ON;
}

/* The upper bits of a 64-bit address are all equal. */
static bool is_address(uint64_t address)
{
    uint64_t top = address >> 56;

    return top == 0 || top == 0xff;
}

static bool may_be_code(const struct stack_walk *walk)
{
    const struct unwind_code *code = walk->code;

    if ( !is_address(walk->ip) || (!walk->start->kernel && walk->ip >> 56) )
        return false;
    return !code->is_code || code->is_code(code->self, walk->ip - !walk->exact);
}

enum unwind_end walk_by_frame_pointer(struct stack_walk *walk)
{
    enum unwind_end end;
    uint64_t saved;

    if ( walk->start->kernel && !walk->code->frame_pointers )
        return UNWIND_PASS;
    if ( !walk->bp )
        return UNWIND_ROOT;
    if ( !is_address(walk->bp) )
        return UNWIND_NONSENSE;
    end = is_saved(walk, &saved) ? from_saved(walk, saved) : from_frame(walk);
    if ( end != UNWIND_ON )
        return end;
    if ( !walk->ip )
        return UNWIND_ROOT;
    return may_be_code(walk) ? UNWIND_ON : UNWIND_NONSENSE;
}
