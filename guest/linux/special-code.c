/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwinder for code of Linux that needs a rule of its own. */
#include "special-code.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    bool prefix; /* of all that begins with name */
    enum unwind_special special;
} special_names[] = {
    {"clear_bhb_loop", false, UNWIND_LOOP},
    {"hypercall_iret", false, UNWIND_EDGE},
    {"hypercall_page", false, UNWIND_HYPERCALL},
    {"xen_failsafe_callback", false, UNWIND_EDGE},
    /* Functions in the place of the hypercall page: Linux commit 7fa0da537368
     * ("x86/xen: remove hypercall page") (v6.13 and stable releases). */
    {"xen_hypercall_amd", false, UNWIND_ORDINARY},
    {"xen_hypercall_hvm", false, UNWIND_ORDINARY},
    {"xen_hypercall_intel", false, UNWIND_ORDINARY},
    {"xen_hypercall_pv", false, UNWIND_ORDINARY},
    {"xen_hypercall_setfunc", false, UNWIND_ORDINARY},
    {"xen_hypercall_", true, UNWIND_HYPERCALL},
    {"xen_iret", false, UNWIND_EDGE},
    {"xen_sysret32", false, UNWIND_EDGE},
    {"xen_sysret64", false, UNWIND_EDGE},
    {"__switch_to_asm", false, UNWIND_SWITCH},
    {"__x86_indirect_", true, UNWIND_THUNK},
};

enum unwind_special special_code_of(const char *name)
{
    for ( size_t i = 0; i < COUNT(special_names); i++ )
    {
        size_t length = strlen(special_names[i].name);

        if ( !strncmp(name, special_names[i].name,
                      length + !special_names[i].prefix) )
            return special_names[i].special;
    }
    return UNWIND_ORDINARY;
}

/* Walks as a row would say: the return address lies below base + offset. */
static enum unwind_end walk_from(struct stack_walk *walk, enum row_base base,
                                 int16_t offset)
{
    walk->row = (struct unwind_row){
        .kind = ROW_CALL, .cfa_base = base, .cfa_offset = offset};
    return walk_by_row(walk);
}

/* The same, with the caller's frame pointer saved below the return address. */
static enum unwind_end walk_from_saved(struct stack_walk *walk,
                                       enum row_base base, int16_t offset)
{
    walk->row = (struct unwind_row){.kind = ROW_CALL,
                                    .cfa_base = base,
                                    .cfa_offset = offset,
                                    .bp_base = ROW_BASE_CFA,
                                    .bp_offset = -16};
    return walk_by_row(walk);
}

/* Whether the word at sp + offset is an address less than size bytes before
 * ip: the return address of a call of the code into itself. */
static bool called_itself(const struct stack_walk *walk, uint64_t offset,
                          uint64_t size)
{
    uint64_t word;

    return walk_read(walk, walk->sp + offset, &word) &&
           walk->ip - word - 1 < size - 1;
}

#define THUNK_BYTES 32u

/* A jump through a register, made of a call into itself, whose return address
 * in the same thunk is never used, and a return. */
static enum unwind_end by_thunk(struct stack_walk *walk)
{
    return walk_from(walk, ROW_BASE_SP,
                     called_itself(walk, 0, THUNK_BYTES) ? 16 : 8);
}

/*
 * Linux commit 7390db8aea0d ("x86/bhi: Add support for clearing branch history
 * at syscall entry") (v6.9).  Entry code calls the loop with a frame pointer of
 * 0; the loop has a frame pointer from its third instruction to its last but
 * one.
 */
static enum unwind_end by_loop(struct stack_walk *walk)
{
    uint64_t top;
    bool pushed;

    if ( walk->bp >= walk->sp && walk_read(walk, walk->bp, &top) )
        return walk_from_saved(walk, ROW_BASE_BP, 16);
    pushed = walk_read(walk, walk->sp, &top) && !top;
    return walk_from(walk, ROW_BASE_SP, pushed ? 16 : 8);
}

/* The frame of __switch_to_asm: six registers and a return address; above
 * them at most two return addresses of calls into itself. */
#define SWITCH_FRAME 56
#define SWITCH_CALLS 2
#define REFILL_BYTES 32u /* of the code that fills the return buffer */

/* Compilers never push a frame pointer first without setting it up, so a row
 * like this one is __switch_to_asm's. */
static bool may_switch(const struct unwind_row *row)
{
    return row->kind == ROW_CALL && row->cfa_base == ROW_BASE_SP &&
           row->cfa_offset >= SWITCH_FRAME &&
           row->cfa_offset <= SWITCH_FRAME + 8 * SWITCH_CALLS &&
           row->bp_base == ROW_BASE_CFA && row->bp_offset == -16;
}

/* On the new stack, with six registers pushed, __switch_to_asm calls into
 * itself to fill the return buffer, at most twice in a row, and takes the
 * return addresses back.  Linux patches one of several ways to do that in, and
 * has rows for another. */
static enum unwind_end by_switch(struct stack_walk *walk)
{
    int16_t frame = SWITCH_FRAME;

    for ( uint64_t call = 0; call < SWITCH_CALLS; call++ )
        if ( called_itself(walk, 8 * call, REFILL_BYTES) )
            frame += 8;
    return walk_from_saved(walk, ROW_BASE_SP, frame);
}

#define HYPERCALL_PAGE 4096u
#define STUB           32u /* bytes for each hypercall */
#define STUB_IRET      23u /* never returns, and is jumped to */

/* Words on the stack at each instruction of a stub that Xen wrote for a PV
 * guest: push rcx (1 byte), push r11 (2), mov eax (5), syscall (2), pop r11
 * (2), pop rcx (1), ret.  Linux's rows describe stubs that push nothing. */
static const uint8_t stub_pushed[STUB] = {
    [1] = 1, [2] = 1, [3] = 2, [4] = 2,  [5] = 2,  [6] = 2,
    [7] = 2, [8] = 2, [9] = 2, [10] = 2, [11] = 2, [12] = 1,
};

unsigned int hypercall_pushed(uint64_t ip)
{
    return stub_pushed[ip % STUB];
}

static enum unwind_end by_hypercall(struct stack_walk *walk)
{
    if ( walk->ip % HYPERCALL_PAGE / STUB == STUB_IRET )
        return UNWIND_ROOT;
    return walk_from(walk, ROW_BASE_SP,
                     (int16_t)(8 + 8 * hypercall_pushed(walk->ip)));
}

/* Names are looked up only where the row leaves a doubt: a look-up costs more
 * than a step.  In a PV guest any interrupted code may be a hypercall. */
static enum unwind_special find_special(const struct stack_walk *walk)
{
    const struct unwind_code *code = walk->code;
    enum unwind_special special;

    if ( walk->row.kind >= ROW_CALL && !code->pv && !may_switch(&walk->row) )
        return UNWIND_ORDINARY;
    special = code->special(code->self, walk->ip);
    return special != UNWIND_HYPERCALL || code->pv ? special : UNWIND_ORDINARY;
}

enum unwind_end walk_by_special_code(struct stack_walk *walk)
{
    bool has_rule = walk->row.kind >= ROW_CALL;

    if ( !walk->exact || !walk->code->special || !walk->start->kernel )
        return UNWIND_PASS;
    switch ( find_special(walk) )
    {
    case UNWIND_ORDINARY: return UNWIND_PASS;
    case UNWIND_HYPERCALL: return by_hypercall(walk);
    case UNWIND_SWITCH:
        return may_switch(&walk->row) ? by_switch(walk) : UNWIND_PASS;
    case UNWIND_THUNK: return has_rule ? UNWIND_PASS : by_thunk(walk);
    case UNWIND_LOOP: return has_rule ? UNWIND_PASS : by_loop(walk);
    default: return has_rule ? UNWIND_PASS : UNWIND_ROOT;
    }
}
