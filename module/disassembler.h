/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone with all its details, and the general registers by number. */
#ifndef XENOPROF_MODULE_DISASSEMBLER_H
#define XENOPROF_MODULE_DISASSEMBLER_H

#include <stdbool.h>

#include <capstone/capstone.h>

#define CODE_REGISTERS 16

/* As instructions number them; r12 to r15 follow. */
enum code_register {
    CODE_RAX,
    CODE_RCX,
    CODE_RDX,
    CODE_RBX,
    CODE_RSP,
    CODE_RBP,
    CODE_RSI,
    CODE_RDI,
    CODE_R8,
    CODE_R9,
    CODE_R10,
    CODE_R11,
};

struct disassembler {
    csh capstone;
    cs_insn *instruction; /* the last one that disassemble() decoded */
};

/* Returns 0, -ENOMEM, or -ENOSYS if capstone cannot decode x86. */
int disassembler_open(struct disassembler *disassembler);

/* Also closes a disassembler that failed to open. */
void disassembler_close(struct disassembler *disassembler);

/* Decodes the instruction at *code, and moves *code, *size and *address past
 * it.  Returns false if capstone does not know an instruction there. */
static inline bool disassemble(struct disassembler *disassembler,
                               const uint8_t **code, size_t *size,
                               uint64_t *address)
{
    return cs_disasm_iter(disassembler->capstone, code, size, address,
                          disassembler->instruction);
}

/* Returns whether an instruction is in one of capstone's groups, X86_GRP_*. */
bool in_group(const cs_insn *instruction, uint8_t group);

/* Returns the number of a general register under any of its names, or -1. */
int code_register_index(unsigned int name);

#endif /* XENOPROF_MODULE_DISASSEMBLER_H */
