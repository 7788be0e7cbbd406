/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The windows of a stack, and reading frames from them. */
#include "stack-walk.h"

_Static_assert(UNWIND_WINDOWS == 2, "the other window is !this one");

/* Whether code below 4 GiB is 64-bit.  In 32-bit code the upper half of the
 * 8 bytes at the frame pointer would be a return address. */
static bool is_64bit(const struct stack_walk *walk)
{
    uint64_t bp, ip;

    if ( walk->sp >> 32 )
        return true;
    return walk_read(walk, walk->bp, &bp) &&
           walk_read(walk, walk->bp + 8, &ip) && !(bp >> 32) && ip &&
           !(ip >> 32);
}

static bool no_unwind_row(const void *self, uint64_t address,
                          struct unwind_row *ret)
{
    (void)self;
    (void)address;
    (void)ret;
    return false;
}

void walk_start(struct stack_walk *walk, const struct unwind_code *code,
                const struct unwind_start *start)
{
    unsigned int stack;

    *walk = (struct stack_walk){
        .code = code,
        .start = start,
        .row_of = start->kernel && code->row ? code->row : no_unwind_row,
        .ip = start->ip,
        .exact = true,
        .word = 8,
        .sp = start->registers->rsp,
        .bp = start->registers->rbp,
        .registers = REGISTERS_LEAF};
    if ( start->bits32 && !is_64bit(walk) )
    {
        walk->word = 4;
        walk->bp = (uint32_t)walk->bp;
    }
    if ( walk_bytes(walk, walk->sp, 1, &stack) )
    {
        walk->stack = stack;
        walk->floors[stack] = walk->sp;
    }
    walk_note_window(walk);
}
