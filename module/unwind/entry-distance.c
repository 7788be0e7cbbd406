/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds how far rsp is from the cpu_user_regs in entry code: union, then vote.
 */
#include "entry-distance.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"
#include "module/disassembler.h"

/* Code that fills the return stack has no more instructions than this. */
#define STUFFING_MAX 32
#define REGS_MAX     1024
#define WORD         8

/*
 * Instructions at known distances from each other form a tree: rsp is above
 * bytes higher here than at the parent; a root is its own parent.  Votes give
 * the distance of rsp at the root from the cpu_user_regs.
 */
struct entry_spot {
    uint32_t parent;
    int32_t above;
    int32_t vote;
    int32_t votes;
    bool stuffing; /* rax has the parent's rsp */
    bool unstored; /* the cpu_user_regs does not have rbp yet */
};

struct entry_flow {
    const struct listing *listing;
    struct entry_spot *spots;
};

static bool is_entry(const struct entry_flow *entry, uint32_t insn)
{
    return insn != UNWIND_NOWHERE &&
           entry->listing->items[insn].roles & UNWIND_ROLE_ENTRY;
}

/* Returns the root, and makes it the parent of every node on the way. */
static uint32_t root_of(struct entry_flow *entry, uint32_t insn)
{
    struct entry_spot *spots = entry->spots;

    while ( spots[insn].parent != spots[spots[insn].parent].parent )
    {
        uint32_t parent = spots[insn].parent;

        spots[insn].above += spots[parent].above;
        spots[insn].parent = spots[parent].parent;
    }
    return spots[insn].parent;
}

/*
 * Notes that rsp is higher by above at to than at from; the first note counts.
 */
static void connect(struct entry_flow *entry, uint32_t from, uint32_t to,
                    int32_t above)
{
    struct entry_spot *spots = entry->spots;
    uint32_t a, b;

    if ( !is_entry(entry, to) || abs(above) > REGS_MAX )
        return;
    a = root_of(entry, from);
    b = root_of(entry, to);
    if ( a == b )
        return;
    spots[b].above = spots[from].above + above - spots[to].above;
    spots[b].parent = a;
}

static bool is_local_call(const struct entry_flow *entry, uint32_t insn,
                          uint32_t first, uint32_t last)
{
    const struct unwind_insn *call = &entry->listing->items[insn];

    return call->op == UNWIND_OP_CALL && call->to >= first && call->to <= last;
}

/* Returns the end of `mov %rsp, %rax`, calls into what follows, and `mov %rax,
 * %rsp`; or NOWHERE if the code is something else. */
static uint32_t end_of_stuffing(const struct entry_flow *entry, uint32_t first)
{
    const struct unwind_insn *insns = entry->listing->items;
    bool calls = false;

    if ( insns[first].op != UNWIND_OP_COPY || insns[first].value )
        return UNWIND_NOWHERE;
    for ( uint32_t i = first + 1; i < first + STUFFING_MAX; i++ )
    {
        if ( i >= entry->listing->count || !is_entry(entry, i) )
            return UNWIND_NOWHERE;
        if ( insns[i].op == UNWIND_OP_SET )
            return calls && insns[i].reg == insns[first].reg ? i
                                                             : UNWIND_NOWHERE;
        if ( is_local_call(entry, i, first + 1, first + STUFFING_MAX) )
            calls = true;
        else if ( insns[i].op != UNWIND_OP_PLAIN &&
                  insns[i].op != UNWIND_OP_BRANCH &&
                  insns[i].op != UNWIND_OP_INT3 &&
                  insns[i].op != UNWIND_OP_NOP )
            return UNWIND_NOWHERE;
    }
    return UNWIND_NOWHERE;
}

/* Returns the last instruction that it connected. */
static uint32_t skip_stuffing(struct entry_flow *entry, uint32_t first)
{
    uint32_t last = end_of_stuffing(entry, first);

    if ( last == UNWIND_NOWHERE )
        return first;
    for ( uint32_t i = first + 1; i <= last; i++ )
    {
        entry->spots[i].stuffing = true;
        if ( entry->listing->items[first].reg == CODE_RAX )
            connect(entry, first, i, 0);
    }
    connect(entry, first, listing_next(entry->listing, last), 0);
    return last;
}

static void connect_next(struct entry_flow *entry, uint32_t insn, int32_t above)
{
    connect(entry, insn, listing_next(entry->listing, insn), above);
}

static void connect_one(struct entry_flow *entry, uint32_t at)
{
    const struct unwind_insn *insn = &entry->listing->items[at];

    switch ( insn->op )
    {
    case UNWIND_OP_PUSH: connect_next(entry, at, -WORD); return;
    case UNWIND_OP_POP:
        if ( insn->reg != CODE_RSP )
            connect_next(entry, at, WORD);
        return;
    case UNWIND_OP_ADD: connect_next(entry, at, insn->value); return;
    case UNWIND_OP_LEA:
        if ( insn->reg == CODE_RSP )
            connect_next(entry, at, insn->value);
        return;
    case UNWIND_OP_CALL:
        if ( is_entry(entry, insn->to) )
            connect(entry, at, insn->to, -WORD);
        else
            connect_next(entry, at, 0);
        return;
    case UNWIND_OP_BRANCH:
        connect(entry, at, insn->to, 0);
        connect_next(entry, at, 0);
        return;
    case UNWIND_OP_JUMP: connect(entry, at, insn->to, 0); return;
    case UNWIND_OP_SET:
    case UNWIND_OP_ALIGN:
    case UNWIND_OP_LOSE:
    case UNWIND_OP_LEAVE:
    case UNWIND_OP_RETURN:
    case UNWIND_OP_INTERRUPT_RETURN:
    case UNWIND_OP_TRAP:
    case UNWIND_OP_STOP:
    case UNWIND_OP_INT3:
    case UNWIND_OP_BAD: return;
    default: connect_next(entry, at, 0);
    }
}

static void connect_all(struct entry_flow *entry)
{
    for ( uint32_t i = 0; i < entry->listing->count; i++ )
        if ( is_entry(entry, i) )
        {
            uint32_t last = skip_stuffing(entry, i);

            if ( last == i )
                connect_one(entry, i);
            i = last;
        }
}

/* The majority wins: calls with something pushed are rare. */
static void vote(struct entry_flow *entry, uint32_t call)
{
    uint32_t root = root_of(entry, call);
    struct entry_spot *spot = &entry->spots[root];
    int32_t vote = -entry->spots[call].above;

    if ( !spot->votes )
        spot->vote = vote;
    spot->votes += spot->vote == vote ? 1 : -1;
}

static bool calls_function(const struct entry_flow *entry, uint32_t at)
{
    const struct unwind_insn *insn = &entry->listing->items[at];

    return insn->op == UNWIND_OP_CALL && insn->to != UNWIND_NOWHERE &&
           entry->listing->items[insn->to].roles & UNWIND_ROLE_FUNCTION;
}

/* Returns false if rsp's distance from the cpu_user_regs is not known. */
static bool distance(struct entry_flow *entry, uint32_t insn, int32_t *above)
{
    uint32_t root = root_of(entry, insn);
    const struct entry_spot *spot = &entry->spots[root];

    if ( spot->votes <= 0 )
        return false;
    *above = spot->vote + entry->spots[insn].above;
    return *above <= REGS_MAX && *above >= -REGS_MAX;
}

/* Walks back from a store of rbp to where rsp came to the cpu_user_regs. */
static void find_unstored(struct entry_flow *entry, uint32_t store)
{
    int32_t above;

    for ( uint32_t i = store;; i-- )
    {
        uint8_t op = entry->listing->items[i].op;

        if ( !is_entry(entry, i) || !distance(entry, i, &above) || above ||
             (op != UNWIND_OP_PLAIN && op != UNWIND_OP_NOP && i != store) )
            return;
        entry->spots[i].unstored = true;
        if ( !i )
            return;
    }
}

static void fill_in(struct entry_flow *entry, uint32_t insn,
                    struct unwind_frame *frame)
{
    const struct entry_spot *spot = &entry->spots[insn];
    int32_t above = 0;
    bool known = distance(entry, insn, &above);
    uint8_t op = entry->listing->items[insn].op;

    /* Padding has no frame. */
    if ( !known && (op == UNWIND_OP_NOP || op == UNWIND_OP_INT3) )
        return;
    *frame = (struct unwind_frame){.base = UNWIND_BASE_ENTRY,
                                   .rbp = UNWIND_RBP_SAVED,
                                   .alias = UNWIND_NO_REGISTER,
                                   .depth = known ? -above : 0};
    if ( known && spot->stuffing )
        frame->base = UNWIND_BASE_STUFF;
    else if ( known && !above )
        frame->base = UNWIND_BASE_RESET;
    if ( !known )
        frame->rbp = UNWIND_RBP_LOST;
    else if ( spot->unstored || above > 0 )
        frame->rbp = UNWIND_RBP_KEPT;
}

int unwind_follow_entry(const struct listing *listing,
                        struct unwind_frame *frames)
{
    struct entry_spot *spots SCOPE_FREE = NULL;
    struct entry_flow entry = {.listing = listing};

    spots = calloc(listing->count, sizeof(*spots));
    if ( !spots )
        return -ENOMEM;
    entry.spots = spots;
    for ( uint32_t i = 0; i < listing->count; i++ )
        spots[i].parent = i;
    connect_all(&entry);
    for ( uint32_t i = 0; i < listing->count; i++ )
        if ( is_entry(&entry, i) && calls_function(&entry, i) )
            vote(&entry, i);
    for ( uint32_t i = 0; i < listing->count; i++ )
        if ( is_entry(&entry, i) &&
             listing->items[i].op == UNWIND_OP_STORE_RBP &&
             listing->items[i].reg == CODE_RSP )
            find_unstored(&entry, i);
    for ( uint32_t i = 0; i < listing->count; i++ )
        if ( is_entry(&entry, i) )
            fill_in(&entry, i, &frames[i]);
    return 0;
}
