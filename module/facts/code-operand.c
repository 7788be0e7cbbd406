/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, memory and operands of the instruction that is being traced, and
 * the events that it makes. */
#include "code-step.h"

#include <string.h>

const enum code_register code_argument_registers[CODE_ARGUMENTS] = {
    CODE_RDI, CODE_RSI, CODE_RDX, CODE_RCX, CODE_R8, CODE_R9,
};

void code_state_enter(struct code_tracer *tracer, struct code_state *state)
{
    memset(state, 0, sizeof(*state));
    for ( int i = 0; i < CODE_ARGUMENTS; i++ )
        state->registers[code_argument_registers[i]] = value_leaf(
            &tracer->pool, VALUE_ARGUMENT, i + 1);
    state->registers[CODE_RSP] = value_leaf(&tracer->pool, VALUE_ENTRY_STACK,
                                            0);
}

struct code_event *code_add_event(struct code_step *step,
                                  enum code_event_kind kind)
{
    struct code_event *event = vector_add(&step->tracer->events);

    if ( !event )
    {
        step->failed = true;
        return NULL;
    }
    event->kind = kind;
    event->address = step->instruction->address;

    return event;
}

bool code_own_stack(struct code_step *step, value_id address, int64_t *offset)
{
    struct value_pool *pool = &step->tracer->pool;

    return value_get(pool, value_split(pool, address, offset))->kind ==
           VALUE_ENTRY_STACK;
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

void code_memory_write(struct code_step *step, value_id address, value_id value,
                       uint8_t width)
{
    struct code_event *event;
    int64_t offset;

    if ( code_own_stack(step, address, &offset) )
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

value_id code_memory_read(struct code_step *step, value_id address,
                          uint8_t width)
{
    const struct code_state *state = step->state;
    struct code_event *event = NULL;
    int64_t offset;

    if ( code_own_stack(step, address, &offset) )
    {
        for ( unsigned int i = 0; i < state->slot_count; i++ )
            if ( state->slots[i].offset == offset )
                return state->slots[i].value;
        /* A word that this function never wrote is loaded like any other. */
    }
    else
        event = code_add_event(step, CODE_READ);
    if ( event )
    {
        event->left = address;
        event->width = width;
    }

    return value_load(&step->tracer->pool, address, width);
}

static value_id register_value(const struct code_step *step, unsigned int name)
{
    int index = code_register_index(name);

    return index < 0 ? 0 : step->state->registers[index];
}

value_id code_operand_address(struct code_step *step, const cs_x86_op *operand)
{
    struct value_pool *pool = &step->tracer->pool;
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

value_id code_operand_value(struct code_step *step, const cs_x86_op *operand)
{
    switch ( operand->type )
    {
    case X86_OP_REG:
        return is_high_byte(operand) ? 0 : register_value(step, operand->reg);
    case X86_OP_IMM:
        return value_constant(&step->tracer->pool,
                              mask_constant(operand->imm, operand->size));
    case X86_OP_MEM:
        return code_memory_read(step, code_operand_address(step, operand),
                                operand->size);
    default: return 0;
    }
}

void code_operand_set(struct code_step *step, const cs_x86_op *operand,
                      value_id value)
{
    struct code_event *event;
    int64_t offset;
    int index;

    if ( operand->type == X86_OP_MEM )
    {
        code_memory_write(step, code_operand_address(step, operand), value,
                          operand->size);
        return;
    }
    index = operand->type == X86_OP_REG ? code_register_index(operand->reg)
                                        : -1;
    if ( index < 0 )
        return;
    /* Writes of 8 or 16 bits keep the other bits: too little to follow. */
    step->state->registers[index] = operand->size >= 4 ? value : 0;
    if ( index != CODE_RSP || code_own_stack(step, value, &offset) )
        return;
    event = code_add_event(step, CODE_RSP_SET);
    if ( event )
        event->left = value;
}
