/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwinder that follows the row of the frame's code. */
#include <stddef.h>
#include "stack-walk.h"

/* Offsets in the pt_regs of 64-bit Linux. */
enum {
    PT_R13 = 16,
    PT_BP = 32,
    PT_R10 = 56,
    PT_AX = 80,
    PT_DX = 96,
    PT_DI = 112,
    PT_IP = 128 /* first of the words that the processor pushed */
};
/* Offsets in what the processor pushed. */
enum {
    PUSHED_IP = 0,
    PUSHED_CS = 8,
    PUSHED_FLAGS = 16,
    PUSHED_SP = 24,
    PUSHED_SIZE = 32
};

/* Bits of a selector, and of rflags that are always 1 or always 0. */
#define SELECTOR_MASK 0xffffull
#define FLAGS_ONE     0x2ull
#define FLAGS_ZERO    0xffffffffffc08028ull

static const struct {
    uint16_t in_leaf;
    uint16_t in_saved;
} registers[ROW_BASES] = {
    [ROW_BASE_AX] = {offsetof(struct xenoprof_registers, rax), PT_AX},
    [ROW_BASE_DX] = {offsetof(struct xenoprof_registers, rdx), PT_DX},
    [ROW_BASE_DI] = {offsetof(struct xenoprof_registers, rdi), PT_DI},
    [ROW_BASE_R10] = {offsetof(struct xenoprof_registers, r10), PT_R10},
    [ROW_BASE_R13] = {offsetof(struct xenoprof_registers, r13), PT_R13},
};

/* These registers are known only where the frame was interrupted. */
static enum unwind_end get_row_register(const struct stack_walk *walk,
                                        enum row_base base, uint64_t *ret)
{
    const char *leaf = (const char *)walk->start->registers;

    switch ( walk->registers )
    {
    case REGISTERS_LEAF:
        *ret = *(const uint64_t *)(leaf + registers[base].in_leaf);
        return UNWIND_ON;
    case REGISTERS_SAVED:
        return walk_read(walk, walk->saved + registers[base].in_saved, ret)
                   ? UNWIND_ON
                   : UNWIND_WINDOW;
    default: return UNWIND_NO_RULE;
    }
}

static enum unwind_end get_base(const struct stack_walk *walk,
                                enum row_base base, uint64_t *ret)
{
    switch ( base )
    {
    case ROW_BASE_SP: *ret = walk->sp; return UNWIND_ON;
    case ROW_BASE_BP: *ret = walk->bp; return UNWIND_ON;
    case ROW_BASE_AX:
    case ROW_BASE_DX:
    case ROW_BASE_DI:
    case ROW_BASE_R10:
    case ROW_BASE_R13: return get_row_register(walk, base, ret);
    default: return UNWIND_NO_RULE;
    }
}

static enum unwind_end get_cfa(const struct stack_walk *walk,
                               const struct unwind_row *row, uint64_t *ret)
{
    enum unwind_end end = get_base(walk, row->cfa_base, ret);

    if ( end != UNWIND_ON )
        return end;
    if ( row->cfa_way != ROW_AT_BASE )
        *ret += row->cfa_offset;
    if ( row->cfa_way != ROW_SUM && !walk_read(walk, *ret, ret) )
        return UNWIND_WINDOW;
    if ( row->cfa_way == ROW_AT_BASE )
        *ret += row->cfa_offset;
    return UNWIND_ON;
}

static enum unwind_end from_call(struct stack_walk *walk,
                                 const struct unwind_row *row, uint64_t cfa)
{
    uint64_t base = row->bp_base == ROW_BASE_CFA ? cfa : walk->bp;
    enum unwind_end end;

    if ( row->bp_base != ROW_BASE_NONE &&
         !walk_read(walk, base + row->bp_offset, &walk->bp) )
        return UNWIND_WINDOW;
    end = walk_rise(walk, cfa - 8, 8);
    if ( end != UNWIND_ON )
        return end;
    walk->registers = REGISTERS_LOST;
    walk->sp = cfa;
    walk->ip = walk_member(walk, 0);
    return UNWIND_ON;
}

/* The words at `at` were pushed by the processor, or by Xen for a PV guest.
 * Xen gives a PV kernel, which runs in ring 3, a cs with privilege 0. */
static enum unwind_end from_pushed(struct stack_walk *walk, uint64_t at)
{
    enum unwind_end end = walk_rise(walk, at, PUSHED_SIZE);

    if ( end != UNWIND_ON )
        return end;
    walk->sp = walk_member(walk, PUSHED_SP);
    walk->ip = walk_member(walk, PUSHED_IP);
    return walk_member(walk, PUSHED_CS) & 3 ? UNWIND_USER : UNWIND_ON;
}

static enum unwind_end from_registers(struct stack_walk *walk, uint64_t cfa)
{
    if ( !walk_read(walk, cfa + PT_BP, &walk->bp) )
        return UNWIND_WINDOW;
    walk->registers = REGISTERS_SAVED;
    walk->saved = cfa;
    return from_pushed(walk, cfa + PT_IP);
}

static bool looks_pushed(const struct stack_walk *walk, uint64_t at)
{
    uint64_t cs, flags;

    return walk_read(walk, at + PUSHED_CS, &cs) &&
           walk_read(walk, at + PUSHED_FLAGS, &flags) &&
           !(cs & ~SELECTOR_MASK) && flags & FLAGS_ONE && !(flags & FLAGS_ZERO);
}

/* Entry code calls a function that saves the other registers below the words
 * that the processor pushed.  Until the stack pointer is then set to them, the
 * row still says that there is only an error code. */
static enum unwind_end from_interrupt(struct stack_walk *walk, uint64_t cfa)
{
    uint64_t saved = cfa - 8;

    if ( !looks_pushed(walk, cfa) && looks_pushed(walk, saved + PT_IP) )
        return from_registers(walk, saved);
    return from_pushed(walk, cfa);
}

static enum unwind_end find_caller_by_row(struct stack_walk *walk)
{
    const struct unwind_row *row = &walk->row;
    uint64_t cfa;
    enum unwind_end end = get_cfa(walk, row, &cfa);

    if ( end != UNWIND_ON )
        return end;
    switch ( row->kind )
    {
    case ROW_CALL: return from_call(walk, row, cfa);
    case ROW_REGISTERS: return from_registers(walk, cfa);
    default: return from_interrupt(walk, cfa);
    }
}

enum unwind_end walk_by_row(struct stack_walk *walk)
{
    enum unwind_end end;

    if ( walk->row.kind == ROW_UNDEFINED )
        return UNWIND_PASS;
    if ( walk->row.kind == ROW_END )
        return UNWIND_ROOT;
    end = find_caller_by_row(walk);
    if ( end != UNWIND_ON )
        return end;
    walk->exact = walk->row.signal;
    return walk_is_code(walk->ip) && walk_is_kernels(walk->sp)
               ? UNWIND_ON
               : UNWIND_NONSENSE;
}
