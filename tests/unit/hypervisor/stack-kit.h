/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables and stacks of Xen, made by hand, for tests of the walk, its
 * fuzzer and its bench.  No file of the test harness is needed.
 *
 * The text has functions of KIT_FUNCTION bytes each, one after the other; all
 * of a function's bytes have the same state.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_STACK_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_STACK_KIT_H

#include <xenoprof/unwind.h>

#include "tests/host/host.h"

#define KIT_TEXT     0xffff82d040200000ul
#define KIT_FUNCTION 0x30u /* no divisor of a block */

/* The functions of the usual table, by what their frames are like. */
enum kit_function {
    KIT_UNKNOWN,
    KIT_LEAF,       /* rsp + 8 */
    KIT_SMALL,      /* rsp + 24 */
    KIT_SAVES,      /* rsp + 40, caller's rbp at CFA - 16 */
    KIT_LOSES,      /* rsp + 16, caller's rbp is lost */
    KIT_FRAME,      /* rbp + 16, caller's rbp at CFA - 16 */
    KIT_ALIGNED,    /* at rbp - 8, caller's rbp where rbp points */
    KIT_ALIGNING,   /* r10 + 0, caller's rbp still there */
    KIT_REGS,       /* registers at rsp */
    KIT_REGS_LATE,  /* the same, none of them written yet */
    KIT_ENTRY,      /* registers will lie at rsp - 128 */
    KIT_ENTRY_LATE, /* at rsp - 16 */
    KIT_ENTRY_ANY,  /* search */
    KIT_FILLING,    /* registers at rax */
    KIT_FUNCTIONS
};

/* An address inside a function, and what a call at its very end returns to. */
uint64_t kit_in(unsigned int function);
uint64_t kit_after(unsigned int function);

struct kit_table {
    struct xenoprof_unwind *head;
    struct xenoprof_unwind_region *regions;
    struct xenoprof_unwind_state *states;
    uint32_t *first_rows;
    struct xenoprof_unwind_row *rows;
};

/* Makes a table of so many functions, the usual ones repeated, in a block of
 * its own size, which the caller frees (head). */
struct kit_table kit_table_make(unsigned int functions);
/* Where the table's parts are, by its own numbers. */
struct kit_table kit_table_at(void *bytes);

/* The stacks of pCPU 0, cleared.  Pages of other kinds cannot be read, nor can
 * the memory around the stacks. */
#define KIT_PAGE       0x1000ul
#define KIT_STACK_SIZE 0x8000ul

struct kit_stack {
    uint64_t start;
    uint64_t root; /* 264 bytes below the end */
};
struct kit_stack kit_stack_make(void);

void kit_put(uint64_t address, uint64_t value);

/* Registers as entry code saves them at address: 128 bytes of general ones,
 * then ip, cs, flags, sp, ss.  Xen was interrupted. */
struct kit_saved {
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
    uint64_t error, ip, cs, flags, sp, ss;
};
#define KIT_SAVED_SIZE sizeof(struct kit_saved)
#define KIT_XEN_CS     0xe008
struct kit_saved *kit_interrupted(uint64_t address, uint64_t ip, uint64_t sp);

#endif
