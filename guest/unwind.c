/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks a stack: each step takes the first unwinder that knows the frame. */
#include "unwind.h"

#include "linux/special-code.h"
#include "stack-walk.h"

static enum unwind_end no_rule(struct stack_walk *walk)
{
    (void)walk;
    return UNWIND_NO_RULE;
}

static enum unwind_end (*const unwinders[])(struct stack_walk *walk) = {
    walk_by_special_code, /* of interrupted frames only */
    walk_by_row,
    walk_by_frame_pointer,
    no_rule,
};

static bool get_row(const struct stack_walk *walk, uint64_t address,
                    struct unwind_row *ret)
{
    const struct unwind_code *code = walk->code;

    return walk->start->kernel && code->row &&
           code->row(code->self, address, ret);
}

static enum unwind_end step(struct stack_walk *walk)
{
    enum unwind_end end;
    unsigned int i = !walk->exact;

    /* The instruction behind a call may be another function's. */
    if ( !get_row(walk, walk->ip - !walk->exact, &walk->row) )
        walk->row.kind = ROW_UNDEFINED;
    do
        end = unwinders[i++](walk);
    while ( end == UNWIND_PASS );
    return end;
}

/* The stack of a new thread is made to return to code that nothing called:
 * the address before it is not in that function, and the stack ends there. */
static bool begins_thread(const struct stack_walk *walk)
{
    struct unwind_row row;

    return !walk->exact && get_row(walk, walk->ip, &row) && row.kind == ROW_END;
}

static void add(struct unwind_result *result, uint64_t ip, bool exact)
{
    result->frames[result->count] = ip;
    result->exact[result->count++] = exact;
}

static enum unwind_end walk_up(struct stack_walk *walk,
                               struct unwind_result *result)
{
    enum unwind_end end;

    while ( (end = step(walk)) == UNWIND_ON )
    {
        if ( result->count == GUEST_FRAMES_MAX )
            return UNWIND_NONSENSE;
        add(result, walk->ip, walk->exact);
    }
    if ( end != UNWIND_NO_RULE || !begins_thread(walk) )
        return end;
    result->exact[result->count - 1] = true;
    return UNWIND_ROOT;
}

void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret)
{
    struct stack_walk walk;

    ret->count = 0;
    add(ret, start->ip, true);
    ret->end = UNWIND_NO_RULE;
    if ( !start->registers )
        return;
    walk_start(&walk, code, start);
    ret->end = walk_up(&walk, ret);
}
