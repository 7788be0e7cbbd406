/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a frame to its caller's as an ORC row says. */
#include "unwind-walk.h"

/* Where Linux's 64-bit pt_regs has what. */
enum {
    PT_R13 = 16,
    PT_BP = 32,
    PT_R10 = 56,
    PT_AX = 80,
    PT_DX = 96,
    PT_DI = 112,
    PT_IP = 128 /* what the processor pushed begins here */
};
/* Where that has what. */
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
} registers[ORC_BASES] = {
    [ORC_BASE_AX] = {offsetof(struct xenoprof_registers, rax), PT_AX},
    [ORC_BASE_DX] = {offsetof(struct xenoprof_registers, rdx), PT_DX},
    [ORC_BASE_DI] = {offsetof(struct xenoprof_registers, rdi), PT_DI},
    [ORC_BASE_R10] = {offsetof(struct xenoprof_registers, r10), PT_R10},
    [ORC_BASE_R13] = {offsetof(struct xenoprof_registers, r13), PT_R13},
};

/* A register that is only known where the frame was interrupted. */
static enum unwind_end get_register(const struct walk *walk, enum orc_base base,
                                    uint64_t *ret)
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

static enum unwind_end get_base(const struct walk *walk, enum orc_base base,
                                uint64_t *ret)
{
    switch ( base )
    {
    case ORC_BASE_SP: *ret = walk->sp; return UNWIND_ON;
    case ORC_BASE_BP: *ret = walk->bp; return UNWIND_ON;
    case ORC_BASE_AX:
    case ORC_BASE_DX:
    case ORC_BASE_DI:
    case ORC_BASE_R10:
    case ORC_BASE_R13: return get_register(walk, base, ret);
    default: return UNWIND_NO_RULE;
    }
}

static enum unwind_end get_cfa(const struct walk *walk,
                               const struct orc_row *row, uint64_t *ret)
{
    enum unwind_end end = get_base(walk, row->cfa_base, ret);

    if ( end != UNWIND_ON )
        return end;
    if ( row->cfa_way != ORC_AT_BASE )
        *ret += row->cfa_offset;
    if ( row->cfa_way != ORC_SUM && !walk_read(walk, *ret, ret) )
        return UNWIND_WINDOW;
    if ( row->cfa_way == ORC_AT_BASE )
        *ret += row->cfa_offset;
    return UNWIND_ON;
}

static enum unwind_end from_call(struct walk *walk, const struct orc_row *row,
                                 uint64_t cfa)
{
    uint64_t base = row->bp_base == ORC_BASE_CFA ? cfa : walk->bp;
    enum unwind_end end;

    if ( row->bp_base != ORC_BASE_NONE &&
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

/* What the processor, or Xen in its place, pushed.  Xen shows a PV guest its
 * own kernel's cs with privilege 0 although that runs in ring 3. */
static enum unwind_end from_pushed(struct walk *walk, uint64_t at)
{
    enum unwind_end end = walk_rise(walk, at, PUSHED_SIZE);

    if ( end != UNWIND_ON )
        return end;
    walk->sp = walk_member(walk, PUSHED_SP);
    walk->ip = walk_member(walk, PUSHED_IP);
    return walk_member(walk, PUSHED_CS) & 3 ? UNWIND_USER : UNWIND_ON;
}

static enum unwind_end from_registers(struct walk *walk, uint64_t cfa)
{
    if ( !walk_read(walk, cfa + PT_BP, &walk->bp) )
        return UNWIND_WINDOW;
    walk->registers = REGISTERS_SAVED;
    walk->saved = cfa;
    return from_pushed(walk, cfa + PT_IP);
}

static bool looks_pushed(const struct walk *walk, uint64_t at)
{
    uint64_t cs, flags;

    return walk_read(walk, at + PUSHED_CS, &cs) &&
           walk_read(walk, at + PUSHED_FLAGS, &flags) &&
           !(cs & ~SELECTOR_MASK) && flags & FLAGS_ONE && !(flags & FLAGS_ZERO);
}

/* Entry code calls a function that saves the other registers below what the
 * processor pushed.  When that is done, and until the stack pointer is set
 * anew, rows still say that there is only an error code. */
static enum unwind_end from_interrupt(struct walk *walk, uint64_t cfa)
{
    uint64_t saved = cfa - 8;

    if ( !looks_pushed(walk, cfa) && looks_pushed(walk, saved + PT_IP) )
        return from_registers(walk, saved);
    return from_pushed(walk, cfa);
}

static enum unwind_end find_caller(struct walk *walk, const struct orc_row *row)
{
    uint64_t cfa;
    enum unwind_end end = get_cfa(walk, row, &cfa);

    if ( end != UNWIND_ON )
        return end;
    switch ( row->kind )
    {
    case ORC_CALL: return from_call(walk, row, cfa);
    case ORC_REGISTERS: return from_registers(walk, cfa);
    default: return from_interrupt(walk, cfa);
    }
}

/* Kernels that have ORC are 64-bit, in the upper half, and compiled for code
 * in its last 2 GiB, where modules and BPF programs are too. */
static bool may_go_on(const struct walk *walk)
{
    return walk->ip >= 0xffffffff80000000u && walk->sp >> 56 == 0xff;
}

enum unwind_end walk_by_row(struct walk *walk, const struct orc_row *row)
{
    enum unwind_end end;

    if ( row->kind == ORC_UNDEFINED )
        return UNWIND_NO_RULE;
    if ( row->kind == ORC_END )
        return UNWIND_ROOT;
    end = find_caller(walk, row);
    if ( end != UNWIND_ON )
        return end;
    walk->exact = row->signal;
    return may_go_on(walk) ? UNWIND_ON : UNWIND_NONSENSE;
}
