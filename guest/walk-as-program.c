/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "walk-as-program.h"

#include "linux/special-code.h"
#include "rows/user-walk.h"
#include "stack-walk.h"

static bool window_word(const struct unwind_start *start, uint64_t address,
                        uint64_t *ret)
{
    const uint8_t *bytes = walk_window(&start->windows[0], address,
                                       sizeof(*ret));

    if ( bytes )
        memcpy(ret, bytes, sizeof(*ret));
    return bytes;
}

/* Compilers know nothing of the hypercall page, which Xen writes. */
static bool in_hypercall(const struct unwind_code *code, uint64_t ip)
{
    return code->special && code->special(code->self, ip) == UNWIND_HYPERCALL;
}

/* From a stub of that page to who called it. */
static bool leave_hypercall(const struct unwind_code *code,
                            const struct unwind_start *start,
                            struct user_start *from,
                            struct xenoprof_registers *registers)
{
    unsigned int pushed = code->pv ? hypercall_pushed(start->ip) : 0;
    uint64_t at = registers->rsp + pushed * sizeof(uint64_t);

    registers->rsp = at + sizeof(uint64_t);
    return window_word(start, at, &from->ip);
}

/* Code in assembly begins a thread with no frame pointer, and 0 in the place of
 * a return address. */
static bool begins_thread_of_program(const struct unwind_start *start,
                                     const struct user_chain *chain)
{
    uint64_t word;

    return chain->end == USER_NO_ROW && !chain->bp && chain->count > 1 &&
           window_word(start, chain->sp, &word) && !word;
}

static enum unwind_end end_of_program(const struct unwind_start *start,
                                      const struct user_chain *chain)
{
    switch ( chain->end )
    {
    case USER_ROOT: return UNWIND_ROOT;
    case USER_WINDOW: return UNWIND_WINDOW;
    case USER_NO_ROW:
    case USER_NO_RULE:
        return begins_thread_of_program(start, chain) ? UNWIND_ROOT
                                                      : UNWIND_NO_RULE;
    default: return UNWIND_NONSENSE;
    }
}

/* Appends the chain's frames, but for a last one that is not in the kernel. */
static void take_program_frames(const struct unwind_start *start,
                                const struct user_chain *chain, uint32_t before,
                                struct unwind_result *ret)
{
    uint32_t count = chain->count - (chain->end == USER_OUTSIDE);

    ret->end = end_of_program(start, chain);
    for ( uint32_t i = 0; i < count; i++ )
    {
        if ( before + i == GUEST_FRAMES_MAX )
        {
            ret->end = UNWIND_NONSENSE;
            break;
        }
        ret->frames[before + i] = chain->frames[i];
        ret->exact[before + i] = chain->exact[i] && (i || !before);
        ret->count = before + i + 1;
    }
}

void walk_as_program(const struct unwind_code *code,
                     const struct unwind_start *start,
                     struct unwind_result *ret)
{
    struct xenoprof_registers registers = *start->registers;
    const struct unwind_window *window = &start->windows[0];
    struct user_start from = {
        .ip = start->ip,
        .registers = &registers,
        .window = {window->address, window->bytes, window->length},
    };
    const bool stub = in_hypercall(code, start->ip);
    struct user_chain chain;

    if ( stub && !leave_hypercall(code, start, &from, &registers) )
    {
        ret->end = UNWIND_WINDOW;
        return;
    }
    user_walk(code->cache, code->space, &from, &chain);
    take_program_frames(start, &chain, stub, ret);
}
