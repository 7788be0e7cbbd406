/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreter of call frame instructions (DWARF 5, section 6.4.2). */
#include "cfi-run.h"

enum {
    /* In the upper two bits, with an operand in the lower six. */
    OP_ADVANCE = 1,
    OP_OFFSET = 2,
    OP_RESTORE = 3,
    OPERAND_MASK = 0x3f
};

enum {
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET = 0x2f
};

/* Whoever chose both may have wanted an overflow: it wraps. */
static int64_t scaled(const struct cfi_run *run, uint64_t value)
{
    return (int64_t)(value * (uint64_t)run->cie->data_factor);
}

static struct cfi_saved *followed(struct cfi_state *state, uint64_t number)
{
    switch ( number )
    {
    case 16: return &state->saved[CFI_IP];
    case 6: return &state->saved[CFI_BP];
    case 3: return &state->saved[CFI_BX];
    default: return NULL;
    }
}

static void save(struct cfi_run *run, uint64_t number, enum cfi_saved_way way,
                 int64_t offset)
{
    struct cfi_saved *saved = followed(&run->state, number);

    if ( saved )
        *saved = (struct cfi_saved){.way = way, .offset = offset};
}

static void restore(struct cfi_run *run, uint64_t number)
{
    struct cfi_saved *saved = followed(&run->state, number);

    if ( saved )
        *saved = *followed(&run->initial, number);
}

static struct cursor read_expression(struct cfi_run *run)
{
    uint64_t size = cfi_unsigned(&run->at);
    const uint8_t *bytes = get_bytes(&run->at, size);

    return (struct cursor){bytes, bytes ? bytes + size : NULL, !bytes};
}

static void save_expression(struct cfi_run *run, enum cfi_saved_way way)
{
    struct cfi_saved *saved = followed(&run->state, cfi_unsigned(&run->at));
    struct cursor expression = read_expression(run);

    if ( saved )
        *saved = (struct cfi_saved){.way = way, .expression = expression};
}

static void set_cfa(struct cfi_run *run, uint64_t number, int64_t offset)
{
    run->state.cfa_register = number;
    run->state.cfa_offset = offset;
    run->state.by_expression = false;
}

/* Instructions about the CFA.  Returns false if it is another. */
static bool execute_cfa(struct cfi_run *run, uint8_t op)
{
    struct cfi_state *state = &run->state;
    uint64_t number;

    switch ( op )
    {
    case CFA_DEF_CFA:
        number = cfi_unsigned(&run->at);
        set_cfa(run, number, (int64_t)cfi_unsigned(&run->at));
        return true;
    case CFA_DEF_CFA_SF:
        number = cfi_unsigned(&run->at);
        set_cfa(run, number, scaled(run, (uint64_t)cfi_signed(&run->at)));
        return true;
    case CFA_DEF_CFA_REGISTER:
        set_cfa(run, cfi_unsigned(&run->at), state->cfa_offset);
        return true;
    case CFA_DEF_CFA_OFFSET:
        state->cfa_offset = (int64_t)cfi_unsigned(&run->at);
        return true;
    case CFA_DEF_CFA_OFFSET_SF:
        state->cfa_offset = scaled(run, (uint64_t)cfi_signed(&run->at));
        return true;
    case CFA_DEF_CFA_EXPRESSION:
        state->cfa_expression = read_expression(run);
        state->by_expression = true;
        return true;
    default: return false;
    }
}

/* Instructions about where a register was saved.  Returns false if it is
 * another. */
static bool execute_saved(struct cfi_run *run, uint8_t op)
{
    struct cursor *at = &run->at;
    uint64_t number;

    switch ( op )
    {
    case CFA_EXPRESSION: save_expression(run, CFI_AT_EXPRESSION); return true;
    case CFA_VAL_EXPRESSION: save_expression(run, CFI_OTHER); return true;
    case CFA_RESTORE_EXTENDED: restore(run, cfi_unsigned(at)); return true;
    case CFA_UNDEFINED:
        save(run, cfi_unsigned(at), CFI_UNDEFINED, 0);
        return true;
    case CFA_SAME_VALUE: save(run, cfi_unsigned(at), CFI_SAME, 0); return true;
    case CFA_OFFSET_EXTENDED:
    case CFA_GNU_NEGATIVE_OFFSET:
        number = cfi_unsigned(at);
        save(run, number, CFI_AT_CFA,
             scaled(run, op == CFA_OFFSET_EXTENDED ? cfi_unsigned(at)
                                                   : -cfi_unsigned(at)));
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        number = cfi_unsigned(at);
        save(run, number, CFI_AT_CFA, scaled(run, (uint64_t)cfi_signed(at)));
        return true;
    case CFA_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        save(run, cfi_unsigned(at), CFI_OTHER, 0);
        cfi_signed(at); /* as long as an unsigned one */
        return true;
    default: return false;
    }
}

static void execute(struct cfi_run *run, uint8_t op)
{
    if ( execute_cfa(run, op) || execute_saved(run, op) )
        return;
    switch ( op )
    {
    case CFA_NOP: break;
    case CFA_REMEMBER_STATE:
        if ( run->depth == CFI_STACK )
            run->at.bad = true;
        else
            run->stack[run->depth++] = run->state;
        break;
    case CFA_RESTORE_STATE:
        if ( !run->depth )
            run->at.bad = true;
        else
            run->state = run->stack[--run->depth];
        break;
    case CFA_GNU_ARGS_SIZE: cfi_unsigned(&run->at); break;
    default: run->at.bad = true;
    }
}

/* Returns whether the instruction moves to a later place, *distance away. */
static bool advances(struct cfi_run *run, uint8_t op, uint64_t *distance)
{
    switch ( op )
    {
    case CFA_ADVANCE_LOC1: *distance = cfi_fixed(&run->at, 1); break;
    case CFA_ADVANCE_LOC2: *distance = cfi_fixed(&run->at, 2); break;
    case CFA_ADVANCE_LOC4: *distance = cfi_fixed(&run->at, 4); break;
    case CFA_SET_LOC:
        *distance = cfi_address(run->section, &run->at, run->cie->encoding) -
                    run->location;
        return true;
    default:
        if ( op >> 6 != OP_ADVANCE )
            return false;
        *distance = op & OPERAND_MASK;
    }
    if ( __builtin_mul_overflow(*distance, run->cie->code_factor, distance) )
        *distance = UINT64_MAX;
    return true;
}

/* Runs up to where the place changes.  Returns whether it does. */
static bool run_on(struct cfi_run *run, uint64_t *distance)
{
    while ( cursor_left(&run->at) && !run->at.bad )
    {
        uint8_t op = *run->at.at++;

        *distance = 0;
        if ( advances(run, op, distance) )
        {
            if ( *distance && !run->at.bad )
                return true;
        }
        else if ( op >> 6 == OP_OFFSET )
            save(run, op & OPERAND_MASK, CFI_AT_CFA,
                 scaled(run, cfi_unsigned(&run->at)));
        else if ( op >> 6 == OP_RESTORE )
            restore(run, op & OPERAND_MASK);
        else
            execute(run, op);
    }
    return false;
}

bool cfi_run_cie(struct cfi_run *run, const struct cfi_section *section,
                 const struct cfi_cie *cie)
{
    uint64_t distance;

    memset(&run->state, 0, sizeof(run->state));
    run->cie = cie;
    run->section = section;
    run->at = cie->instructions;
    run->location = 0;
    run->depth = 0;
    if ( run_on(run, &distance) || run->at.bad )
        return false;
    run->initial = run->state;
    return true;
}

void cfi_run_fde(struct cfi_run *run, const struct cfi_fde *fde)
{
    run->at = fde->instructions;
    run->location = fde->start;
    run->end = fde->end;
    run->state = run->initial;
    run->depth = 0;
    run->done = run->bad = false;
}

bool cfi_run_next(struct cfi_run *run, uint64_t *address)
{
    uint64_t distance;

    if ( run->done )
        return false;
    *address = run->location;
    if ( run_on(run, &distance) && distance < run->end - run->location )
        run->location += distance;
    else
        run->done = true;
    run->bad = run->at.bad;
    return !run->bad;
}
