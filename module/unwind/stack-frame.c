/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies one instruction to a frame, and joins two frames. */
#include "stack-frame.h"

#include "module/disassembler.h"

#define WORD 8
/* Frames are not deeper than this; it also keeps sums from overflowing. */
#define DEPTH_MAX (1 << 20)
/* ip, cs, flags, sp, ss */
#define INTERRUPT_FRAME 40
/* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#define CALLEES 0x0fc7u

const struct unwind_frame unwind_frame_start = {
    .base = UNWIND_BASE_RSP, .alias = UNWIND_NO_REGISTER, .depth = WORD};

static void lose_stack_pointer(struct unwind_frame *frame)
{
    if ( frame->base == UNWIND_BASE_DRAP )
        frame->depth = UNWIND_DEPTH_LOST;
    else if ( frame->base != UNWIND_BASE_R10 )
        frame->base = UNWIND_BASE_LOST;
}

static bool aligned(const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_R10 || frame->base == UNWIND_BASE_DRAP;
}

/* rbp does not point into the frame from here on. */
static void unframe(struct unwind_frame *frame)
{
    frame->framed = false;
    if ( frame->base == UNWIND_BASE_DRAP )
        frame->base = UNWIND_BASE_LOST;
    else if ( frame->base == UNWIND_BASE_R10 )
        frame->depth = UNWIND_DEPTH_LOST;
}

static void set_depth(struct unwind_frame *frame, int64_t depth)
{
    bool known = aligned(frame) ? frame->framed : true;

    if ( !known )
        return;
    if ( depth > DEPTH_MAX || depth < (aligned(frame) ? -WORD : WORD) )
        lose_stack_pointer(frame);
    else
        frame->depth = depth;
}

/* rsp goes down by bytes. */
static void move(struct unwind_frame *frame, int64_t bytes)
{
    if ( (frame->base == UNWIND_BASE_RSP || aligned(frame)) &&
         frame->depth != UNWIND_DEPTH_LOST )
        set_depth(frame, frame->depth + bytes);
    else if ( frame->base == UNWIND_BASE_RESET && bytes )
        frame->base = UNWIND_BASE_LOST;
}

/* rsp is depth bytes below the CFA, whatever it was before. */
static void put_at(struct unwind_frame *frame, int64_t depth)
{
    frame->base = UNWIND_BASE_RSP;
    set_depth(frame, depth);
}

static void overwrite_rbp(struct unwind_frame *frame)
{
    if ( frame->rbp == UNWIND_RBP_KEPT )
        frame->rbp = UNWIND_RBP_LOST;
    unframe(frame);
}

static void push(struct unwind_frame *frame, unsigned int reg)
{
    move(frame, WORD);
    if ( reg == CODE_RBP && frame->base == UNWIND_BASE_RSP &&
         frame->rbp == UNWIND_RBP_KEPT )
    {
        frame->rbp = UNWIND_RBP_SAVED;
        frame->saved = frame->depth;
    }
    if ( reg == CODE_R10 && frame->base == UNWIND_BASE_R10 && frame->framed )
    {
        frame->base = UNWIND_BASE_DRAP;
        frame->slot = frame->depth;
    }
}

/* rbp gets a value, from_there: the one that was saved. */
static void restore_rbp(struct unwind_frame *frame, bool from_there)
{
    if ( frame->rbp == UNWIND_RBP_KEPT )
        frame->rbp = UNWIND_RBP_LOST;
    else if ( frame->rbp == UNWIND_RBP_SAVED && from_there )
        frame->rbp = UNWIND_RBP_KEPT;
    unframe(frame);
}

/* With base R10, rbp points at the word where it was saved. */
static void pop_rbp(struct unwind_frame *frame)
{
    bool own = frame->base == UNWIND_BASE_R10 && frame->framed &&
               frame->depth == 0;

    restore_rbp(frame,
                frame->base == UNWIND_BASE_RSP && frame->saved == frame->depth);
    if ( own )
        frame->rbp = UNWIND_RBP_KEPT;
}

static void load_r10(struct unwind_frame *frame, bool from_slot)
{
    if ( frame->base == UNWIND_BASE_R10 )
        frame->base = UNWIND_BASE_LOST;
    else if ( frame->base == UNWIND_BASE_DRAP && from_slot )
        frame->base = UNWIND_BASE_R10;
}

static void pop(struct unwind_frame *frame, unsigned int reg)
{
    if ( reg == CODE_RBP )
        pop_rbp(frame);
    if ( reg == CODE_R10 )
        load_r10(frame, frame->depth == frame->slot);
    move(frame, -WORD);
    if ( reg == CODE_RSP )
        lose_stack_pointer(frame);
}

/* rsp = rbp + value */
static void from_rbp(struct unwind_frame *frame, int32_t value)
{
    if ( !frame->framed )
        lose_stack_pointer(frame);
    else if ( aligned(frame) )
        set_depth(frame, -(int64_t)value);
    else
        put_at(frame, (int64_t)frame->frame - value);
}

/* rsp = reg, where reg could not be followed.  That is no array of variable
 * length, also where rbp points into the frame (debug=y): Xen commit 0ace362c8a
 * ("xen: Disallow variable length arrays") (4.12). */
static void from_unknown(struct unwind_frame *frame, unsigned int reg)
{
    bool resets = reg == CODE_RAX || reg == CODE_RCX || reg == CODE_RDX;

    if ( resets && !aligned(frame) )
        *frame = (struct unwind_frame){.base = UNWIND_BASE_RESET,
                                       .rbp = UNWIND_RBP_LOST,
                                       .alias = UNWIND_NO_REGISTER};
    else
        lose_stack_pointer(frame);
}

static void set(struct unwind_frame *frame, unsigned int reg, int32_t value)
{
    if ( reg == CODE_RSP )
        move(frame, -(int64_t)value);
    else if ( reg == CODE_RBP )
        from_rbp(frame, value);
    else if ( reg == CODE_R10 && frame->base == UNWIND_BASE_R10 )
        put_at(frame, -(int64_t)value);
    else if ( reg == frame->alias )
        put_at(frame, (int64_t)frame->alias_depth - value);
    else if ( !value )
        from_unknown(frame, reg);
    else
        lose_stack_pointer(frame);
}

/* A function that rounds its stack down has the CFA in r10 first. */
static void align(struct unwind_frame *frame)
{
    if ( frame->base == UNWIND_BASE_RSP && frame->alias == CODE_R10 &&
         !frame->alias_depth )
        *frame = (struct unwind_frame){.base = UNWIND_BASE_R10,
                                       .rbp = frame->rbp,
                                       .alias = UNWIND_NO_REGISTER,
                                       .depth = UNWIND_DEPTH_LOST};
    else
        lose_stack_pointer(frame);
}

static void copy_stack_pointer(struct unwind_frame *frame, unsigned int reg,
                               int32_t value)
{
    if ( reg == CODE_RBP )
    {
        overwrite_rbp(frame);
        frame->framed = frame->base == UNWIND_BASE_RSP ||
                        frame->base == UNWIND_BASE_R10;
        frame->frame = frame->depth;
        if ( frame->base == UNWIND_BASE_R10 )
        {
            frame->rbp = UNWIND_RBP_SAVED;
            frame->depth = frame->frame = 0;
        }
    }
    else if ( frame->base == UNWIND_BASE_RSP )
    {
        frame->alias = reg;
        frame->alias_depth = frame->depth - value;
    }
    else if ( reg == frame->alias )
        frame->alias = UNWIND_NO_REGISTER;
}

/* Sets *below to CFA - (reg + value), where rbp is stored or loaded. */
static bool is_saved_at(const struct unwind_frame *frame,
                        const struct unwind_insn *insn, int64_t *below)
{
    if ( insn->reg == CODE_RSP && frame->base == UNWIND_BASE_RSP )
        *below = (int64_t)frame->depth - insn->value;
    else if ( insn->reg == CODE_RBP && frame->framed && !aligned(frame) )
        *below = (int64_t)frame->frame - insn->value;
    else
        return false;
    return *below > 0 && *below <= DEPTH_MAX;
}

static void store_rbp(struct unwind_frame *frame,
                      const struct unwind_insn *insn)
{
    int64_t below;

    if ( frame->rbp != UNWIND_RBP_KEPT || !is_saved_at(frame, insn, &below) )
        return;
    frame->rbp = UNWIND_RBP_SAVED;
    frame->saved = below;
}

static void load_rbp(struct unwind_frame *frame, const struct unwind_insn *insn)
{
    int64_t below;

    restore_rbp(frame,
                is_saved_at(frame, insn, &below) && below == frame->saved);
}

static void leave(struct unwind_frame *frame)
{
    if ( !frame->framed || frame->base == UNWIND_BASE_DRAP )
    {
        restore_rbp(frame, false);
        lose_stack_pointer(frame);
        return;
    }
    from_rbp(frame, 0);
    pop(frame, CODE_RBP);
}

/* Forgets what the registers held that an instruction overwrites. */
static void overwrite(struct unwind_frame *frame, uint16_t written)
{
    if ( frame->alias != UNWIND_NO_REGISTER && written & (1u << frame->alias) )
        frame->alias = UNWIND_NO_REGISTER;
    if ( written & (1u << CODE_R10) )
        load_r10(frame, false);
    if ( written & (1u << CODE_RBP) )
        overwrite_rbp(frame);
}

void unwind_frame_step(struct unwind_frame *frame,
                       const struct unwind_insn *insn)
{
    uint16_t other = insn->written;

    switch ( insn->op )
    {
    case UNWIND_OP_PUSH: push(frame, insn->reg); break;
    case UNWIND_OP_POP:
        pop(frame, insn->reg);
        other &= ~(1u << CODE_RBP | 1u << CODE_R10);
        break;
    case UNWIND_OP_ADD: move(frame, -(int64_t)insn->value); break;
    case UNWIND_OP_LEA: set(frame, insn->reg, insn->value); break;
    case UNWIND_OP_SET: set(frame, insn->reg, 0); break;
    case UNWIND_OP_ALIGN: align(frame); break;
    case UNWIND_OP_LOSE: lose_stack_pointer(frame); break;
    case UNWIND_OP_COPY:
        overwrite(frame, other & ~(1u << CODE_RBP));
        copy_stack_pointer(frame, insn->reg, insn->value);
        return;
    case UNWIND_OP_STORE_RBP: store_rbp(frame, insn); break;
    case UNWIND_OP_LOAD_RBP:
        load_rbp(frame, insn);
        other &= ~(1u << CODE_RBP);
        break;
    case UNWIND_OP_LOAD_R10:
        load_r10(frame, insn->reg == CODE_RBP && -insn->value == frame->slot);
        other &= ~(1u << CODE_R10);
        break;
    case UNWIND_OP_LEAVE:
        leave(frame);
        other &= ~(1u << CODE_RBP);
        break;
    }
    overwrite(frame, other);
}

void unwind_frame_called(struct unwind_frame *frame)
{
    overwrite(frame, CALLEES);
}

void unwind_frame_push(struct unwind_frame *frame)
{
    move(frame, WORD);
}

void unwind_frame_returned(struct unwind_frame *frame)
{
    if ( frame->alias != UNWIND_NO_REGISTER )
        put_at(frame, frame->alias_depth);
    else
        move(frame, -INTERRUPT_FRAME);
}

static bool same(const struct unwind_frame *a, const struct unwind_frame *b)
{
    return a->base == b->base && a->rbp == b->rbp && a->alias == b->alias &&
           a->framed == b->framed && a->depth == b->depth &&
           (!a->framed || a->frame == b->frame) &&
           (a->rbp != UNWIND_RBP_SAVED || a->saved == b->saved) &&
           (a->alias == UNWIND_NO_REGISTER ||
            a->alias_depth == b->alias_depth) &&
           (a->base != UNWIND_BASE_DRAP || a->slot == b->slot);
}

static void join_base(struct unwind_frame *frame,
                      const struct unwind_frame *other)
{
    bool differ = frame->base != other->base ||
                  (frame->base == UNWIND_BASE_DRAP &&
                   frame->slot != other->slot);

    if ( differ )
    {
        /* In an aligned frame the distance from rbp to the CFA is not fixed. */
        if ( aligned(frame) || aligned(other) )
            frame->framed = false;
        frame->base = UNWIND_BASE_LOST;
    }
    else if ( frame->depth != other->depth )
    {
        if ( aligned(frame) )
            frame->depth = UNWIND_DEPTH_LOST;
        else
            frame->base = UNWIND_BASE_LOST;
    }
    if ( frame->base == UNWIND_BASE_LOST )
        frame->depth = 0;
}

bool unwind_frame_join(struct unwind_frame *frame,
                       const struct unwind_frame *other)
{
    struct unwind_frame before = *frame;

    if ( frame->base == UNWIND_BASE_NONE )
    {
        *frame = *other;
        return other->base != UNWIND_BASE_NONE;
    }
    join_base(frame, other);
    if ( !other->framed || other->frame != frame->frame )
        unframe(frame);
    if ( frame->rbp != other->rbp ||
         (frame->rbp == UNWIND_RBP_SAVED && frame->saved != other->saved) )
        frame->rbp = UNWIND_RBP_LOST;
    if ( frame->alias != other->alias ||
         frame->alias_depth != other->alias_depth )
        frame->alias = UNWIND_NO_REGISTER;
    return !same(frame, &before);
}
