/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one instruction does to the stack pointer, to rbp and to the flow. */
#ifndef XENOPROF_MODULE_UNWIND_INSN_H
#define XENOPROF_MODULE_UNWIND_INSN_H

#include "module/disassembler.h"

#define UNWIND_NO_REGISTER 0xff
#define UNWIND_NOWHERE     UINT32_MAX /* no such instruction */

enum unwind_op {
    UNWIND_OP_PLAIN, /* only the registers that it writes matter */
    UNWIND_OP_NOP,
    UNWIND_OP_LANDING,   /* endbr64 */
    UNWIND_OP_PUSH,      /* reg, or UNWIND_NO_REGISTER */
    UNWIND_OP_POP,       /* likewise */
    UNWIND_OP_ADD,       /* rsp += value */
    UNWIND_OP_LEA,       /* rsp = reg + value */
    UNWIND_OP_SET,       /* rsp = reg */
    UNWIND_OP_ALIGN,     /* rsp is rounded down */
    UNWIND_OP_LOSE,      /* rsp is not known any more */
    UNWIND_OP_COPY,      /* reg = rsp + value */
    UNWIND_OP_STORE_RBP, /* rbp is stored at reg + value */
    UNWIND_OP_LOAD_RBP,  /* and loaded from there */
    UNWIND_OP_LOAD_R10,  /* r10 is loaded from reg + value */
    UNWIND_OP_LEAVE,
    UNWIND_OP_CALL,   /* target, or UNWIND_NOWHERE: out of the code */
    UNWIND_OP_JUMP,   /* likewise */
    UNWIND_OP_BRANCH, /* may also go on to the next instruction */
    UNWIND_OP_RETURN,
    UNWIND_OP_INTERRUPT_RETURN,
    UNWIND_OP_TRAP, /* ud2, udb: goes on if a bug frame says so */
    UNWIND_OP_STOP, /* does not go on */
    UNWIND_OP_INT3, /* likewise; fills space between functions */
    UNWIND_OP_BAD   /* a byte that could not be decoded */
};

enum unwind_role {
    UNWIND_ROLE_FUNCTION = 1,       /* called from anywhere */
    UNWIND_ROLE_ENTRY = 2,          /* entry code, see entry-distance.h */
    UNWIND_ROLE_APART = 4,          /* boot, kexec, S3: not on Xen's stack */
    UNWIND_ROLE_FIXUP = 8,          /* goes on at a fixup if it faults */
    UNWIND_ROLE_CONTINUES = 16,     /* a ud2 or jump that goes on, too */
    UNWIND_ROLE_TO_FIRST_JUMP = 32, /* of a symbol: only up to its first jump */
    UNWIND_ROLE_BUG = 64            /* a ud2 that does not, by a bug frame */
};

struct unwind_insn {
    uint64_t address;
    uint64_t target; /* address of a direct call or jump, else 0 */
    uint32_t to;     /* instruction at target */
    int32_t value;
    uint16_t written; /* general registers, a bit for each */
    uint8_t length;
    uint8_t op; /* enum unwind_op */
    uint8_t reg;
    uint8_t roles;
    uint8_t text; /* index */
};

/* Fills in all members but text, to and roles. */
void unwind_insn_read(const cs_insn *decoded, struct unwind_insn *insn);

/*
 * Returns the length of the instruction at bytes, with the general registers
 * that it may write; or 0 if it is none of the newer ones, or longer than size.
 */
size_t unwind_newer(const uint8_t *bytes, size_t size, uint16_t *written);

#endif
