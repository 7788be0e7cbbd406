/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/disassembler.h"
#include "tests/harness.h"

static struct disassembler disassembler;

TEST(instructions_one_after_the_other)
{
    /* push %rbp; call +0; ret; and the first byte of a longer one */
    static const uint8_t bytes[] = {0x55, 0xe8, 0, 0, 0, 0, 0xc3, 0x48};
    const uint8_t *code = bytes;
    size_t size = sizeof(bytes);
    uint64_t address = 0xffff82d040200000;

    CHECK_EQ(disassembler_open(&disassembler), 0);
    CHECK(disassemble(&disassembler, &code, &size, &address));
    CHECK_EQ(disassembler.instruction->id, X86_INS_PUSH);
    CHECK(!in_group(disassembler.instruction, X86_GRP_CALL));
    CHECK(disassemble(&disassembler, &code, &size, &address));
    CHECK(in_group(disassembler.instruction, X86_GRP_CALL));
    CHECK_EQ(disassembler.instruction->detail->x86.operands[0].imm, address);
    CHECK(disassemble(&disassembler, &code, &size, &address));
    CHECK(in_group(disassembler.instruction, X86_GRP_RET));
    CHECK(!disassemble(&disassembler, &code, &size, &address));
    CHECK_EQ(address, 0xffff82d040200007);
    CHECK_EQ(size, 1);
    disassembler_close(&disassembler);
}

TEST(registers_under_each_of_their_names)
{
    static const struct {
        x86_reg names[4];
        int index;
    } registers[] = {
        {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL}, CODE_RAX},
        {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL}, CODE_RSP},
        {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL}, CODE_RBP},
        {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL}, CODE_RDI},
        {{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}, CODE_R10},
        {{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}, 15},
    };

    for ( size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++ )
        for ( int width = 0; width < 4; width++ )
            CHECK_EQ(code_register_index(registers[i].names[width]),
                     registers[i].index);
    CHECK_EQ(code_register_index(X86_REG_RIP), -1);
    CHECK_EQ(code_register_index(X86_REG_XMM0), -1);
    CHECK_EQ(code_register_index(X86_REG_INVALID), -1);
}

TEST(disassembler_that_was_not_opened_is_closed)
{
    struct disassembler none = {0};

    disassembler_close(&none);
    CHECK(!none.instruction);
}
