/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that the walk and the instructions share; for code-*.c only. */
#ifndef XENOPROF_MODULE_FACTS_CODE_STEP_H
#define XENOPROF_MODULE_FACTS_CODE_STEP_H

#include "code-trace.h"

#define CODE_SLOTS 24

/*
 * Known values at one instruction; slots are words of the function's own stack.
 */
struct code_state {
    value_id registers[CODE_REGISTERS];
    struct {
        int64_t offset;
        value_id value;
    } slots[CODE_SLOTS];
    unsigned int slot_count;
};

/* One instruction being traced; failed: there was no memory for an event. */
struct code_step {
    struct code_tracer *tracer;
    struct code_state *state;
    const cs_insn *instruction;
    bool failed;
};

/* Sets the state as a function is entered. */
void code_state_enter(struct code_tracer *tracer, struct code_state *state);

/* Returns a new event at the step's address, or NULL if there is no memory. */
struct code_event *code_add_event(struct code_step *step,
                                  enum code_event_kind kind);

/* Registers of the first six arguments. */
extern const enum code_register code_argument_registers[CODE_ARGUMENTS];

/* Returns whether an address is in the function's own stack, and where. */
bool code_own_stack(struct code_step *step, value_id address, int64_t *offset);

/* Read and write memory; both add an event, unless it is the function's own
 * stack. */
value_id code_memory_read(struct code_step *step, value_id address,
                          uint8_t width);
void code_memory_write(struct code_step *step, value_id address, value_id value,
                       uint8_t width);

/* Address of an operand in memory, the value of any operand, and a new value
 * for one. */
value_id code_operand_address(struct code_step *step, const cs_x86_op *operand);
value_id code_operand_value(struct code_step *step, const cs_x86_op *operand);
void code_operand_set(struct code_step *step, const cs_x86_op *operand,
                      value_id value);

/* Records a call of target, and forgets the registers that it clobbers. */
void code_call(struct code_step *step, uint64_t target);

/* Adds an event for each copy by a row of moves or by memcpy(), once a function
 * is traced.  Returns false if there is no memory. */
bool code_find_copies(struct code_tracer *tracer);

/* Executes an instruction that does not end a path. */
void code_execute(struct code_step *step);

#endif /* XENOPROF_MODULE_FACTS_CODE_STEP_H */
