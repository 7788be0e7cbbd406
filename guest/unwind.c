/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind-walk.h"

static enum orc_kind find_row(const struct walk *walk, struct orc_row *row)
{
    const struct unwind_code *code = walk->code;

    /* The instruction behind a call may be another function's. */
    if ( !walk->start->kernel || !code->row ||
         !code->row(code->self, walk->ip - !walk->exact, row) )
        return ORC_UNDEFINED;
    return row->kind;
}

/* Compilers push no frame pointer first that they do not set up. */
static bool may_switch(const struct orc_row *row)
{
    return row->kind == ORC_CALL && row->cfa_base == ORC_BASE_SP &&
           row->cfa_offset >= UNWIND_SWITCHED &&
           row->cfa_offset <= UNWIND_SWITCHING_MAX &&
           row->bp_base == ORC_BASE_CFA && row->bp_offset == -16;
}

static enum unwind_special find_special(const struct walk *walk,
                                        enum orc_kind kind,
                                        const struct orc_row *row)
{
    const struct unwind_code *code = walk->code;
    enum unwind_special special;

    if ( !walk->exact || !code->special || !walk->start->kernel )
        return UNWIND_ORDINARY;
    if ( kind >= ORC_CALL && !code->pv && !may_switch(row) )
        return UNWIND_ORDINARY;
    special = code->special(code->self, walk->ip);
    return special != UNWIND_HYPERCALL || code->pv ? special : UNWIND_ORDINARY;
}

/* Of the others' code it is only parts that have no row, or end the stack. */
static bool applies(enum unwind_special special, enum orc_kind kind,
                    const struct orc_row *row)
{
    switch ( special )
    {
    case UNWIND_ORDINARY: return false;
    case UNWIND_HYPERCALL: return true;
    case UNWIND_SWITCH: return kind != ORC_UNDEFINED && may_switch(row);
    default: return kind < ORC_CALL;
    }
}

static enum unwind_end step(struct walk *walk)
{
    struct orc_row row;
    enum orc_kind kind = find_row(walk, &row);
    enum unwind_special special = find_special(walk, kind, &row);

    if ( applies(special, kind, &row) )
        return walk_by_special(walk, special);
    if ( kind != ORC_UNDEFINED )
        return walk_by_row(walk, &row);
    if ( !walk->start->kernel || walk->code->frame_pointers )
        return walk_by_frame_pointer(walk);
    return UNWIND_NO_RULE;
}

/* A new thread's stack is made to return to code that nothing called: the
 * address before it is no code, and the stack ends with it. */
static bool begins_thread(const struct walk *walk)
{
    struct orc_row row;

    return walk->start->kernel && walk->code->row && !walk->exact &&
           walk->code->row(walk->code->self, walk->ip, &row) &&
           row.kind == ORC_END;
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
    if ( end != UNWIND_NO_RULE || !begins_thread(walk) )
        return end;
    result->exact[result->count - 1] = true;
    return UNWIND_ROOT;
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
