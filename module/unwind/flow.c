/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Propagates frames along the flow until nothing changes, by a work queue. */
#include "flow.h"

#include <errno.h>
#include <string.h>

#include "base/sorted.h"
#include "flow-nodes.h"

#define ELSEWHERE (UNWIND_ROLE_ENTRY | UNWIND_ROLE_APART)
#define THUNK     "__x86_indirect_thunk"

struct unwind_flow {
    const struct listing *listing;
    const struct unwind_fixups *fixups;
    const struct jump_tables *tables;
    struct unwind_frame *frames;
    struct flow_nodes nodes;
};

static void reach(struct unwind_flow *flow, uint32_t to,
                  const struct unwind_frame *frame, uint32_t owner)
{
    struct flow_node *node = &flow->nodes.list[to];

    if ( flow->listing->items[to].roles & ELSEWHERE )
        return;
    if ( node->owner == UNWIND_NOWHERE )
        node->owner = owner;
    else
        flow_unite(&flow->nodes, node->owner, owner);
    if ( unwind_frame_join(&flow->frames[to], frame) )
        flow_enqueue(&flow->nodes, to);
}

/* A jump to the start of a function is a tail call, which returns to our
 * caller. */
static bool is_tail(const struct unwind_flow *flow, uint32_t insn, uint32_t to)
{
    return flow->listing->items[to].roles & UNWIND_ROLE_FUNCTION &&
           flow->nodes.list[insn].owner != to;
}

/* Xen's wait queues switch to another stack by a jump into another function,
 * which must not lose its own frame to that. */
static bool spreads_ignorance(const struct unwind_flow *flow, uint32_t insn,
                              uint32_t to, const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_LOST && !frame->framed &&
           listing_symbol_of(flow->listing, insn) !=
               listing_symbol_of(flow->listing, to);
}

static void go(struct unwind_flow *flow, uint32_t insn, uint32_t to,
               const struct unwind_frame *frame)
{
    if ( to == UNWIND_NOWHERE )
        return;
    if ( !is_tail(flow, insn, to) )
        reach(flow, to, frame, flow->nodes.list[insn].owner);
    else if ( flow_returns(&flow->nodes, to) )
        flow_comes_back(&flow->nodes, insn);
    else
        flow_wait(&flow->nodes, insn, to);
}

static void go_on(struct unwind_flow *flow, uint32_t insn,
                  const struct unwind_frame *frame)
{
    go(flow, insn, listing_next(flow->listing, insn), frame);
}

/* Returns whether the jump has a table, and then goes wherever that leads. */
static bool go_by_table(struct unwind_flow *flow, uint32_t insn,
                        const struct unwind_frame *frame)
{
    const struct jump_tables *tables = flow->tables;
    size_t first = sorted_below(tables->items, tables->count, insn, insn), at;

    for ( at = first; at < tables->count && tables->items[at].insn == insn;
          at++ )
        go(flow, insn, tables->items[at].to, frame);
    return at != first;
}

static void jump(struct unwind_flow *flow, uint32_t insn,
                 const struct unwind_frame *frame)
{
    uint32_t to = flow->listing->items[insn].to;

    if ( to == UNWIND_NOWHERE && go_by_table(flow, insn, frame) )
        return;
    /* Any other jump through a register, or out of the code, is taken to
     * return. */
    if ( to == UNWIND_NOWHERE )
        flow_comes_back(&flow->nodes, insn);
    else if ( !spreads_ignorance(flow, insn, to, frame) )
        go(flow, insn, to, frame);
}

/* Whether a call goes through a register, perhaps by one of Xen's thunks. */
static bool is_indirect(const struct listing *listing,
                        const struct unwind_insn *insn)
{
    const struct listing_symbol *symbol = listing_symbol_at(listing,
                                                            insn->target);

    return !insn->target ||
           (symbol && !strncmp(symbol->name, THUNK, strlen(THUNK)));
}

static void call(struct unwind_flow *flow, uint32_t insn,
                 struct unwind_frame *frame)
{
    const struct listing *listing = flow->listing;
    uint32_t to = listing->items[insn].to;
    uint8_t roles = to == UNWIND_NOWHERE ? 0 : listing->items[to].roles;

    /* reset_stack_and_call_ind() ends here (Xen commit 8e186f98ce, 4.19). */
    if ( frame->base == UNWIND_BASE_RESET &&
         is_indirect(listing, &listing->items[insn]) )
        return;
    if ( to != UNWIND_NOWHERE && !(roles & (UNWIND_ROLE_FUNCTION | ELSEWHERE)) )
    {
        unwind_frame_push(frame);
        reach(flow, to, frame, flow->nodes.list[insn].owner);
        return;
    }
    if ( roles & UNWIND_ROLE_FUNCTION && !flow_returns(&flow->nodes, to) )
    {
        flow_wait(&flow->nodes, insn, to);
        return;
    }
    unwind_frame_called(frame);
    go_on(flow, insn, frame);
}

/*
 * When one of the emulator's stubs faults, Xen replaces the return address of
 * the call by a word, and goes on at the fixup of that address, which pops the
 * word.
 */
static bool leaves_word(const struct listing *listing,
                        const struct unwind_fixup *fixup)
{
    return fixup->insn &&
           listing->items[fixup->insn - 1].op == UNWIND_OP_CALL &&
           listing->items[fixup->to].op == UNWIND_OP_POP;
}

static void fault(struct unwind_flow *flow, uint32_t insn,
                  const struct unwind_frame *frame)
{
    size_t low = 0, high = flow->fixups->count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( flow->fixups->list[middle].insn < insn )
            low = middle + 1;
        else
            high = middle;
    }
    for ( ; low < flow->fixups->count && flow->fixups->list[low].insn == insn;
          low++ )
    {
        const struct unwind_fixup *fixup = &flow->fixups->list[low];
        struct unwind_frame there = *frame;

        if ( leaves_word(flow->listing, fixup) )
            unwind_frame_push(&there);
        reach(flow, fixup->to, &there, flow->nodes.list[insn].owner);
    }
}

static void visit(struct unwind_flow *flow, uint32_t at)
{
    const struct unwind_insn *insn = &flow->listing->items[at];
    struct unwind_frame frame = flow->frames[at];

    if ( insn->roles & UNWIND_ROLE_FIXUP )
        fault(flow, at, &frame);
    switch ( insn->op )
    {
    case UNWIND_OP_CALL: call(flow, at, &frame); return;
    case UNWIND_OP_JUMP: jump(flow, at, &frame); return;
    case UNWIND_OP_BRANCH:
        jump(flow, at, &frame);
        go_on(flow, at, &frame);
        return;
    case UNWIND_OP_RETURN: flow_comes_back(&flow->nodes, at); return;
    case UNWIND_OP_INTERRUPT_RETURN:
        unwind_frame_returned(&frame);
        go_on(flow, at, &frame);
        return;
    case UNWIND_OP_TRAP:
        if ( insn->roles & UNWIND_ROLE_CONTINUES )
            go_on(flow, at, &frame);
        return;
    case UNWIND_OP_STOP:
    case UNWIND_OP_INT3:
    case UNWIND_OP_BAD: return;
    default: break;
    }
    unwind_frame_step(&frame, insn);
    go_on(flow, at, &frame);
}

static void visit_all(struct unwind_flow *flow)
{
    while ( flow->nodes.head != UNWIND_NOWHERE )
        visit(flow, flow_dequeue(&flow->nodes));
}

static bool is_reached(const struct unwind_flow *flow, uint32_t insn)
{
    return flow->frames[insn].base != UNWIND_BASE_NONE;
}

/* Whether there is code behind an instruction that is not reached yet; space
 * between functions is not. */
static bool skips_code(const struct unwind_flow *flow, uint32_t insn)
{
    const uint32_t next = listing_next(flow->listing, insn);
    const struct unwind_insn *items = flow->listing->items;

    return next != UNWIND_NOWHERE && !is_reached(flow, next) &&
           items[next].op != UNWIND_OP_NOP && items[next].op != UNWIND_OP_INT3;
}

static void go_past_jumps(struct unwind_flow *flow)
{
    for ( uint32_t i = 0; i < flow->listing->count; i++ )
    {
        const struct unwind_insn *insn = &flow->listing->items[i];

        if ( insn->op != UNWIND_OP_JUMP ||
             !(insn->roles & UNWIND_ROLE_CONTINUES) || !is_reached(flow, i) ||
             !skips_code(flow, i) )
            continue;
        go_on(flow, i, &flow->frames[i]);
        visit_all(flow);
    }
}

int unwind_follow(const struct listing *listing,
                  const struct unwind_fixups *fixups,
                  const struct jump_tables *tables, struct unwind_frame *frames)
{
    struct unwind_flow flow = {.listing = listing,
                               .fixups = fixups,
                               .tables = tables,
                               .frames = frames};

    if ( flow_nodes_open(&flow.nodes, listing->count) )
        return -ENOMEM;
    memset(frames, 0, listing->count * sizeof(*frames));
    for ( uint32_t i = 0; i < listing->count; i++ )
        if ( listing->items[i].roles & UNWIND_ROLE_FUNCTION )
            reach(&flow, i, &unwind_frame_start, i);
    visit_all(&flow);
    go_past_jumps(&flow);
    flow_nodes_close(&flow.nodes);
    return 0;
}

/*
 * Whether flow goes on to the next instruction, as far as the instruction says.
 */
static bool goes_on(const struct unwind_insn *insn)
{
    switch ( insn->op )
    {
    case UNWIND_OP_CALL:
    case UNWIND_OP_JUMP:
    case UNWIND_OP_RETURN:
    case UNWIND_OP_INTERRUPT_RETURN:
    case UNWIND_OP_TRAP:
    case UNWIND_OP_STOP:
    case UNWIND_OP_INT3:
    case UNWIND_OP_BAD: return false;
    default: return true;
    }
}

/* Whether only a return address is on the stack. */
static bool as_function(const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_RSP &&
           frame->depth == unwind_frame_start.depth;
}

size_t unwind_drop_labels(struct listing *listing,
                          const struct unwind_frame *frames)
{
    size_t count = 0;

    for ( uint32_t i = 1; i < listing->count; i++ )
    {
        const struct unwind_insn *before = &listing->items[i - 1];
        struct unwind_frame frame = frames[i - 1];

        if ( !(listing->items[i].roles & UNWIND_ROLE_FUNCTION) ||
             before->text != listing->items[i].text || !goes_on(before) ||
             frame.base == UNWIND_BASE_NONE )
            continue;
        unwind_frame_step(&frame, before);
        if ( as_function(&frame) )
            continue;
        listing->items[i].roles &= ~UNWIND_ROLE_FUNCTION;
        count++;
    }
    return count;
}
