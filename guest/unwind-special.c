/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of Linux that its own tables leave without a rule, or describe as the
 * end of a stack although it is called. */
#include "unwind-walk.h"

static const struct {
    const char *name;
    bool prefix;
    enum unwind_special special;
} names[] = {
    {"clear_bhb_loop", false, UNWIND_LOOP},
    {"hypercall_iret", false, UNWIND_EDGE},
    {"hypercall_page", false, UNWIND_HYPERCALL},
    {"xen_failsafe_callback", false, UNWIND_EDGE},
    /* Functions that replaced the page in 2024. */
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

enum unwind_special unwind_special_of(const char *name)
{
    for ( size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++ )
    {
        size_t length = strlen(names[i].name) + !names[i].prefix;

        if ( !strncmp(name, names[i].name, length) )
            return names[i].special;
    }
    return UNWIND_ORDINARY;
}

static struct orc_row call_row(enum orc_base base, int16_t offset)
{
    return (struct orc_row){
        .kind = ORC_CALL, .cfa_base = base, .cfa_offset = offset};
}

#define THUNK  32u /* bytes of one, at most */
#define SWITCH 32u /* of what fills the return buffer */

/* A jump through a register, made of a call into itself, whose return address
 * in the same thunk is never used, and a return. */
static enum unwind_end by_thunk(struct walk *walk)
{
    struct orc_row row = call_row(ORC_BASE_SP, 8);
    uint64_t top;

    if ( walk_read(walk, walk->sp, &top) && walk->ip - top - 1 < THUNK - 1 )
        row.cfa_offset = 16;
    return walk_by_row(walk, &row);
}

/* Entry code calls it with no frame pointer (bp is 0); it has one itself from
 * its third instruction to its last but one. */
static enum unwind_end by_loop(struct walk *walk)
{
    struct orc_row row = call_row(ORC_BASE_BP, 16);
    uint64_t top;

    row.bp_base = ORC_BASE_CFA;
    row.bp_offset = -16;
    if ( walk->bp < walk->sp || !walk_read(walk, walk->bp, &top) )
    {
        row = call_row(ORC_BASE_SP, 8);
        if ( walk_read(walk, walk->sp, &top) && !top )
            row.cfa_offset = 16;
    }
    return walk_by_row(walk, &row);
}

/* On the new stack, with six registers pushed, it calls into itself to fill the
 * return buffer, twice in a row at most, and takes the return addresses back.
 * There are several ways to do that, and rows for the one that is not there. */
static enum unwind_end by_switch(struct walk *walk)
{
    struct orc_row row = call_row(ORC_BASE_SP, UNWIND_SWITCHED);
    uint64_t top;

    row.bp_base = ORC_BASE_CFA;
    row.bp_offset = -16;
    for ( uint64_t own = 0; own < 2; own++ )
        if ( walk_read(walk, walk->sp + own * 8, &top) &&
             walk->ip - top - 1 < SWITCH - 1 )
            row.cfa_offset += 8;
    return walk_by_row(walk, &row);
}

enum unwind_end walk_by_special(struct walk *walk, enum unwind_special special)
{
    switch ( special )
    {
    case UNWIND_THUNK: return by_thunk(walk);
    case UNWIND_LOOP: return by_loop(walk);
    case UNWIND_SWITCH: return by_switch(walk);
    case UNWIND_HYPERCALL: return walk_by_hypercall(walk);
    default: return UNWIND_ROOT;
    }
}
