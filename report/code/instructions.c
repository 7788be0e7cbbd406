/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disassembles a function, through capstone, and counts its samples. */
#include "instructions.h"

#include "base/must.h"
#include "base/scope.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMN "%-7s " /* an instruction's name, before its operands */

/* The disassembly of one function. */
struct reader {
    struct instructions *instructions;
    const struct code *code;
    csh disassembler;
    cs_insn *decoded;
};

void instructions_free(struct instructions *instructions)
{
    for ( size_t i = 0; i < instructions->count; i++ )
        free(instructions->items[i].text);
    vector_free(instructions);
}

static bool in_group(const cs_insn *decoded, uint8_t group)
{
    for ( uint8_t i = 0; i < decoded->detail->groups_count; i++ )
        if ( decoded->detail->groups[i] == group )
            return true;
    return false;
}

/* Returns whether a jump or call has its target as an immediate. */
static bool direct_target(const cs_insn *decoded, uint64_t *ret)
{
    const cs_x86 *x86 = &decoded->detail->x86;

    if ( (!in_group(decoded, CS_GRP_JUMP) && !in_group(decoded, CS_GRP_CALL)) ||
         x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM )
        return false;
    *ret = (uint64_t)x86->operands[0].imm;
    return true;
}

/* Returns whether an operand in memory is relative to rip. */
static bool near_data(const cs_insn *decoded, uint64_t *ret)
{
    const cs_x86 *x86 = &decoded->detail->x86;

    for ( uint8_t i = 0; i < x86->op_count; i++ )
    {
        const cs_x86_op *operand = &x86->operands[i];

        if ( operand->type != X86_OP_MEM || operand->mem.base != X86_REG_RIP ||
             operand->mem.segment != X86_REG_INVALID )
            continue;
        *ret = decoded->address + decoded->size + (uint64_t)operand->mem.disp;
        return true;
    }
    return false;
}

/* Returns "put_page" or "put_page+0x10", or "+0x10" in the function itself, as
 * in the column of offsets. */
static char *target_text(const struct reader *reader,
                         const struct code_target *target)
{
    const uint64_t inside = target->address - reader->code->start;

    if ( target->name )
        return target->offset
                   ? must_text("%s+0x%" PRIx64, target->name, target->offset)
                   : must(strdup(target->name));
    return inside < reader->code->size
               ? must_text("+0x%" PRIx64, inside)
               : must_text("0x%" PRIx64, target->address);
}

static char *instruction_text(const struct reader *reader,
                              struct instruction *instruction)
{
    const cs_insn *decoded = reader->decoded;
    struct code_target *target = &instruction->target;
    bool jumps = direct_target(decoded, &target->address);
    char *text SCOPE_FREE = NULL;

    instruction->leads = jumps || near_data(decoded, &target->address);
    if ( !instruction->leads )
        return *decoded->op_str ? must_text(NAME_COLUMN "%s", decoded->mnemonic,
                                            decoded->op_str)
                                : must(strdup(decoded->mnemonic));
    code_target(reader->code, decoded->address, decoded->size, jumps, target);
    text = target_text(reader, target);
    return jumps ? must_text(NAME_COLUMN "%s", decoded->mnemonic, text)
                 : must_text(NAME_COLUMN "%s  # %s", decoded->mnemonic,
                             decoded->op_str, text);
}

/* Bytes that are not an instruction are shown one by one. */
static void read_instructions(const struct reader *reader)
{
    const uint8_t *bytes = reader->code->bytes;
    uint64_t address = reader->code->start;
    size_t left = reader->code->size;

    while ( left )
    {
        struct instruction *next = must(vector_add(reader->instructions));
        uint8_t byte = *bytes;

        next->address = address;
        if ( cs_disasm_iter(reader->disassembler, &bytes, &left, &address,
                            reader->decoded) )
            next->text = instruction_text(reader, next);
        else
        {
            next->text = must_text(NAME_COLUMN "0x%02x", ".byte", byte);
            bytes++;
            left--;
            address++;
        }
        next->size = (uint8_t)(address - next->address);
    }
}

void instructions_read(struct instructions *instructions,
                       const struct code *code, const struct function *function)
{
    struct reader reader = {.instructions = instructions, .code = code};

    memset(instructions, 0, sizeof(*instructions));
    must_do(cs_open(CS_ARCH_X86, CS_MODE_64, &reader.disassembler) ==
            CS_ERR_OK);
    cs_option(reader.disassembler, CS_OPT_DETAIL, CS_OPT_ON);
    cs_option(reader.disassembler, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    reader.decoded = must(cs_malloc(reader.disassembler));
    read_instructions(&reader);
    cs_free(reader.decoded, 1);
    cs_close(&reader.disassembler);
    instructions_count(instructions, function->hits, function->count);
}

static void count_hit(struct instruction *instruction, const struct hit *hit)
{
    instruction->samples += hit->samples;
    instruction->time += hit->time;
    if ( hit->key.address != instruction->address )
        instruction->inside += hit->samples;
}

void instructions_count(struct instructions *instructions,
                        const struct hit *const *hits, size_t count)
{
    size_t at = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t address = hits[i]->key.address;
        struct instruction *list = instructions->items;

        while ( at < instructions->count && address >= list[at].address &&
                address - list[at].address >= list[at].size )
            at++;
        if ( at < instructions->count && address >= list[at].address )
            count_hit(&list[at], hits[i]);
        else
        {
            instructions->outside.samples += hits[i]->samples;
            instructions->outside.time += hits[i]->time;
        }
    }
}
