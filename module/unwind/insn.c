/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reduces what capstone decoded to the few effects that matter. */
#include "insn.h"

/* Instructions whose effect does not depend on their operands. */
static const struct {
    unsigned int id;
    enum unwind_op op;
} fixed[] = {
    {X86_INS_PUSHF, UNWIND_OP_LOSE},
    {X86_INS_PUSHFQ, UNWIND_OP_PUSH},
    {X86_INS_POPF, UNWIND_OP_LOSE},
    {X86_INS_POPFQ, UNWIND_OP_POP},
    {X86_INS_LEAVE, UNWIND_OP_LEAVE},
    {X86_INS_ENTER, UNWIND_OP_LOSE},
    {X86_INS_CALL, UNWIND_OP_CALL},
    {X86_INS_JMP, UNWIND_OP_JUMP},
    {X86_INS_RET, UNWIND_OP_RETURN},
    {X86_INS_IRETQ, UNWIND_OP_INTERRUPT_RETURN},
    {X86_INS_UD2, UNWIND_OP_TRAP},
    {X86_INS_INT3, UNWIND_OP_INT3},
    {X86_INS_NOP, UNWIND_OP_NOP},
    {X86_INS_ENDBR64, UNWIND_OP_LANDING},
    {X86_INS_RETF, UNWIND_OP_STOP},
    {X86_INS_RETFQ, UNWIND_OP_STOP},
    {X86_INS_IRET, UNWIND_OP_STOP},
    {X86_INS_IRETD, UNWIND_OP_STOP},
    {X86_INS_SYSRET, UNWIND_OP_STOP},
    {X86_INS_SYSEXIT, UNWIND_OP_STOP},
};

/* Whether the first operand is only read. */
static bool only_reads(unsigned int id)
{
    switch ( id )
    {
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_BT:
    case X86_INS_PUSH:
    case X86_INS_MUL:
    case X86_INS_DIV:
    case X86_INS_IDIV:
    case X86_INS_CALL:
    case X86_INS_JMP: return true;
    default: return false;
    }
}

/* Whether the second operand is written too. */
static bool writes_both(unsigned int id)
{
    return id == X86_INS_XCHG || id == X86_INS_XADD;
}

static int operand_register(const cs_x86 *x86, unsigned int index)
{
    const cs_x86_op *operand = &x86->operands[index];

    if ( index >= x86->op_count || operand->type != X86_OP_REG )
        return -1;
    return code_register_index(operand->reg);
}

/* Returns the base register of an operand without an index, or -1. */
static int operand_base(const cs_x86 *x86, unsigned int index, int64_t *offset)
{
    const cs_x86_op *operand = &x86->operands[index];

    if ( index >= x86->op_count || operand->type != X86_OP_MEM ||
         operand->mem.index != X86_REG_INVALID ||
         operand->mem.segment == X86_REG_FS ||
         operand->mem.segment == X86_REG_GS )
        return -1;
    *offset = operand->mem.disp;
    return code_register_index(operand->mem.base);
}

static uint16_t written_registers(const cs_insn *decoded)
{
    const cs_detail *detail = decoded->detail;
    const cs_x86 *x86 = &detail->x86;
    uint16_t written = 0;
    int reg;

    for ( uint8_t i = 0; i < detail->regs_write_count; i++ )
    {
        reg = code_register_index(detail->regs_write[i]);
        if ( reg >= 0 )
            written |= 1u << reg;
    }
    reg = only_reads(decoded->id) ? -1 : operand_register(x86, 0);
    if ( reg >= 0 )
        written |= 1u << reg;
    reg = writes_both(decoded->id) ? operand_register(x86, 1) : -1;
    if ( reg >= 0 )
        written |= 1u << reg;
    return written;
}

/* add and sub move rsp by a constant, or lose it. */
static void read_arithmetic(const cs_insn *decoded, struct unwind_insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    int64_t value = x86->operands[1].imm;

    insn->op = UNWIND_OP_LOSE;
    if ( x86->operands[0].size != 8 || x86->operands[1].type != X86_OP_IMM ||
         value != (int32_t)value || value == INT32_MIN )
        return;
    insn->op = UNWIND_OP_ADD;
    insn->value = decoded->id == X86_INS_SUB ? -value : value;
}

/* Reads an instruction that writes rsp as its first operand. */
static void read_stack_pointer(const cs_insn *decoded, struct unwind_insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    int64_t offset;
    int reg;

    insn->op = UNWIND_OP_LOSE;
    switch ( decoded->id )
    {
    case X86_INS_ADD:
    case X86_INS_SUB: read_arithmetic(decoded, insn); return;
    case X86_INS_AND: insn->op = UNWIND_OP_ALIGN; return;
    case X86_INS_LEA:
        reg = operand_base(x86, 1, &offset);
        if ( reg < 0 )
            return;
        insn->op = UNWIND_OP_LEA;
        insn->reg = reg;
        insn->value = offset;
        return;
    case X86_INS_MOV:
        reg = operand_register(x86, 1);
        if ( reg < 0 )
            return;
        insn->op = UNWIND_OP_SET;
        insn->reg = reg;
        return;
    }
}

static void read_move(const cs_insn *decoded, struct unwind_insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    int to = operand_register(x86, 0), from = operand_register(x86, 1), reg;
    int64_t offset;

    if ( x86->operands[0].size != 8 )
        return;
    if ( from == CODE_RSP && to >= 0 )
    {
        insn->op = UNWIND_OP_COPY;
        insn->reg = to;
        return;
    }
    if ( from == CODE_RBP )
        insn->op = UNWIND_OP_STORE_RBP;
    else if ( to == CODE_RBP )
        insn->op = UNWIND_OP_LOAD_RBP;
    else if ( to == CODE_R10 )
        insn->op = UNWIND_OP_LOAD_R10;
    else
        return;
    reg = operand_base(x86, from == CODE_RBP ? 0 : 1, &offset);
    if ( reg != CODE_RSP && reg != CODE_RBP )
    {
        insn->op = UNWIND_OP_PLAIN;
        return;
    }
    insn->reg = reg;
    insn->value = offset;
}

static void read_operands(const cs_insn *decoded, struct unwind_insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    int reg = operand_register(x86, 0);
    int64_t offset;

    if ( decoded->id == X86_INS_PUSH || decoded->id == X86_INS_POP )
    {
        insn->op = decoded->id == X86_INS_PUSH ? UNWIND_OP_PUSH : UNWIND_OP_POP;
        insn->reg = reg < 0 ? UNWIND_NO_REGISTER : reg;
        /* Other sizes than a word lose the stack. */
        if ( x86->prefix[2] == 0x66 )
            insn->op = UNWIND_OP_LOSE;
    }
    else if ( insn->written & (1u << CODE_RSP) )
        read_stack_pointer(decoded, insn);
    else if ( decoded->id == X86_INS_MOV )
        read_move(decoded, insn);
    else if ( decoded->id == X86_INS_LEA && reg == CODE_R10 &&
              operand_base(x86, 1, &offset) == CODE_RSP )
    {
        insn->op = UNWIND_OP_COPY;
        insn->reg = CODE_R10;
        insn->value = offset;
    }
}

/* Returns -1 if the operands decide. */
static int fixed_op(const cs_insn *decoded)
{
    for ( size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++ )
        if ( fixed[i].id == decoded->id )
            return fixed[i].op;
    if ( in_group(decoded, X86_GRP_JUMP) || decoded->id == X86_INS_LOOP ||
         decoded->id == X86_INS_LOOPE || decoded->id == X86_INS_LOOPNE )
        return UNWIND_OP_BRANCH;
    return -1;
}

void unwind_insn_read(const cs_insn *decoded, struct unwind_insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    int op = fixed_op(decoded);

    *insn = (struct unwind_insn){
        .address = decoded->address,
        .to = UNWIND_NOWHERE,
        .length = decoded->size,
        .op = op < 0 ? UNWIND_OP_PLAIN : op,
        .reg = UNWIND_NO_REGISTER,
        .written = written_registers(decoded),
    };
    if ( op < 0 )
        read_operands(decoded, insn);
    else if ( (op == UNWIND_OP_CALL || op == UNWIND_OP_JUMP ||
               op == UNWIND_OP_BRANCH) &&
              x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM )
        insn->target = x86->operands[0].imm;
}
