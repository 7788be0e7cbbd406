/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "unwind-walk.h"

static bool covers(const struct unwind_window *window, uint64_t address,
                   size_t size)
{
    uint64_t offset = address - window->address;

    return offset < window->length && window->length - offset >= size;
}

/* The window that has all of it, the current one first: stacks may overlap
 * in what a guest makes us see. */
static bool find_window(const struct walk *walk, uint64_t address, size_t size,
                        unsigned int *ret)
{
    for ( unsigned int i = 0; i < UNWIND_WINDOWS; i++ )
    {
        *ret = (walk->stack + i) % UNWIND_WINDOWS;
        if ( covers(&walk->start->windows[*ret], address, size) )
            return true;
    }
    return false;
}

void walk_start(struct walk *walk, const struct unwind_code *code,
                const struct unwind_start *start)
{
    *walk = (struct walk){.code = code,
                          .start = start,
                          .ip = start->ip,
                          .exact = true,
                          .sp = start->registers->rsp,
                          .bp = start->registers->rbp,
                          .registers = REGISTERS_LEAF};
    if ( start->bits32 )
    {
        walk->sp = (uint32_t)walk->sp;
        walk->bp = (uint32_t)walk->bp;
    }
    if ( find_window(walk, walk->sp, 1, &walk->stack) )
        walk->floors[walk->stack] = walk->sp;
}

bool walk_read(const struct walk *walk, uint64_t address, uint64_t *ret)
{
    unsigned int word = walk_word(walk), stack;
    const struct unwind_window *window;

    if ( !find_window(walk, address, word, &stack) )
        return false;
    window = &walk->start->windows[stack];
    *ret = 0;
    memcpy(ret, window->bytes + (address - window->address), word);
    return true;
}

enum unwind_end walk_rise(struct walk *walk, uint64_t address, size_t size)
{
    unsigned int stack;

    if ( address % walk_word(walk) )
        return UNWIND_NONSENSE;
    if ( !find_window(walk, address, size, &stack) )
        return UNWIND_WINDOW;
    if ( address < walk->floors[stack] )
        return UNWIND_NONSENSE;
    walk->floors[stack] = address + size;
    walk->stack = stack;
    return UNWIND_ON;
}
