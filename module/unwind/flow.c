/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Propagates frames along the flow until nothing changes, by a work queue. */
#include "flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define ELSEWHERE (UNWIND_ROLE_ENTRY | UNWIND_ROLE_APART)
#define THUNK     "__x86_indirect_thunk"

/*
 * A function is identified by its first instruction, and owns the instructions
 * that its flow reaches.  Functions that share code return together, and form a
 * ring.
 */
struct flow_node {
    uint32_t owner;  /* of an instruction; NOWHERE if it is not reached */
    uint32_t ring;   /* of a function: the next one in its ring */
    uint32_t first;  /* of a function: the first that waits for its return */
    uint32_t waits;  /* of an instruction: the next that waits likewise */
    uint32_t next;   /* the next in the queue */
    uint32_t parent; /* of a function: towards the root of its ring */
    bool returns;    /* of a function */
    bool waiting;
    bool queued;
};

struct unwind_flow {
    const struct listing *listing;
    const struct unwind_fixups *fixups;
    struct unwind_frame *frames;
    struct flow_node *nodes;
    uint32_t head, tail;
};

static void enqueue(struct unwind_flow *flow, uint32_t insn)
{
    struct flow_node *node = &flow->nodes[insn];

    if ( node->queued )
        return;
    node->queued = true;
    node->next = UNWIND_NOWHERE;
    if ( flow->head == UNWIND_NOWHERE )
        flow->head = insn;
    else
        flow->nodes[flow->tail].next = insn;
    flow->tail = insn;
}

static uint32_t dequeue(struct unwind_flow *flow)
{
    uint32_t insn = flow->head;

    flow->head = flow->nodes[insn].next;
    flow->nodes[insn].queued = false;
    return insn;
}

static uint32_t representative(struct unwind_flow *flow, uint32_t function)
{
    struct flow_node *nodes = flow->nodes;

    while ( nodes[function].parent != function )
    {
        nodes[function].parent = nodes[nodes[function].parent].parent;
        function = nodes[function].parent;
    }
    return function;
}

/* Everything that waited is visited again. */
static void wake(struct unwind_flow *flow, uint32_t function)
{
    uint32_t waiter = flow->nodes[function].first;

    flow->nodes[function].first = UNWIND_NOWHERE;
    while ( waiter != UNWIND_NOWHERE )
    {
        struct flow_node *node = &flow->nodes[waiter];

        node->waiting = false;
        enqueue(flow, waiter);
        waiter = node->waits;
    }
}

static bool returns(struct unwind_flow *flow, uint32_t function)
{
    return flow->nodes[representative(flow, function)].returns;
}

/* The function that owns an instruction returns. */
static void comes_back(struct unwind_flow *flow, uint32_t insn)
{
    uint32_t first = representative(flow, flow->nodes[insn].owner);
    uint32_t function = first;

    if ( flow->nodes[first].returns )
        return;
    flow->nodes[first].returns = true;
    do
    {
        wake(flow, function);
        function = flow->nodes[function].ring;
    } while ( function != first );
}

static void wait(struct unwind_flow *flow, uint32_t insn, uint32_t function)
{
    struct flow_node *node = &flow->nodes[insn];

    if ( node->waiting )
        return;
    node->waiting = true;
    node->waits = flow->nodes[function].first;
    flow->nodes[function].first = insn;
}

/* Two functions reach the same instruction. */
static void unite(struct unwind_flow *flow, uint32_t one, uint32_t other)
{
    struct flow_node *nodes = flow->nodes;
    uint32_t a = representative(flow, one), b = representative(flow, other);
    uint32_t ring;

    if ( a == b )
        return;
    if ( nodes[a].returns != nodes[b].returns )
        comes_back(flow, nodes[a].returns ? b : a);
    ring = nodes[a].ring;
    nodes[a].ring = nodes[b].ring;
    nodes[b].ring = ring;
    nodes[b].parent = a;
}

static void reach(struct unwind_flow *flow, uint32_t to,
                  const struct unwind_frame *frame, uint32_t owner)
{
    struct flow_node *node = &flow->nodes[to];

    if ( flow->listing->items[to].roles & ELSEWHERE )
        return;
    if ( node->owner == UNWIND_NOWHERE )
        node->owner = owner;
    else
        unite(flow, node->owner, owner);
    if ( unwind_frame_join(&flow->frames[to], frame) )
        enqueue(flow, to);
}

/* A jump to the start of a function is a tail call, which returns to our
 * caller. */
static bool is_tail(const struct unwind_flow *flow, uint32_t insn, uint32_t to)
{
    return flow->listing->items[to].roles & UNWIND_ROLE_FUNCTION &&
           flow->nodes[insn].owner != to;
}

static void tail(struct unwind_flow *flow, uint32_t insn, uint32_t to)
{
    if ( returns(flow, to) )
        comes_back(flow, insn);
    else
        wait(flow, insn, to);
}

static const struct listing_symbol *symbol_of(const struct listing *listing,
                                              uint32_t insn)
{
    size_t low = 0, high = listing->symbol_count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( listing->symbols[middle].address <= listing->items[insn].address )
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &listing->symbols[low - 1] : NULL;
}

/* Xen's wait queues switch to another stack by a jump into another function,
 * which must not lose its own frame to that. */
static bool spreads_ignorance(const struct unwind_flow *flow, uint32_t insn,
                              uint32_t to, const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_LOST && !frame->framed &&
           symbol_of(flow->listing, insn) != symbol_of(flow->listing, to);
}

static void go(struct unwind_flow *flow, uint32_t insn, uint32_t to,
               const struct unwind_frame *frame)
{
    if ( to == UNWIND_NOWHERE )
        return;
    if ( is_tail(flow, insn, to) )
        tail(flow, insn, to);
    else
        reach(flow, to, frame, flow->nodes[insn].owner);
}

static void go_on(struct unwind_flow *flow, uint32_t insn,
                  const struct unwind_frame *frame)
{
    go(flow, insn, listing_next(flow->listing, insn), frame);
}

static void jump(struct unwind_flow *flow, uint32_t insn,
                 const struct unwind_frame *frame)
{
    uint32_t to = flow->listing->items[insn].to;

    /* A jump through a register, or out of the code, is taken to return. */
    if ( to == UNWIND_NOWHERE )
        comes_back(flow, insn);
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
        reach(flow, to, frame, flow->nodes[insn].owner);
        return;
    }
    if ( roles & UNWIND_ROLE_FUNCTION && !returns(flow, to) )
    {
        wait(flow, insn, to);
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

static void go_to_fixup(struct unwind_flow *flow,
                        const struct unwind_fixup *fixup,
                        const struct unwind_frame *frame)
{
    struct unwind_frame there = *frame;

    if ( leaves_word(flow->listing, fixup) )
        unwind_frame_push(&there);
    reach(flow, fixup->to, &there, flow->nodes[fixup->insn].owner);
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
        go_to_fixup(flow, &flow->fixups->list[low], frame);
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
    case UNWIND_OP_RETURN: comes_back(flow, at); return;
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

static void start(struct unwind_flow *flow)
{
    for ( uint32_t i = 0; i < flow->listing->count; i++ )
        flow->nodes[i] = (struct flow_node){.owner = UNWIND_NOWHERE,
                                            .ring = i,
                                            .first = UNWIND_NOWHERE,
                                            .parent = i};
    flow->head = UNWIND_NOWHERE;
    for ( uint32_t i = 0; i < flow->listing->count; i++ )
        if ( flow->listing->items[i].roles & UNWIND_ROLE_FUNCTION )
            reach(flow, i, &unwind_frame_start, i);
}

int unwind_follow(const struct listing *listing,
                  const struct unwind_fixups *fixups,
                  struct unwind_frame *frames)
{
    struct flow_node *nodes SCOPE_FREE = NULL;
    struct unwind_flow flow = {
        .listing = listing, .fixups = fixups, .frames = frames};

    flow.nodes = nodes = malloc(listing->count * sizeof(*nodes));
    if ( !nodes )
        return -ENOMEM;
    memset(frames, 0, listing->count * sizeof(*frames));
    start(&flow);
    while ( flow.head != UNWIND_NOWHERE )
        visit(&flow, dequeue(&flow));
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
