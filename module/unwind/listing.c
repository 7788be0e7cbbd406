/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listing.h"

#include <errno.h>
#include <stdlib.h>

#include "insn.h"

#define LOCK_PREFIX 0xf0
#define LANDING     4    /* bytes of endbr64 */
#define UDB         0xd6 /* what newer Xens have for ud2 */

struct reader {
    struct unwind_code *code;
    csh disassembler;
    cs_insn *decoded;
};

static int open_reader(struct reader *reader)
{
    if ( cs_open(CS_ARCH_X86, CS_MODE_64, &reader->disassembler) != CS_ERR_OK ||
         cs_option(reader->disassembler, CS_OPT_DETAIL, CS_OPT_ON) !=
             CS_ERR_OK )
        return -ENOSYS;
    reader->decoded = cs_malloc(reader->disassembler);
    return reader->decoded ? 0 : -ENOMEM;
}

static void close_reader(struct reader *reader)
{
    if ( reader->decoded )
        cs_free(reader->decoded, 1);
    if ( reader->disassembler )
        cs_close(&reader->disassembler);
}

static struct unwind_insn *add(struct unwind_code *code)
{
    if ( code->count == code->capacity )
    {
        size_t capacity = code->capacity ? 2 * code->capacity : 4096;
        struct unwind_insn *insns = realloc(code->insns,
                                            capacity * sizeof(*insns));

        if ( !insns )
            return NULL;
        code->insns = insns;
        code->capacity = capacity;
    }
    return &code->insns[code->count++];
}

/* Instructions that an old disassembler takes for shorter ones come first. */
static void decode(struct reader *reader, const uint8_t *bytes, size_t size,
                   uint64_t address, struct unwind_insn *insn)
{
    const uint8_t *first = bytes;

    *insn = (struct unwind_insn){
        .address = address, .to = UNWIND_NOWHERE, .op = UNWIND_OP_PLAIN};
    insn->length = unwind_newer(bytes, size, &insn->written);
    if ( insn->length )
        return;
    if ( cs_disasm_iter(reader->disassembler, &bytes, &size, &address,
                        reader->decoded) )
    {
        unwind_insn_read(reader->decoded, insn);
        return;
    }
    insn->op = *first == UDB ? UNWIND_OP_TRAP : UNWIND_OP_BAD;
    insn->length = 1;
}

/* One instruction at an address; it ends before limit, or it is none. */
static int read_one(struct reader *reader, const struct unwind_code_text *text,
                    uint64_t *address, uint64_t limit)
{
    const uint8_t *bytes = text->bytes + (*address - text->address);
    struct unwind_insn *insn = add(reader->code);

    if ( !insn )
        return -ENOMEM;
    decode(reader, bytes, limit - *address, *address, insn);
    insn->text = text - reader->code->texts;
    *address += insn->length;
    return 0;
}

/* Where decoding must start again: the next symbol, or the text's end. */
static uint64_t next_start(const struct unwind_code *code, size_t *symbol,
                           uint64_t address, uint64_t end)
{
    while ( *symbol < code->symbol_count &&
            code->symbols[*symbol].address <= address )
        (*symbol)++;
    if ( *symbol < code->symbol_count && code->symbols[*symbol].address < end )
        return code->symbols[*symbol].address;
    return end;
}

static int read_text(struct reader *reader, const struct unwind_code_text *text)
{
    uint64_t address = text->address, end = address + text->size;
    size_t symbol = 0;
    int result = 0;

    while ( !result && address < end )
        result = read_one(reader, text, &address,
                          next_start(reader->code, &symbol, address, end));
    return result;
}

/* Xen makes indirect calls direct at boot, and leaves out the endbr64 (or what
 * it put there instead) that the function begins with. */
static bool skips_landing(const struct unwind_code *code, uint64_t target)
{
    uint32_t insn = unwind_code_at(code, target - LANDING);

    return insn != UNWIND_NOWHERE && code->insns[insn].length == LANDING &&
           (code->insns[insn].op == UNWIND_OP_NOP ||
            code->insns[insn].op == UNWIND_OP_LANDING) &&
           unwind_code_symbol(code, target - LANDING);
}

static void resolve_targets(struct unwind_code *code)
{
    for ( size_t i = 0; i < code->count; i++ )
    {
        struct unwind_insn *insn = &code->insns[i];

        if ( insn->target && skips_landing(code, insn->target) )
            insn->target -= LANDING;
        if ( insn->target )
            insn->to = unwind_code_at(code, insn->target);
    }
}

int unwind_code_read(struct unwind_code *code)
{
    struct reader reader = {.code = code};
    int result = open_reader(&reader);

    for ( size_t i = 0; !result && i < code->text_count; i++ )
    {
        code->text_first[i] = code->count;
        result = read_text(&reader, &code->texts[i]);
        code->text_first[i + 1] = code->count;
    }
    close_reader(&reader);
    if ( !result )
        resolve_targets(code);
    return result;
}

void unwind_code_free(struct unwind_code *code)
{
    free(code->insns);
    code->insns = NULL;
    code->count = code->capacity = 0;
}

/* The last instruction of a text that begins at or before an address. */
static size_t find(const struct unwind_code *code, size_t text,
                   uint64_t address)
{
    size_t low = code->text_first[text], high = code->text_first[text + 1];

    while ( high - low > 1 )
    {
        size_t middle = low + (high - low) / 2;

        if ( code->insns[middle].address <= address )
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool locks(const struct unwind_code_text *text, uint64_t address)
{
    return text->bytes[address - text->address] == LOCK_PREFIX;
}

uint32_t unwind_code_at(const struct unwind_code *code, uint64_t address)
{
    for ( size_t i = 0; i < code->text_count; i++ )
    {
        const struct unwind_code_text *text = &code->texts[i];
        uint64_t begin;
        size_t insn;

        if ( address - text->address >= text->size )
            continue;
        insn = find(code, i, address);
        begin = code->insns[insn].address;
        if ( begin == address || (begin == address - 1 && locks(text, begin)) )
            return insn;
    }
    return UNWIND_NOWHERE;
}

uint32_t unwind_code_next(const struct unwind_code *code, uint32_t insn)
{
    const struct unwind_insn *here = &code->insns[insn];

    if ( insn + 1 == code->count || here[1].text != here->text )
        return UNWIND_NOWHERE;
    return insn + 1;
}

const struct unwind_symbol *unwind_code_symbol(const struct unwind_code *code,
                                               uint64_t address)
{
    size_t low = 0, high = code->symbol_count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( code->symbols[middle].address < address )
            low = middle + 1;
        else
            high = middle;
    }
    if ( low < code->symbol_count && code->symbols[low].address == address )
        return &code->symbols[low];
    return NULL;
}
