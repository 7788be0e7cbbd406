/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks a stack: each step takes the first unwinder that knows the frame. */
#include "unwind.h"

#include "linux/special-code.h"
#include "stack-walk.h"
#include "walk-as-program.h"

static bool get_unwind_row(const struct stack_walk *walk, uint64_t address,
                           struct unwind_row *ret)
{
    return walk->row_of(walk->code->self, address, ret);
}

static enum unwind_end find_next_frame(struct stack_walk *walk)
{
    enum unwind_end end = UNWIND_PASS;

    /* The instruction behind a call may be another function's. */
    if ( !get_unwind_row(walk, walk->ip - !walk->exact, &walk->row) )
        walk->row = (struct unwind_row){.kind = ROW_UNDEFINED};
    if ( walk->exact )
        end = walk_by_special_code(walk);
    if ( end == UNWIND_PASS && walk->row.usual && walk_pass_call(walk) )
        return UNWIND_ON;
    if ( end == UNWIND_PASS )
        end = walk_by_row(walk);
    if ( end == UNWIND_PASS )
        end = walk_by_frame_pointer(walk);
    return end == UNWIND_PASS ? UNWIND_NO_RULE : end;
}

/* The stack of a new thread is made to return to code that nothing called:
 * the address before it is not in that function, and the stack ends there. */
static bool begins_thread(const struct stack_walk *walk)
{
    struct unwind_row row;

    return !walk->exact && get_unwind_row(walk, walk->ip, &row) &&
           row.kind == ROW_END;
}

static enum unwind_end walk_up(struct stack_walk *walk,
                               struct unwind_result *result)
{
    enum unwind_end end;
    uint32_t count = 1;

    while ( (end = find_next_frame(walk)) == UNWIND_ON &&
            count < GUEST_FRAMES_MAX )
    {
        result->frames[count] = walk->ip;
        result->exact[count++] = walk->exact;
    }
    result->count = count;
    if ( end == UNWIND_ON )
        return UNWIND_NONSENSE;
    if ( end != UNWIND_NO_RULE || !begins_thread(walk) )
        return end;
    result->exact[count - 1] = true;
    return UNWIND_ROOT;
}

void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret)
{
    struct stack_walk walk;

    ret->frames[0] = start->ip;
    ret->exact[0] = true;
    ret->count = 1;
    ret->end = UNWIND_NO_RULE;
    if ( !start->registers )
        return;
    if ( code->space && start->kernel )
    {
        walk_as_program(code, start, ret);
        return;
    }
    walk_start(&walk, code, start);
    ret->end = walk_up(&walk, ret);
}
