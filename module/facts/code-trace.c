/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks through one function, path by path, and records what code-execute.c
 * sees. */
#include "code-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

/* Longer functions are cut here, and further paths are not followed. */
#define FUNCTION_MAX 0x10000
#define PATHS_MAX    2048

struct code_path {
    uint64_t address;
    struct code_state state;
};

struct code_paths {
    VECTOR(struct code_path);
};

struct code_walk {
    struct code_tracer *tracer;
    uint64_t start;
    uint64_t end;
    uint8_t *seen; /* one flag for each byte of the function */
    struct code_paths paths;
    size_t next; /* the first path that is not followed yet */
};

int code_tracer_open(struct code_tracer *tracer, const struct xen_image *image)
{
    int result;

    *tracer = (struct code_tracer){.image = image};
    result = disassembler_open(&tracer->disassembler);

    return result ? result : value_pool_init(&tracer->pool);
}

void code_tracer_close(struct code_tracer *tracer)
{
    disassembler_close(&tracer->disassembler);
    value_pool_free(&tracer->pool);
    vector_free(&tracer->events);
}

static int follow_later(struct code_walk *walk, uint64_t address,
                        const struct code_state *state)
{
    struct code_path *path;

    if ( address < walk->start || address >= walk->end ||
         walk->seen[address - walk->start] || walk->paths.count == PATHS_MAX )
        return 0;
    path = vector_add(&walk->paths);
    if ( !path )
        return -ENOMEM;
    path->address = address;
    path->state = *state;

    return 0;
}

/* Returns the target of a direct jump or call, or 0 if it is indirect. */
static uint64_t direct_target(const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM
               ? (uint64_t)x86->operands[0].imm
               : 0;
}

static bool ends_path(const cs_insn *instruction)
{
    return in_group(instruction, X86_GRP_RET) ||
           in_group(instruction, X86_GRP_IRET) ||
           instruction->id == X86_INS_UD2 || instruction->id == X86_INS_HLT;
}

/* Returns 1 if the path goes on after the jump, 0 if it ends, or -ENOMEM. */
static int follow_jump(struct code_walk *walk, struct code_step *step)
{
    uint64_t target = direct_target(step->instruction);
    int result;

    if ( target >= walk->start && target < walk->end )
    {
        result = follow_later(walk, target, step->state);
        if ( result )
            return result;
    }
    else
    {
        /*
         * If a conditional jump is not taken, the registers stay as they were.
         */
        struct code_state state = *step->state;

        code_call(step, target);
        *step->state = state;
    }

    if ( step->failed )
        return -ENOMEM;

    return step->instruction->id != X86_INS_JMP;
}

/* Returns what follow_jump() returns. */
static int follow_instruction(struct code_walk *walk, struct code_step *step)
{
    const cs_insn *instruction = step->instruction;

    if ( ends_path(instruction) )
        return 0;
    if ( in_group(instruction, X86_GRP_JUMP) )
        return follow_jump(walk, step);
    if ( in_group(instruction, X86_GRP_CALL) )
        code_call(step, direct_target(instruction));
    else
        code_execute(step);

    return step->failed ? -ENOMEM : 1;
}

static int follow_path(struct code_walk *walk, uint64_t address,
                       struct code_state *state)
{
    struct code_tracer *tracer = walk->tracer;
    struct code_step step = {
        .tracer = tracer,
        .state = state,
        .instruction = tracer->disassembler.instruction,
    };
    int more = 1;

    while ( more > 0 && address < walk->end &&
            !walk->seen[address - walk->start] )
    {
        size_t size;
        const uint8_t *code = xen_image_code(tracer->image, address, &size);

        if ( size > walk->end - address )
            size = walk->end - address;
        walk->seen[address - walk->start] = 1;
        if ( !disassemble(&tracer->disassembler, &code, &size, &address) )
            break;
        more = follow_instruction(walk, &step);
    }

    return more < 0 ? more : 0;
}

static int walk_function(struct code_walk *walk)
{
    struct code_state state;
    int result;

    code_state_enter(walk->tracer, &state);
    result = follow_later(walk, walk->start, &state);
    while ( !result && walk->next < walk->paths.count )
    {
        struct code_path path = walk->paths.items[walk->next++];

        result = follow_path(walk, path.address, &path.state);
    }

    return result;
}

int code_trace(struct code_tracer *tracer, const struct xen_symbol *function)
{
    struct code_walk walk = {
        .tracer = tracer,
        .start = function->address,
        .end = xen_image_end(tracer->image, function),
    };
    uint8_t *seen SCOPE_FREE = NULL;
    size_t available;
    int result;

    tracer->events.count = 0;
    value_pool_reset(&tracer->pool);
    if ( !xen_image_code(tracer->image, walk.start, &available) )
        return -ENOENT;
    if ( walk.end - walk.start > FUNCTION_MAX )
        walk.end = walk.start + FUNCTION_MAX;

    walk.seen = seen = calloc(walk.end - walk.start, 1);
    result = seen ? walk_function(&walk) : -ENOMEM;
    if ( !result && !code_find_copies(tracer) )
        result = -ENOMEM;
    vector_free(&walk.paths);

    return result;
}
