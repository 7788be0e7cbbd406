/* SPDX-License-Identifier: MIT */
/*
 * The table for walking Xen's stack: for each instruction of a text, where the
 * caller's frame lies.  xenopctl makes it from the machine code of the running
 * hypervisor (module/unwind/) and puts it into the module;
 * hypervisor/xen-stack/xen-stack.c uses it in an NMI.
 *
 * Freestanding: the module includes it too.  The table is one block of bytes;
 * its parts are in this order, 8-byte aligned, and found by their offsets:
 *
 *   struct xenoprof_unwind            the header
 *   struct xenoprof_unwind_region[]   texts, by start, not overlapping
 *   struct xenoprof_unwind_state[]    what rows point to, at most 256
 *   uint32_t first_row[]              for each region: a number for each of
 *                                     its 128-byte blocks, and one more
 *   struct xenoprof_unwind_row[]      block by block, by `at` in a block
 *
 * The rows of a region's block B are first_row[B] up to first_row[B + 1]; the
 * first of them has at == 0, so a lookup never leaves its block: the row of an
 * address is the last one whose `at` is not above the address's offset in the
 * block (blocks count from the region's start).  For a return address look up
 * the call: address - 1.
 */
#ifndef XENOPROF_UNWIND_H
#define XENOPROF_UNWIND_H

#include <xenoprof/types.h>

#define XENOPROF_UNWIND_MAGIC   0x574e5558u /* "XUNW" */
#define XENOPROF_UNWIND_VERSION 2u
#define XENOPROF_UNWIND_BLOCK   128u
#define XENOPROF_UNWIND_STATES  256u
#define XENOPROF_UNWIND_REGIONS 16u
#define XENOPROF_UNWIND_MAX     (4u << 20) /* bytes of a whole table */

struct xenoprof_unwind {
    uint32_t magic;
    uint32_t version;
    uint32_t size; /* of all of it, bytes */
    uint32_t regions;
    uint32_t states;
    uint32_t rows;
    uint32_t regions_at; /* offsets, from the header's beginning */
    uint32_t states_at;
    uint32_t first_row_at;
    uint32_t rows_at;
};

enum xenoprof_unwind_base {
    XENOPROF_UNWIND_ABSOLUTE = 0, /* start is an address in Xen */
    XENOPROF_UNWIND_MODULE = 1    /* start counts from our own text's start */
};

struct xenoprof_unwind_region {
    uint64_t start;
    uint32_t length; /* bytes */
    uint32_t base;   /* enum xenoprof_unwind_base */
    uint32_t first;  /* index in first_row[] of its block 0 */
    uint32_t reserved;
};

/* How to find the CFA: the address behind the frame's return address. */
enum xenoprof_unwind_kind {
    XENOPROF_UNWIND_NONE = 0, /* unknown: the chain is truncated here */
    XENOPROF_UNWIND_RSP = 1,  /* rsp + cfa */
    XENOPROF_UNWIND_RBP = 2,  /* rbp + cfa */
    XENOPROF_UNWIND_DRAP = 3, /* the word at rbp + cfa */
    XENOPROF_UNWIND_R10 = 4,  /* r10 + cfa; only in a leaf */
    /* Entry code, or the stack was reset: rsp points at a cpu_user_regs.  At
     * the stack's end it is the guest's: the root.  Elsewhere it is that of
     * interrupted Xen code, with which the walk continues. */
    XENOPROF_UNWIND_REGS = 5,
    /* The same, for entry code that has not built its frame yet or has removed
     * it.  cfa != 0: its cpu_user_regs lies, or will lie, at rsp + cfa; if Xen
     * was interrupted, the hardware's part (ip, cs, flags, sp, ss) is there
     * already.  cfa == 0: unknown; look for the hardware's frame near rsp. */
    XENOPROF_UNWIND_ENTRY = 6,
    /* The return stack buffer is being filled: REGS, but rsp is low and
     * rax + cfa has the true one; only in a leaf. */
    XENOPROF_UNWIND_RAX = 7,
    XENOPROF_UNWIND_KINDS
};

/* Where the caller's rbp is. */
enum xenoprof_unwind_rbp {
    XENOPROF_UNWIND_RBP_KEPT = 0, /* in rbp */
    /* At CFA + rbp.  For DRAP and R10, whose CFA has no fixed distance from
     * what was pushed after it: where rbp points.  For REGS, ENTRY and RAX: in
     * the cpu_user_regs. */
    XENOPROF_UNWIND_RBP_SAVED = 1,
    XENOPROF_UNWIND_RBP_LOST = 2, /* truncated at a caller that needs it */
    XENOPROF_UNWIND_RBPS
};

struct xenoprof_unwind_state {
    uint8_t kind;      /* enum xenoprof_unwind_kind */
    uint8_t rbp_saved; /* enum xenoprof_unwind_rbp */
    int16_t cfa;       /* bytes; a multiple of 8 */
    int16_t rbp;       /* bytes, negative; a multiple of 8 */
    uint16_t reserved;
};

struct xenoprof_unwind_row {
    uint8_t at;    /* offset in its block */
    uint8_t state; /* index */
};

#endif
