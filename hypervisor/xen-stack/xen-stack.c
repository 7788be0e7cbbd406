/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's own stack: what a row of the unwind table means, for
 * functions and for the frames of Xen's entry code.
 */
#include "xen-stack.h"

#define XEN_CODE_SELECTOR 0xe008

/* The registers of interrupted code, as Xen's entry code saves them. */
struct saved_registers {
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
    uint64_t error;
};

/* What the processor itself pushes, above those. */
struct hardware_frame {
    uint64_t ip, cs, flags, sp, ss;
};

/* Most bytes that entry code has between its stack pointer and the processor's
 * frame, and below the guest's frame where it calls functions of its own. */
#define ENTRY_SPAN  (sizeof(struct saved_registers) + 48)
#define ENTRY_CALLS 64u
/* Filling the return stack buffer takes 32 calls. */
#define RAX_SPAN (32u * 8u + 8u)

struct xen_walk {
    struct port_xen_stack at; /* at.sp is a multiple of 8 */
    struct port_span stack;   /* the one that at.sp lies on */
    uint64_t end;             /* of the frames on it */
    uint64_t bottom; /* root, if that is on this stack, else no address */
    bool main; /* the stack that guests enter on; others belong to an exception
                  or the NMI */
    uint64_t leaf; /* 1: at.ip was interrupted; 0: it is a return address */
};

enum step {
    STEP_CALLER,   /* at is the caller now */
    STEP_ROOT,     /* the last frame was the root */
    STEP_TRUNCATED /* there may be a caller, but it cannot be found */
};

/* A lost register is 0, which is on no stack. */
static void lose_registers(struct xen_walk *walk)
{
    walk->at.bp = walk->at.ax = walk->at.r10 = 0;
}

/* Sets the stack pointer.  Returns false if sp is not on a stack. */
static bool enter_stack(struct xen_walk *walk, uint64_t sp)
{
    const uint64_t root = walk->at.root;

    if ( sp & 7 || !port_xen_stack_of(sp, &walk->stack) )
        return false;
    walk->at.sp = sp;
    walk->main = root >= walk->stack.low && root < walk->stack.high;
    walk->end = walk->main ? root : walk->stack.high;
    walk->bottom = walk->main ? root : ~0ul;
    return true;
}

/* Returns whether size bytes at address are in use on this stack. */
static bool in_use(const struct xen_walk *walk, uint64_t address, uint64_t size)
{
    return !(address & 7) && address >= walk->at.sp &&
           address < walk->stack.high && size <= walk->stack.high - address;
}

static bool read_word(const struct xen_walk *walk, uint64_t address,
                      uint64_t *ret)
{
    if ( !in_use(walk, address, sizeof(*ret)) )
        return false;
    *ret = *(const volatile uint64_t *)address;
    return true;
}

/* Frames of functions ---------------------------------------------------- */

/* cfa is on this stack, above what is in use. */
static bool restore_bp(struct xen_walk *walk,
                       const struct xenoprof_unwind_state *state, uint64_t cfa)
{
    const uint64_t address = cfa + state->rbp;

    if ( state->rbp_saved == XENOPROF_UNWIND_RBP_KEPT )
        return true;
    if ( state->rbp_saved == XENOPROF_UNWIND_RBP_LOST )
    {
        walk->at.bp = 0;
        return true;
    }
    if ( state->kind == XENOPROF_UNWIND_DRAP ||
         state->kind == XENOPROF_UNWIND_R10 )
        return read_word(walk, walk->at.bp, &walk->at.bp);
    /* Both are multiples of 8, so all of the word is below cfa. */
    if ( address - walk->at.sp >= cfa - walk->at.sp )
        return false;
    walk->at.bp = *(const volatile uint64_t *)address;
    return true;
}

/* Steps to the caller of a function whose return address ends at cfa, a
 * multiple of 8. */
static enum step leave_function(struct xen_walk *walk,
                                const struct xenoprof_unwind_state *state,
                                uint64_t cfa)
{
    const uint64_t address = cfa - sizeof(walk->at.ip);

    /* Xen emptied the stack and jumped to the function. */
    if ( address == walk->bottom )
        return STEP_ROOT;
    if ( cfa <= walk->at.sp || cfa > walk->end ||
         !restore_bp(walk, state, cfa) )
        return STEP_TRUNCATED;
    walk->at.ip = *(const volatile uint64_t *)address;
    walk->at.sp = cfa;
    walk->leaf = 0;
    return STEP_CALLER;
}

/* Interrupts and exceptions ---------------------------------------------- */

/* Returns whether the processor's frame at address is that of interrupted Xen
 * code: on the same stack it is right below what was in use, and an exception
 * with a stack of its own may have interrupted any other. */
static bool interrupted_xen(const struct xen_walk *walk, uint64_t address)
{
    const struct hardware_frame *frame = (const void *)address;
    uint64_t end = address + sizeof(*frame);

    if ( !in_use(walk, address, sizeof(*frame)) ||
         (frame->cs & 0xffff) != XEN_CODE_SELECTOR )
        return false;
    if ( frame->sp >= walk->stack.low && frame->sp < walk->stack.high )
        return frame->sp - end < 16;
    return !walk->main;
}

/* Steps to what was interrupted; the caller restores its registers. */
static enum step leave_interrupt(struct xen_walk *walk, uint64_t address)
{
    const struct hardware_frame *frame = (const void *)address;

    if ( !interrupted_xen(walk, address) || !enter_stack(walk, frame->sp) )
        return STEP_TRUNCATED;
    walk->at.ip = frame->ip;
    walk->leaf = 1;
    return STEP_CALLER;
}

/* Steps to what was interrupted; its saved registers lie at address, as far as
 * the row says. */
static enum step leave_saved(struct xen_walk *walk,
                             const struct xenoprof_unwind_state *state,
                             uint64_t address)
{
    const struct saved_registers *saved = (const void *)address;
    bool kept = walk->leaf && state->rbp_saved == XENOPROF_UNWIND_RBP_KEPT;
    uint64_t bp = walk->at.bp;
    enum step step;

    if ( walk->main && address == walk->at.root )
        return STEP_ROOT;
    if ( !in_use(walk, address, sizeof(*saved)) )
        return STEP_TRUNCATED;
    step = leave_interrupt(walk, address + sizeof(*saved));
    lose_registers(walk);
    if ( kept )
        walk->at.bp = bp;
    if ( state->rbp_saved != XENOPROF_UNWIND_RBP_SAVED )
        return step;
    walk->at.bp = saved->bp;
    walk->at.ax = saved->ax;
    walk->at.r10 = saved->r10;
    return step;
}

/* Entry code, at an unknown point in its prologue: looks for the processor's
 * frame. */
static enum step search_entry(struct xen_walk *walk)
{
    uint64_t sp = walk->at.sp, root = walk->at.root;

    if ( sp >= root )
        return STEP_ROOT;
    for ( uint64_t at = sp; at <= sp + ENTRY_SPAN && at < root; at += 8 )
    {
        if ( !interrupted_xen(walk, at) )
            continue;
        lose_registers(walk);
        return leave_interrupt(walk, at);
    }
    return root - sp <= ENTRY_CALLS ? STEP_ROOT : STEP_TRUNCATED;
}

/* Entry code that has not saved all registers at address, or has restored some:
 * the processor's frame is there, and what lies above the stack pointer. */
static enum step leave_unsaved(struct xen_walk *walk,
                               const struct xenoprof_unwind_state *state,
                               uint64_t address)
{
    const struct saved_registers *saved = (const void *)address;
    uint64_t bp = 0;

    if ( !read_word(walk, (uintptr_t)&saved->bp, &bp) && walk->leaf &&
         state->rbp_saved == XENOPROF_UNWIND_RBP_KEPT )
        bp = walk->at.bp;
    lose_registers(walk);
    if ( state->rbp_saved != XENOPROF_UNWIND_RBP_LOST )
        walk->at.bp = bp;
    return leave_interrupt(walk, address + sizeof(*saved));
}

/* Entry code that builds its frame or removes it. */
static enum step leave_entry(struct xen_walk *walk,
                             const struct xenoprof_unwind_state *state)
{
    const struct hardware_frame *frame;
    uint64_t address = walk->at.sp + state->cfa;

    if ( walk->main )
    {
        if ( !state->cfa )
            return search_entry(walk);
        return address == walk->at.root ? STEP_ROOT
                                        : leave_unsaved(walk, state, address);
    }
    /* An exception's own stack begins with the processor's frame. */
    address = walk->stack.high - sizeof(*frame);
    frame = (const void *)address;
    if ( in_use(walk, address, sizeof(*frame)) && frame->cs & 3 )
        return STEP_ROOT;
    return leave_unsaved(walk, state, address - sizeof(struct saved_registers));
}

static enum step leave_filling(struct xen_walk *walk,
                               const struct xenoprof_unwind_state *state)
{
    uint64_t address = walk->at.ax + state->cfa;

    /* Before the first call both are equal. */
    if ( !walk->leaf || address < walk->at.sp ||
         address - walk->at.sp > RAX_SPAN )
        return STEP_TRUNCATED;
    return leave_saved(walk, state, address);
}

/* Both ------------------------------------------------------------------- */

/* Finds the CFA of a function whose row does not count from rsp.  Returns true
 * if there is one, a multiple of 8: registers and memory may hold anything. */
static bool find_cfa(const struct xen_walk *walk,
                     const struct xenoprof_unwind_state *state, uint64_t *ret)
{
    const struct port_xen_stack *at = &walk->at;
    bool found = true;

    switch ( state->kind )
    {
    case XENOPROF_UNWIND_RBP: *ret = at->bp + state->cfa; break;
    case XENOPROF_UNWIND_DRAP:
        found = read_word(walk, at->bp + state->cfa, ret);
        break;
    case XENOPROF_UNWIND_R10:
        *ret = at->r10 + state->cfa;
        found = walk->leaf;
        break;
    default: return false;
    }
    return found && !(*ret & 7);
}

static enum step leave_registers(struct xen_walk *walk,
                                 const struct xenoprof_unwind_state *state)
{
    switch ( state->kind )
    {
    case XENOPROF_UNWIND_REGS:
        return leave_saved(walk, state, walk->at.sp + state->cfa);
    case XENOPROF_UNWIND_ENTRY: return leave_entry(walk, state);
    case XENOPROF_UNWIND_RAX: return leave_filling(walk, state);
    }
    return STEP_TRUNCATED;
}

static enum step leave_frame(struct xen_walk *walk,
                             const struct xenoprof_unwind_state *state)
{
    uint64_t cfa = walk->at.sp + state->cfa;

    if ( state->kind >= XENOPROF_UNWIND_REGS )
        return leave_registers(walk, state);
    if ( state->kind != XENOPROF_UNWIND_RSP && !find_cfa(walk, state, &cfa) )
        return STEP_TRUNCATED;
    return leave_function(walk, state, cfa);
}

uint32_t xen_stack_walk(const struct unwind_table *table,
                        const struct port_xen_stack *start, uint64_t *frames,
                        uint32_t room, bool *whole)
{
    struct xen_walk walk = {.at = *start, .leaf = 1};
    enum step step = STEP_TRUNCATED;
    uint32_t count = 0;

    *whole = false;
    if ( !room )
        return 0;
    if ( !enter_stack(&walk, start->sp) )
        room = 0;
    while ( count < room )
    {
        /* A return address may lie behind its function, if that ends with the
         * call: look up the byte before. */
        const struct xenoprof_unwind_state *state = unwind_find(
            table, walk.at.ip + walk.leaf - 1);

        /* Only addresses of known code come out.  A stub that begins a system
         * call has no row; nothing below the guest's frame: no caller. */
        if ( !state )
        {
            if ( !count && walk.main && walk.at.sp >= walk.at.root )
                step = STEP_ROOT;
            break;
        }
        frames[count++] = walk.at.ip + walk.leaf;
        step = leave_frame(&walk, state);
        if ( step != STEP_CALLER )
            break;
    }
    *whole = step == STEP_ROOT;
    /* The leaf: as it is, and also where its code is not known. */
    frames[0] = start->ip;
    return count ?: 1;
}
