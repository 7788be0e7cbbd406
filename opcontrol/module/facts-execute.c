/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one instruction does to the values that registers hold. */
#include "facts-code-private.h"

#include <string.h>

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

static const enum code_register argument_registers[CODE_ARGUMENTS] = {
    CODE_RDI, CODE_RSI, CODE_RDX, CODE_RCX, CODE_R8, CODE_R9,
};

/* Index of a general register under any of its names; -1: none of them. */
static int register_index(unsigned int name)
{
    for ( int i = 0; i < CODE_REGISTERS; i++ )
        for ( int width = 0; width < 4; width++ )
            if ( register_names[i].names[width] == name )
                return i;

    return -1;
}

void code_state_enter(struct code_reader *reader, struct code_state *state)
{
    memset(state, 0, sizeof(*state));
    for ( int i = 0; i < CODE_ARGUMENTS; i++ )
        state->registers[argument_registers[i]] = value_leaf(
            &reader->pool, VALUE_ARGUMENT, i + 1);
    state->registers[CODE_RSP] = value_leaf(&reader->pool, VALUE_ENTRY_STACK,
                                            0);
}

/* Where in the function's own stack an address is. */
static bool own_stack(struct code_step *step, value_id address, int64_t *offset)
{
    struct value_pool *pool = &step->reader->pool;

    return value_get(pool, value_split(pool, address, offset))->kind ==
           VALUE_ENTRY_STACK;
}

/* A word that this function never wrote is a load like any other. */
static value_id slot_read(struct code_step *step, value_id address,
                          int64_t offset, uint8_t width)
{
    const struct code_state *state = step->state;

    for ( unsigned int i = 0; i < state->slot_count; i++ )
        if ( state->slots[i].offset == offset )
            return state->slots[i].value;

    return value_load(&step->reader->pool, address, width);
}

static void slot_write(struct code_state *state, int64_t offset, value_id value)
{
    unsigned int i = 0;

    while ( i < state->slot_count && state->slots[i].offset != offset )
        i++;
    if ( i == CODE_SLOTS )
        return;
    if ( i == state->slot_count )
        state->slot_count++;
    state->slots[i].offset = offset;
    state->slots[i].value = value;
}

static void memory_write(struct code_step *step, value_id address,
                         value_id value, uint8_t width)
{
    struct code_event *event;
    int64_t offset;

    if ( own_stack(step, address, &offset) )
    {
        slot_write(step->state, offset, width == 8 ? value : 0);
        return;
    }
    event = code_add_event(step, CODE_WRITE);
    if ( !event )
        return;
    event->left = address;
    event->right = value;
    event->width = width;
}

static value_id memory_read(struct code_step *step, value_id address,
                            uint8_t width)
{
    struct code_event *event;
    int64_t offset;

    if ( own_stack(step, address, &offset) )
        return slot_read(step, address, offset, width);
    event = code_add_event(step, CODE_READ);
    if ( event )
    {
        event->left = address;
        event->width = width;
    }

    return value_load(&step->reader->pool, address, width);
}

static value_id register_value(const struct code_step *step, unsigned int name)
{
    int index = register_index(name);

    return index < 0 ? 0 : step->state->registers[index];
}

static value_id operand_address(struct code_step *step,
                                const cs_x86_op *operand)
{
    struct value_pool *pool = &step->reader->pool;
    const x86_op_mem *memory = &operand->mem;
    value_id address, index;

    if ( memory->segment == X86_REG_FS || memory->segment == X86_REG_GS )
        return 0;
    if ( memory->base == X86_REG_RIP )
        return value_constant(pool, step->instruction->address +
                                        step->instruction->size + memory->disp);

    address = memory->base == X86_REG_INVALID
                  ? value_constant(pool, 0)
                  : register_value(step, memory->base);
    if ( memory->index != X86_REG_INVALID )
    {
        index = value_operation(
            pool, VALUE_SHIFT_LEFT, register_value(step, memory->index),
            value_constant(pool, __builtin_ctz(memory->scale | 0x10)));
        if ( memory->scale == 1 )
            index = register_value(step, memory->index);
        address = value_operation(pool, VALUE_SUM, address, index);
    }

    return value_plus(pool, address, memory->disp);
}

static int64_t mask_constant(int64_t number, uint8_t width)
{
    return width < 8 ? number & ((1ll << (8 * width)) - 1) : number;
}

static bool is_high_byte(const cs_x86_op *operand)
{
    return operand->type == X86_OP_REG &&
           (operand->reg == X86_REG_AH || operand->reg == X86_REG_BH ||
            operand->reg == X86_REG_CH || operand->reg == X86_REG_DH);
}

static value_id operand_value(struct code_step *step, const cs_x86_op *operand)
{
    switch ( operand->type )
    {
    case X86_OP_REG:
        return is_high_byte(operand) ? 0 : register_value(step, operand->reg);
    case X86_OP_IMM:
        return value_constant(&step->reader->pool,
                              mask_constant(operand->imm, operand->size));
    case X86_OP_MEM:
        return memory_read(step, operand_address(step, operand), operand->size);
    default: return 0;
    }
}

static void note_stack(struct code_step *step, value_id value)
{
    struct code_event *event;
    int64_t offset;

    if ( own_stack(step, value, &offset) )
        return;
    event = code_add_event(step, CODE_RSP_SET);
    if ( event )
        event->left = value;
}

static void operand_set(struct code_step *step, const cs_x86_op *operand,
                        value_id value)
{
    int index;

    if ( operand->type == X86_OP_MEM )
    {
        memory_write(step, operand_address(step, operand), value,
                     operand->size);
        return;
    }
    index = operand->type == X86_OP_REG ? register_index(operand->reg) : -1;
    if ( index < 0 )
        return;
    /* Writes of 8 or 16 bits keep the rest, which is too little to follow. */
    step->state->registers[index] = operand->size >= 4 ? value : 0;
    if ( index == CODE_RSP )
        note_stack(step, value);
}

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
        event->arguments[i] = state->registers[argument_registers[i]];
        /* The callee may change what it was given the address of. */
        if ( own_stack(step, event->arguments[i], &offset) )
            state->slot_count = 0;
    }
    for ( size_t i = 0; i < sizeof(clobbered) / sizeof(*clobbered); i++ )
        state->registers[clobbered[i]] = 0;
    state->registers[CODE_RAX] = value_leaf(&step->reader->pool, VALUE_RESULT,
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
            event->left = operand_value(step, &operand[1]);
        return;
    }
    operand_set(step, &operand[0], operand_value(step, &operand[1]));
}

/* Loads that widen: the value keeps the width that was read. */
static void do_widen(struct code_step *step)
{
    do_move(step);
}

static void do_address(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);

    operand_set(step, &operand[0], operand_address(step, &operand[1]));
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
    struct value_pool *pool = &step->reader->pool;
    value_id left, right;

    if ( clears(step) )
    {
        operand_set(step, &operand[0], value_constant(pool, 0));
        return;
    }
    /* Three operands: imul; one: shifts by 1 in some versions of capstone. */
    left = operand_value(step, &operand[x86->op_count == 3]);
    right = x86->op_count == 1
                ? value_constant(pool, 1)
                : operand_value(step, &operand[x86->op_count - 1]);
    if ( step->instruction->id == X86_INS_AND )
        note_flags(step, CODE_TEST, left, right);
    operand_set(step, &operand[0],
                value_operation(pool, operation_of(step->instruction->id), left,
                                right));
}

static void do_increment(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    int64_t one = step->instruction->id == X86_INS_INC ? 1 : -1;

    operand_set(
        step, &operand[0],
        value_plus(&step->reader->pool, operand_value(step, &operand[0]), one));
}

static void do_not(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);

    operand_set(step, &operand[0],
                value_operation(&step->reader->pool, VALUE_NOT,
                                operand_value(step, &operand[0]), 0));
}

static void do_flags(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    value_id left = operand_value(step, &operand[0]);
    value_id right = operand_value(step, &operand[1]);

    note_flags(step,
               step->instruction->id == X86_INS_CMP ? CODE_COMPARE : CODE_TEST,
               left, right);
}

static void do_push(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id value = operand_value(step, operands(step));
    value_id top = value_plus(&step->reader->pool, state->registers[CODE_RSP],
                              -8);

    state->registers[CODE_RSP] = top;
    memory_write(step, top, value, 8);
}

static void do_pop(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id top = state->registers[CODE_RSP];
    value_id value = memory_read(step, top, 8);

    state->registers[CODE_RSP] = value_plus(&step->reader->pool, top, 8);
    operand_set(step, operands(step), value);
}

static void do_push_flags(struct code_step *step)
{
    struct code_state *state = step->state;

    state->registers[CODE_RSP] = value_plus(&step->reader->pool,
                                            state->registers[CODE_RSP], -8);
    memory_write(step, state->registers[CODE_RSP], 0, 8);
}

static void do_pop_flags(struct code_step *step)
{
    struct code_state *state = step->state;

    state->registers[CODE_RSP] = value_plus(&step->reader->pool,
                                            state->registers[CODE_RSP], 8);
}

static void do_leave(struct code_step *step)
{
    struct code_state *state = step->state;
    value_id frame = state->registers[CODE_RBP];

    state->registers[CODE_RBP] = memory_read(step, frame, 8);
    state->registers[CODE_RSP] = value_plus(&step->reader->pool, frame, 8);
}

static void do_svm(struct code_step *step)
{
    struct code_event *event = code_add_event(step, CODE_SVM);

    if ( event )
        event->left = step->state->registers[CODE_RAX];
}

/* What goes into a field of the VMCS: event as of a write to field left. */
static void do_vmwrite(struct code_step *step)
{
    const cs_x86_op *operand = operands(step);
    value_id field = operand_value(step, &operand[0]);
    value_id value = operand_value(step, &operand[1]);

    note_flags(step, CODE_VMWRITE, field, value);
}

/* A block of constant length; without rep, or going down, it is none. */
static void do_copy(struct code_step *step)
{
    static const enum code_register moved[] = {CODE_RSI, CODE_RDI};
    struct code_state *state = step->state;
    struct value_pool *pool = &step->reader->pool;
    const struct value *count = value_get(pool, state->registers[CODE_RCX]);
    struct code_event *event;
    bool repeated = step->instruction->detail->x86.prefix[0] == X86_PREFIX_REP;

    if ( repeated && count->kind == VALUE_CONSTANT )
    {
        int64_t size = count->number * operands(step)[0].size;

        event = code_add_event(step, CODE_COPY);
        if ( event )
        {
            event->arguments[0] = state->registers[CODE_RDI];
            event->arguments[1] = state->registers[CODE_RSI];
            event->arguments[2] = value_constant(pool, size);
        }
        state->registers[CODE_RCX] = value_constant(pool, 0);
    }
    for ( size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++ )
        state->registers[moved[i]] = 0;
}

/* Long forms of nop name memory that nobody touches. */
static void do_nothing(struct code_step *step)
{
    (void)step;
}

/* Reads and writes of memory; what lands in a register is not followed. */
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
            operand_value(step, operand);
        if ( operand->access & CS_AC_WRITE )
            memory_write(step, operand_address(step, operand), 0,
                         operand->size);
    }
    if ( cs_regs_access(step->reader->disassembler, step->instruction, read,
                        &read_count, written, &written_count) != CS_ERR_OK )
    {
        memset(step->state, 0, sizeof(*step->state));
        return;
    }
    for ( uint8_t i = 0; i < written_count; i++ )
    {
        int index = register_index(written[i]);

        if ( index >= 0 && index != CODE_RSP )
            step->state->registers[index] = 0;
    }
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
    {X86_INS_VMSAVE, do_svm},      {X86_INS_NOP, do_nothing},
    {X86_INS_MOVSB, do_copy},      {X86_INS_MOVSQ, do_copy},
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
    /* Of imul only the forms that name where the product goes. */
    if ( instruction->id == X86_INS_IMUL &&
         instruction->detail->x86.op_count > 1 )
        do_arithmetic(step);
    else
        do_anything(step);
}
