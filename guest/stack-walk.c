/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The windows of a stack, and reading frames from them. */
#include "stack-walk.h"

_Static_assert(UNWIND_WINDOWS == 2, "the other window is !this one");

/* Returns the window's bytes at address, or NULL if not all are in it. */
static const uint8_t *bytes_in(const struct unwind_window *window,
                               uint64_t address, size_t size)
{
    uint64_t offset = address - window->address;

    if ( offset >= window->length || window->length - offset < size )
        return NULL;
    return window->bytes + offset;
}

/* Returns bytes of the stack, and in *stack which window they are in, or NULL
 * if they are in none.  The current window is tried first, since a guest may
 * make windows overlap. */
static const uint8_t *find_bytes(const struct stack_walk *walk,
                                 uint64_t address, size_t size,
                                 unsigned int *stack)
{
    const uint8_t *bytes;

    *stack = walk->stack;
    bytes = bytes_in(&walk->start->windows[*stack], address, size);
    if ( bytes )
        return bytes;
    *stack = !*stack;
    return bytes_in(&walk->start->windows[*stack], address, size);
}

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

void walk_start(struct stack_walk *walk, const struct unwind_code *code,
                const struct unwind_start *start)
{
    unsigned int stack;

    *walk = (struct stack_walk){.code = code,
                                .start = start,
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
    if ( find_bytes(walk, walk->sp, 1, &stack) )
    {
        walk->stack = stack;
        walk->floors[stack] = walk->sp;
    }
}

bool walk_read(const struct stack_walk *walk, uint64_t address, uint64_t *ret)
{
    unsigned int stack;
    const uint8_t *bytes = find_bytes(walk, address, walk->word, &stack);

    if ( bytes )
        *ret = walk_load(walk, bytes);
    return bytes;
}

enum unwind_end walk_rise(struct stack_walk *walk, uint64_t address,
                          size_t size)
{
    unsigned int stack;
    const uint8_t *bytes = find_bytes(walk, address, size, &stack);

    if ( address & (walk->word - 1) )
        return UNWIND_NONSENSE;
    if ( !bytes )
        return UNWIND_WINDOW;
    if ( address < walk->floors[stack] )
        return UNWIND_NONSENSE;
    walk->floors[stack] = address + size;
    walk->stack = stack;
    walk->frame = bytes;
    return UNWIND_ON;
}
