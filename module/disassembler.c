/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens capstone for x86, and knows the names of registers. */
#include "disassembler.h"

#include <errno.h>

static const struct {
    x86_reg names[4]; /* 64, 32, 16 and 8 bits */
} register_names[CODE_REGISTERS] = {
    {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL}},
    {{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL}},
    {{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL}},
    {{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL}},
    {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL}},
    {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL}},
    {{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL}},
    {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL}},
    {{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B}},
    {{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}},
    {{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}},
    {{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B}},
    {{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B}},
    {{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B}},
    {{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B}},
    {{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}},
};

int disassembler_open(struct disassembler *disassembler)
{
    *disassembler = (struct disassembler){0};
    if ( cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler->capstone) !=
             CS_ERR_OK ||
         cs_option(disassembler->capstone, CS_OPT_DETAIL, CS_OPT_ON) !=
             CS_ERR_OK )
        return -ENOSYS;
    disassembler->instruction = cs_malloc(disassembler->capstone);

    return disassembler->instruction ? 0 : -ENOMEM;
}

void disassembler_close(struct disassembler *disassembler)
{
    if ( disassembler->instruction )
        cs_free(disassembler->instruction, 1);
    if ( disassembler->capstone )
        cs_close(&disassembler->capstone);
    *disassembler = (struct disassembler){0};
}

bool in_group(const cs_insn *instruction, uint8_t group)
{
    const cs_detail *detail = instruction->detail;

    for ( uint8_t i = 0; i < detail->groups_count; i++ )
        if ( detail->groups[i] == group )
            return true;

    return false;
}

int code_register_index(unsigned int name)
{
    for ( int i = 0; i < CODE_REGISTERS; i++ )
        for ( int width = 0; width < 4; width++ )
            if ( register_names[i].names[width] == name )
                return i;

    return -1;
}
