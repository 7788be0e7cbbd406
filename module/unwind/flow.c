/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ELSEWHERE (UNWIND_MARK_ENTRY | UNWIND_MARK_APART)
#define THUNK     "__x86_indirect_thunk"

/*
 * A function is known by its first instruction, and owns the instructions
 * that its flow reaches.  Functions that share code are one for the question
 * whether they return, and form a ring.
 */
struct place {
    uint32_t owner;  /* of an instruction; NOWHERE: not reached */
    uint32_t ring;   /* of a function: the next that shares code with it */
    uint32_t first;  /* of a function: who waits for its return */
    uint32_t waits;  /* of an instruction: the next that waits likewise */
    uint32_t next;   /* the next in the queue */
    uint32_t parent; /* of a function: towards the one for its whole ring */
    bool returns;    /* of a function */
    bool waiting;
    bool queued;
};

struct unwind_flow {
    const struct unwind_code *code;
    const struct unwind_fixups *fixups;
    struct unwind_frame *frames;
    struct place *places;
    uint32_t head, tail;
};

static void enqueue(struct unwind_flow *flow, uint32_t insn)
{
    struct place *place = &flow->places[insn];

    if ( place->queued )
        return;
    place->queued = true;
    place->next = UNWIND_NOWHERE;
    if ( flow->head == UNWIND_NOWHERE )
        flow->head = insn;
    else
        flow->places[flow->tail].next = insn;
    flow->tail = insn;
}

static uint32_t dequeue(struct unwind_flow *flow)
{
    uint32_t insn = flow->head;

    flow->head = flow->places[insn].next;
    flow->places[insn].queued = false;
    return insn;
}

static uint32_t representative(struct unwind_flow *flow, uint32_t function)
{
    struct place *places = flow->places;

    while ( places[function].parent != function )
    {
        places[function].parent = places[places[function].parent].parent;
        function = places[function].parent;
    }
    return function;
}

/* Who waited looks again. */
static void wake(struct unwind_flow *flow, uint32_t function)
{
    uint32_t waiter = flow->places[function].first;

    flow->places[function].first = UNWIND_NOWHERE;
    while ( waiter != UNWIND_NOWHERE )
    {
        struct place *place = &flow->places[waiter];

        place->waiting = false;
        enqueue(flow, waiter);
        waiter = place->waits;
    }
}

static bool returns(struct unwind_flow *flow, uint32_t function)
{
    return flow->places[representative(flow, function)].returns;
}

/* The function that owns an instruction comes back to its callers. */
static void comes_back(struct unwind_flow *flow, uint32_t insn)
{
    uint32_t first = representative(flow, flow->places[insn].owner);
    uint32_t function = first;

    if ( flow->places[first].returns )
        return;
    flow->places[first].returns = true;
    do
    {
        wake(flow, function);
        function = flow->places[function].ring;
    } while ( function != first );
}

static void wait(struct unwind_flow *flow, uint32_t insn, uint32_t function)
{
    struct place *place = &flow->places[insn];

    if ( place->waiting )
        return;
    place->waiting = true;
    place->waits = flow->places[function].first;
    flow->places[function].first = insn;
}

/* Both functions reach the same instruction. */
static void unite(struct unwind_flow *flow, uint32_t one, uint32_t other)
{
    struct place *places = flow->places;
    uint32_t a = representative(flow, one), b = representative(flow, other);
    uint32_t ring;

    if ( a == b )
        return;
    if ( places[a].returns != places[b].returns )
        comes_back(flow, places[a].returns ? b : a);
    ring = places[a].ring;
    places[a].ring = places[b].ring;
    places[b].ring = ring;
    places[b].parent = a;
}

static void reach(struct unwind_flow *flow, uint32_t to,
                  const struct unwind_frame *frame, uint32_t owner)
{
    struct place *place = &flow->places[to];

    if ( flow->code->insns[to].marks & ELSEWHERE )
        return;
    if ( place->owner == UNWIND_NOWHERE )
        place->owner = owner;
    else
        unite(flow, place->owner, owner);
    if ( unwind_frame_join(&flow->frames[to], frame) )
        enqueue(flow, to);
}

/* A jump to a function's start returns to this one's caller from there. */
static bool is_tail(const struct unwind_flow *flow, uint32_t insn, uint32_t to)
{
    return flow->code->insns[to].marks & UNWIND_MARK_FUNCTION &&
           flow->places[insn].owner != to;
}

static void tail(struct unwind_flow *flow, uint32_t insn, uint32_t to)
{
    if ( returns(flow, to) )
        comes_back(flow, insn);
    else
        wait(flow, insn, to);
}

static const struct unwind_symbol *symbol_of(const struct unwind_code *code,
                                             uint32_t insn)
{
    size_t low = 0, high = code->symbol_count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( code->symbols[middle].address <= code->insns[insn].address )
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &code->symbols[low - 1] : NULL;
}

/* Xen's wait queues change to another stack by a jump into another function;
 * what is not known here would be not known there then. */
static bool spreads_ignorance(const struct unwind_flow *flow, uint32_t insn,
                              uint32_t to, const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_LOST && !frame->framed &&
           symbol_of(flow->code, insn) != symbol_of(flow->code, to);
}

static void go(struct unwind_flow *flow, uint32_t insn, uint32_t to,
               const struct unwind_frame *frame)
{
    if ( to == UNWIND_NOWHERE )
        return;
    if ( is_tail(flow, insn, to) )
        tail(flow, insn, to);
    else
        reach(flow, to, frame, flow->places[insn].owner);
}

static void go_on(struct unwind_flow *flow, uint32_t insn,
                  const struct unwind_frame *frame)
{
    go(flow, insn, unwind_code_next(flow->code, insn), frame);
}

static void jump(struct unwind_flow *flow, uint32_t insn,
                 const struct unwind_frame *frame)
{
    uint32_t to = flow->code->insns[insn].to;

    /* Through a register, or out of the code: it comes back from there. */
    if ( to == UNWIND_NOWHERE )
        comes_back(flow, insn);
    else if ( !spreads_ignorance(flow, insn, to, frame) )
        go(flow, insn, to, frame);
}

/* A call through a register, maybe by way of Xen's thunks. */
static bool is_indirect(const struct unwind_code *code,
                        const struct unwind_insn *insn)
{
    const struct unwind_symbol *symbol = unwind_code_symbol(code, insn->target);

    return !insn->target ||
           (symbol && !strncmp(symbol->name, THUNK, strlen(THUNK)));
}

static void call(struct unwind_flow *flow, uint32_t insn,
                 struct unwind_frame *frame)
{
    const struct unwind_code *code = flow->code;
    uint32_t to = code->insns[insn].to;
    uint8_t marks = to == UNWIND_NOWHERE ? 0 : code->insns[to].marks;

    /* The end of reset_stack_and_call_ind(): nothing to come back to. */
    if ( frame->base == UNWIND_BASE_RESET &&
         is_indirect(code, &code->insns[insn]) )
        return;
    if ( to != UNWIND_NOWHERE && !(marks & (UNWIND_MARK_FUNCTION | ELSEWHERE)) )
    {
        unwind_frame_push(frame);
        reach(flow, to, frame, flow->places[insn].owner);
        return;
    }
    if ( marks & UNWIND_MARK_FUNCTION && !returns(flow, to) )
    {
        wait(flow, insn, to);
        return;
    }
    unwind_frame_called(frame);
    go_on(flow, insn, frame);
}

/*
 * The emulator's stubs are called; if one of them faults, Xen puts a word in
 * place of the return address, and goes on where the exception table says for
 * that address: there the word is popped.
 */
static bool leaves_word(const struct unwind_code *code,
                        const struct unwind_fixup *fixup)
{
    return fixup->insn && code->insns[fixup->insn - 1].op == UNWIND_OP_CALL &&
           code->insns[fixup->to].op == UNWIND_OP_POP;
}

static void go_to_fixup(struct unwind_flow *flow,
                        const struct unwind_fixup *fixup,
                        const struct unwind_frame *frame)
{
    struct unwind_frame there = *frame;

    if ( leaves_word(flow->code, fixup) )
        unwind_frame_push(&there);
    reach(flow, fixup->to, &there, flow->places[fixup->insn].owner);
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
    const struct unwind_insn *insn = &flow->code->insns[at];
    struct unwind_frame frame = flow->frames[at];

    if ( insn->marks & UNWIND_MARK_FIXUP )
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
        if ( insn->marks & UNWIND_MARK_CONTINUES )
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
    for ( uint32_t i = 0; i < flow->code->count; i++ )
        flow->places[i] = (struct place){.owner = UNWIND_NOWHERE,
                                         .ring = i,
                                         .first = UNWIND_NOWHERE,
                                         .parent = i};
    flow->head = UNWIND_NOWHERE;
    for ( uint32_t i = 0; i < flow->code->count; i++ )
        if ( flow->code->insns[i].marks & UNWIND_MARK_FUNCTION )
            reach(flow, i, &unwind_frame_start, i);
}

int unwind_follow(const struct unwind_code *code,
                  const struct unwind_fixups *fixups,
                  struct unwind_frame *frames)
{
    struct unwind_flow flow = {
        .code = code, .fixups = fixups, .frames = frames};

    flow.places = malloc(code->count * sizeof(*flow.places));
    if ( !flow.places )
        return -ENOMEM;
    memset(frames, 0, code->count * sizeof(*frames));
    start(&flow);
    while ( flow.head != UNWIND_NOWHERE )
        visit(&flow, dequeue(&flow));
    free(flow.places);
    return 0;
}

/* Of a call it cannot be said here whether it comes back. */
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

/* With nothing but a return address on the stack. */
static bool as_function(const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_RSP &&
           frame->depth == unwind_frame_start.depth;
}

size_t unwind_drop_labels(struct unwind_code *code,
                          const struct unwind_frame *frames)
{
    size_t count = 0;

    for ( uint32_t i = 1; i < code->count; i++ )
    {
        const struct unwind_insn *before = &code->insns[i - 1];
        struct unwind_frame frame = frames[i - 1];

        if ( !(code->insns[i].marks & UNWIND_MARK_FUNCTION) ||
             before->text != code->insns[i].text || !goes_on(before) ||
             frame.base == UNWIND_BASE_NONE )
            continue;
        unwind_frame_step(&frame, before);
        if ( as_function(&frame) )
            continue;
        code->insns[i].marks &= ~UNWIND_MARK_FUNCTION;
        count++;
    }
    return count;
}
