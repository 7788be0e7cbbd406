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
    uint64_t end; /* of the function */
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
static char *target_text(const struct reader *reader, uint64_t target)
{
    uint64_t offset = 0;
    const char *name = code_name(reader->code, target, &offset);

    if ( target >= reader->code->start && target < reader->end )
        return must_text("+0x%" PRIx64, target - reader->code->start);
    if ( !name )
        return must_text("0x%" PRIx64, target);
    if ( offset )
        return must_text("%s+0x%" PRIx64, name, offset);
    return must(strdup(name));
}

static char *instruction_text(const struct reader *reader)
{
    const cs_insn *decoded = reader->decoded;
    uint64_t address;
    bool jumps = direct_target(decoded, &address);
    const char *elsewhere = NULL;
    char *target SCOPE_FREE = NULL;

    if ( !jumps && !near_data(decoded, &address) )
        return *decoded->op_str ? must_text(NAME_COLUMN "%s", decoded->mnemonic,
                                            decoded->op_str)
                                : must(strdup(decoded->mnemonic));
    if ( jumps )
        elsewhere = code_target(reader->code, decoded->address, decoded->size,
                                &address);
    target = elsewhere ? must(strdup(elsewhere)) : target_text(reader, address);
    return jumps ? must_text(NAME_COLUMN "%s", decoded->mnemonic, target)
                 : must_text(NAME_COLUMN "%s  # %s", decoded->mnemonic,
                             decoded->op_str, target);
}

/* Bytes that are not an instruction are shown one by one. */
static void read_instructions(const struct reader *reader)
{
    const uint8_t *bytes = reader->code->bytes;
    uint64_t address = reader->code->start;
    size_t left = reader->code->size;

    while ( left )
    {
        uint64_t at = address;
        uint8_t byte = *bytes;
        char *text;

        if ( cs_disasm_iter(reader->disassembler, &bytes, &left, &address,
                            reader->decoded) )
            text = instruction_text(reader);
        else
        {
            text = must_text(NAME_COLUMN "0x%02x", ".byte", byte);
            bytes++;
            left--;
            address++;
        }
        *must(vector_add(reader->instructions)) = (struct instruction){
            .address = at, .size = (uint8_t)(address - at), .text = text};
    }
}

void instructions_read(struct instructions *instructions,
                       const struct code *code, const struct function *function)
{
    struct reader reader = {.instructions = instructions,
                            .code = code,
                            .end = code->start + code->size};

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
