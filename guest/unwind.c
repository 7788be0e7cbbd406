/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind-walk.h"

static bool has_row(const struct walk *walk, struct orc_row *row)
{
    const struct unwind_code *code = walk->code;

    /* The instruction behind a call may be another function's. */
    return walk->start->kernel && code->row &&
           code->row(code->self, walk->ip - !walk->exact, row) &&
           row->kind != ORC_UNDEFINED;
}

static bool is_edge(const struct walk *walk)
{
    const struct unwind_code *code = walk->code;

    return walk->exact && walk->start->kernel && code->is_edge &&
           code->is_edge(code->self, walk->ip);
}

static enum unwind_end step(struct walk *walk)
{
    struct orc_row row;

    if ( walk->exact && walk_is_hypercall(walk) )
        return walk_by_hypercall(walk);
    if ( has_row(walk, &row) )
        return walk_by_row(walk, &row);
    if ( is_edge(walk) )
        return UNWIND_ROOT;
    if ( !walk->start->kernel || walk->code->frame_pointers )
        return walk_by_frame_pointer(walk);
    return UNWIND_NO_RULE;
}

static void add(struct unwind_result *result, uint64_t ip, bool exact)
{
    result->frames[result->count] = ip;
    result->exact[result->count++] = exact;
}

static enum unwind_end walk_up(struct walk *walk, struct unwind_result *result)
{
    enum unwind_end end;

    while ( (end = step(walk)) == UNWIND_ON )
    {
        if ( result->count == GUEST_FRAMES_MAX )
            return UNWIND_NONSENSE;
        add(result, walk->ip, walk->exact);
    }
    return end;
}

void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret)
{
    struct walk walk;

    ret->count = 0;
    add(ret, start->ip, true);
    ret->end = UNWIND_NO_RULE;
    if ( !start->registers )
        return;
    walk_start(&walk, code, start);
    ret->end = walk_up(&walk, ret);
}
