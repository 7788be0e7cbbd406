/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one instruction does to the values in registers, a function for each
 * kind. */
#include "code-step.h"

#include <string.h>

static void note_flags(struct code_step *step, enum code_event_kind kind,
                       value_id left, value_id right)
{
    struct code_event *event = code_add_event(step, kind);

    if ( !event )
        return;
    event->left = left;
    event->right = right;
}

void code_call(struct code_step *step, uint64_t target)
{
    static const enum code_register clobbered[] = {
        CODE_RAX, CODE_RCX, CODE_RDX, CODE_RSI, CODE_RDI,
        CODE_R8,  CODE_R9,  CODE_R10, CODE_R11,
    };
    struct code_state *state = step->state;
    struct code_event *event = code_add_event(step, CODE_CALL);
    int64_t offset;

    if ( !event )
        return;
    event->target = target;
    for ( int i = 0; i < CODE_ARGUMENTS; i++ )
    {
        event->arguments[i] = state->registers[code_argument_registers[i]];
        /* The callee may change our stack if it gets an address in it. */
        if ( code_own_stack(step, event->arguments[i], &offset) )
            state->slot_count = 0;
    }
    for ( size_t i = 0; i < sizeof(clobbered) / sizeof(*clobbered); i++ )
        state->registers[clobbered[i]] = 0;
    state->registers[CODE_RAX] = value_leaf(&step->tracer->pool, VALUE_RESULT,
                                            target);
}

static const cs_x86_op *operands(const struct code_step *step)
{
    return step->instruction->detail->x86.operands;
}

static void do_move(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    struct code_event *event;

    if ( operand[0].type == X86_OP_REG && operand[0].reg == X86_REG_CR3 )
    {
        event = code_add_event(step, CODE_CR3_SET);
        if ( event )
            event->left = code_operand_value(step, &operand[1]);
        return;
    }
    code_operand_set(step, &operand[0], code_operand_value(step, &operand[1]));
}

/* Loads that widen: the value keeps the width that was read. */
static void do_widen(struct code_step *step)
{
    do_move(step);
}

static void do_address(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);

    code_operand_set(step, &operand[0],
                     code_operand_address(step, &operand[1]));
}

static enum value_kind operation_of(unsigned int instruction)
{
    switch ( instruction )
    {
    case X86_INS_ADD: return VALUE_SUM;
    case X86_INS_SUB: return VALUE_DIFFERENCE;
    case X86_INS_AND: return VALUE_AND;
    case X86_INS_OR: return VALUE_OR;
    case X86_INS_XOR: return VALUE_XOR;
    case X86_INS_SHL:
    case X86_INS_SAL: return VALUE_SHIFT_LEFT;
    case X86_INS_SHR:
    case X86_INS_SAR: return VALUE_SHIFT_RIGHT;
    case X86_INS_IMUL: return VALUE_PRODUCT;
    default: return VALUE_UNKNOWN;
    }
}

static bool clears(const struct code_step *step)
{
    const cs_x86_op *operand = operands(step);

    return (step->instruction->id == X86_INS_XOR ||
            step->instruction->id == X86_INS_SUB) &&
           operand[0].type == X86_OP_REG && operand[1].type == X86_OP_REG &&
           operand[0].reg == operand[1].reg;
}

static void do_arithmetic(struct code_step *step)
{
    const cs_x86 *x86 = &step->instruction->detail->x86;
    const cs_x86_op *operand = x86->operands;
    struct value_pool *pool = &step->tracer->pool;
    value_id left, right;

    if ( clears(step) )
    {
        code_operand_set(step, &operand[0], value_constant(pool, 0));
        return;
    }
    /* imul may have three operands; some versions of capstone give shifts by 1
     * one. */
    left = code_operand_value(step, &operand[x86->op_count == 3]);
    right = x86->op_count == 1
                ? value_constant(pool, 1)
                : code_operand_value(step, &operand[x86->op_count - 1]);
    if ( step->instruction->id == X86_INS_AND )
        note_flags(step, CODE_TEST, left, right);
    code_operand_set(step, &operand[0],
                     value_operation(pool, operation_of(step->instruction->id),
                                     left, right));
}

static void do_increment(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    int64_t one = step->instruction->id == X86_INS_INC ? 1 : -1;

    code_operand_set(step, &operand[0],
                     value_plus(&step->tracer->pool,
                                code_operand_value(step, &operand[0]), one));
}

static void do_not(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);

    code_operand_set(step, &operand[0],
                     value_operation(&step->tracer->pool, VALUE_NOT,
                                     code_operand_value(step, &operand[0]), 0));
}

static void do_flags(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    value_id left = code_operand_value(step, &operand[0]);
    value_id right = code_operand_value(step, &operand[1]);

    note_flags(step,
               step->instruction->id == X86_INS_CMP ? CODE_COMPARE : CODE_TEST,
               left, right);
}

static void do_push(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id value = code_operand_value(step, operands(step));
    value_id top = value_plus(&step->tracer->pool, state->registers[CODE_RSP],
                              -8);

    state->registers[CODE_RSP] = top;
    code_memory_write(step, top, value, 8);
}

static void do_pop(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id top = state->registers[CODE_RSP];
    value_id value = code_memory_read(step, top, 8);

    state->registers[CODE_RSP] = value_plus(&step->tracer->pool, top, 8);
    code_operand_set(step, operands(step), value);
}

static void do_push_flags(struct code_step *step)
{
    struct code_state *state = step->state;

    state->registers[CODE_RSP] = value_plus(&step->tracer->pool,
                                            state->registers[CODE_RSP], -8);
    code_memory_write(step, state->registers[CODE_RSP], 0, 8);
}

static void do_pop_flags(struct code_step *step)
{
    struct code_state *state = step->state;

    state->registers[CODE_RSP] = value_plus(&step->tracer->pool,
                                            state->registers[CODE_RSP], 8);
}

static void do_leave(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id frame = state->registers[CODE_RBP];

    state->registers[CODE_RBP] = code_memory_read(step, frame, 8);
    state->registers[CODE_RSP] = value_plus(&step->tracer->pool, frame, 8);
}

static void do_svm(struct code_step *step)
{
    struct code_event *event = code_add_event(step, CODE_SVM);

    if ( event )
        event->left = step->state->registers[CODE_RAX];
}

/* A write to a VMCS field is an event of its own. */
static void do_vmwrite(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    value_id field = code_operand_value(step, &operand[0]);
    value_id value = code_operand_value(step, &operand[1]);

    note_flags(step, CODE_VMWRITE, field, value);
}

static void note_copy(struct code_step *step, int64_t bytes)
{
    const value_id *registers = step->state->registers;
    struct code_event *event = code_add_event(step, CODE_COPY);

    if ( !event )
        return;
    event->arguments[0] = registers[CODE_RDI];
    event->arguments[1] = registers[CODE_RSI];
    event->arguments[2] = value_constant(&step->tracer->pool, bytes);
}

/* The direction is taken to be up, as Xen always has it.  What a rep movs of
 * unknown length does is unknown. */
static void do_copy(struct code_step *step)
{
    value_id *registers = step->state->registers;
    struct value_pool *pool = &step->tracer->pool;
    const struct value *count = value_get(pool, registers[CODE_RCX]);
    int64_t bytes = operands(step)[0].size;
    bool known = true;

    if ( step->instruction->detail->x86.prefix[0] != X86_PREFIX_REP )
        code_memory_write(step, registers[CODE_RDI],
                          code_memory_read(step, registers[CODE_RSI], bytes),
                          bytes);
    else if ( (known = count->kind == VALUE_CONSTANT) )
    {
        bytes *= count->number;
        note_copy(step, bytes);
        registers[CODE_RCX] = value_constant(pool, 0);
    }
    registers[CODE_RSI] = known ? value_plus(pool, registers[CODE_RSI], bytes)
                                : 0;
    registers[CODE_RDI] = known ? value_plus(pool, registers[CODE_RDI], bytes)
                                : 0;
}

/* Long forms of nop name memory that they do not touch. */
static void execute_nop(struct code_step *step)
{
    (void)step;
}

/* Any other instruction: its reads and writes of memory count, but what it puts
 * into registers is not followed. */
static void do_anything(struct code_step *step)
{
    const cs_x86 *x86 = &step->instruction->detail->x86;
    cs_regs read, written;
    uint8_t read_count, written_count;

    for ( uint8_t i = 0; i < x86->op_count; i++ )
    {
        const cs_x86_op *operand = &x86->operands[i];

        if ( operand->type != X86_OP_MEM )
            continue;
        if ( !(operand->access & CS_AC_WRITE) ||
             (operand->access & CS_AC_READ) )
            code_operand_value(step, operand);
        if ( operand->access & CS_AC_WRITE )
            code_memory_write(step, code_operand_address(step, operand), 0,
                              operand->size);
    }
    if ( cs_regs_access(step->tracer->disassembler.capstone, step->instruction,
                        read, &read_count, written,
                        &written_count) != CS_ERR_OK )
    {
        memset(step->state, 0, sizeof(*step->state));
        return;
    }
    for ( uint8_t i = 0; i < written_count; i++ )
    {
        int index = code_register_index(written[i]);

        if ( index >= 0 && index != CODE_RSP )
            step->state->registers[index] = 0;
    }
}

/* The name of two instructions. */
static void do_movsd(struct code_step *step)
{
    if ( operands(step)[0].type == X86_OP_MEM &&
         operands(step)[1].type == X86_OP_MEM )
        do_copy(step);
    else
        do_anything(step);
}

static const struct {
    unsigned int instruction;
    void (*execute)(struct code_step *step);
} instructions[] = {
    {X86_INS_MOV, do_move},        {X86_INS_MOVABS, do_move},
    {X86_INS_MOVZX, do_widen},     {X86_INS_MOVSX, do_widen},
    {X86_INS_MOVSXD, do_widen},    {X86_INS_LEA, do_address},
    {X86_INS_ADD, do_arithmetic},  {X86_INS_SUB, do_arithmetic},
    {X86_INS_AND, do_arithmetic},  {X86_INS_OR, do_arithmetic},
    {X86_INS_XOR, do_arithmetic},  {X86_INS_SHL, do_arithmetic},
    {X86_INS_SAL, do_arithmetic},  {X86_INS_SHR, do_arithmetic},
    {X86_INS_SAR, do_arithmetic},  {X86_INS_INC, do_increment},
    {X86_INS_DEC, do_increment},   {X86_INS_NOT, do_not},
    {X86_INS_TEST, do_flags},      {X86_INS_CMP, do_flags},
    {X86_INS_BT, do_flags},        {X86_INS_PUSH, do_push},
    {X86_INS_POP, do_pop},         {X86_INS_PUSHFQ, do_push_flags},
    {X86_INS_POPFQ, do_pop_flags}, {X86_INS_LEAVE, do_leave},
    {X86_INS_VMRUN, do_svm},       {X86_INS_VMLOAD, do_svm},
    {X86_INS_VMSAVE, do_svm},      {X86_INS_NOP, execute_nop},
    {X86_INS_MOVSB, do_copy},      {X86_INS_MOVSQ, do_copy},
    {X86_INS_MOVSW, do_copy},      {X86_INS_MOVSD, do_movsd},
    {X86_INS_VMWRITE, do_vmwrite},
};

void code_execute(struct code_step *step)
{
    const cs_insn *instruction = step->instruction;

    for ( size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++ )
        if ( instructions[i].instruction == instruction->id )
        {
            instructions[i].execute(step);
            return;
        }
    /* The one-operand form of imul writes rdx:rax. */
    if ( instruction->id == X86_INS_IMUL &&
         instruction->detail->x86.op_count > 1 )
        do_arithmetic(step);
    else
        do_anything(step);
}
