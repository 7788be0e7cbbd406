/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds each jump through a register that was computed from a table:
 *
 *   lea    table(%rip), BASE
 *   movslq (BASE,INDEX,4), OFFSET
 *   add    BASE, OFFSET             (or OFFSET, BASE)
 *   jmp    *OFFSET                  (or *BASE)
 *
 * so gcc and clang do it in code that may lie anywhere, as Xen's.  A table says
 * nowhere how long it is: it ends at the first word that does not lead into the
 * same function, or where something else begins that code knows the address of.
 */
#include "jump-tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

#define NEAR      48u   /* instructions from the load to the jump */
#define FAR       4096u /* to the load: a loop keeps the address */
#define CASES_MAX 4096u

/* A place among the constants whose address some code takes. */
struct taken {
    uint64_t address;
};

struct finding {
    const struct listing *listing;
    const struct xen_range *constants;
    struct jump_tables *tables;
    struct {
        VECTOR(struct taken);
    } places;
};

static const uint8_t *insn_code(const struct listing *listing, uint32_t insn)
{
    const struct unwind_insn *here = &listing->items[insn];
    const struct listing_text *text = &listing->texts[here->text];

    return text->bytes + (here->address - text->address);
}

static uint8_t reg_of(const uint8_t *code, unsigned int modrm)
{
    return (modrm >> 3 & 7) | (code[0] & 4) << 1;
}

static uint8_t base_of(const uint8_t *code, unsigned int byte)
{
    return (byte & 7) | (code[0] & 1) << 3;
}

/* 64-bit operands, no prefix but this. */
static bool is_wide(const uint8_t *code, uint8_t opcode)
{
    return (code[0] & 0xf8) == 0x48 && code[1] == opcode;
}

/* lea ADDRESS(%rip), REG */
static bool takes_address(const struct listing *listing, uint32_t insn,
                          uint8_t *reg, uint64_t *address)
{
    const struct unwind_insn *here = &listing->items[insn];
    const uint8_t *code = insn_code(listing, insn);
    int32_t distance;

    if ( here->length != 7 || !is_wide(code, 0x8d) || (code[2] & 0xc7) != 5 )
        return false;
    memcpy(&distance, code + 3, sizeof(distance));
    *reg = reg_of(code, code[2]);
    *address = here->address + here->length + (int64_t)distance;
    return true;
}

/* movslq (BASE,INDEX,4), REG */
static bool loads_distance(const struct listing *listing, uint32_t insn,
                           uint8_t *reg, uint8_t *base)
{
    uint8_t length = listing->items[insn].length;
    const uint8_t *code = insn_code(listing, insn);
    bool direct = length == 4 && (code[2] & 0xc7) == 4 && (code[3] & 7) != 5;
    bool zero = length == 5 && (code[2] & 0xc7) == 0x44 && !code[4];

    if ( (!direct && !zero) || !is_wide(code, 0x63) || code[3] >> 6 != 2 )
        return false;
    *reg = reg_of(code, code[2]);
    *base = base_of(code, code[3]);
    return true;
}

/* add REG, TO */
static bool adds(const struct listing *listing, uint32_t insn, uint8_t to,
                 uint8_t *reg)
{
    const uint8_t *code = insn_code(listing, insn);

    if ( listing->items[insn].length != 3 || code[2] >> 6 != 3 )
        return false;
    if ( is_wide(code, 0x01) && base_of(code, code[2]) == to )
        *reg = reg_of(code, code[2]);
    else if ( is_wide(code, 0x03) && reg_of(code, code[2]) == to )
        *reg = base_of(code, code[2]);
    else
        return false;
    return true;
}

/* jmp *REG, perhaps notrack */
static bool jumps(const struct listing *listing, uint32_t insn, uint8_t *reg)
{
    const struct unwind_insn *here = &listing->items[insn];
    const uint8_t *code = insn_code(listing, insn), *last;

    if ( here->op != UNWIND_OP_JUMP || here->target || here->length < 2 )
        return false;
    last = code + here->length - 1;
    if ( last[-1] != 0xff || (*last & 0xf8) != 0xe0 )
        return false;
    *reg = (*last & 7) | (last - 1 > code && last[-2] == 0x41 ? 8 : 0);
    return true;
}

/* Compilers split off what they take for rare: function.cold. */
static bool same_function(const struct listing *listing, uint32_t insn,
                          uint32_t to)
{
    const struct listing_symbol *here = listing_symbol_of(listing, insn);
    const struct listing_symbol *there = listing_symbol_of(listing, to);
    size_t length;

    if ( here == there || !here || !there )
        return here == there;
    length = strlen(here->name);
    return !strncmp(here->name, there->name, length) &&
           there->name[length] == '.';
}

/* Returns the instruction before, or NOWHERE at the function's start. */
static uint32_t before(const struct listing *listing, uint32_t insn)
{
    if ( !insn || listing->items[insn - 1].text != listing->items[insn].text ||
         listing_symbol_of(listing, insn - 1) !=
             listing_symbol_of(listing, insn) )
        return UNWIND_NOWHERE;
    return insn - 1;
}

/* Returns the instruction that loads what the jump's register is computed
 * from, and with which base; or NOWHERE. */
static uint32_t find_load(const struct listing *listing, uint32_t jump,
                          uint8_t *base)
{
    uint8_t to, other = UNWIND_NO_REGISTER, reg;
    uint32_t at = jump;

    if ( !jumps(listing, jump, &to) )
        return UNWIND_NOWHERE;
    for ( unsigned int i = 0; i < NEAR; i++ )
    {
        at = before(listing, at);
        if ( at == UNWIND_NOWHERE )
            break;
        if ( other == UNWIND_NO_REGISTER )
        {
            if ( !adds(listing, at, to, &other) &&
                 listing->items[at].written & 1u << to )
                break;
            continue;
        }
        if ( loads_distance(listing, at, &reg, base) &&
             ((reg == to && *base == other) || (reg == other && *base == to)) )
            return at;
        if ( listing->items[at].written & (1u << to | 1u << other) )
            break;
    }
    return UNWIND_NOWHERE;
}

/* Returns the table's address, or 0.  It need not be the last that was put into
 * the register in the order of addresses, but seldom is another. */
static uint64_t find_jump_table(const struct finding *finding, uint32_t load,
                                uint8_t base)
{
    const struct xen_range *constants = finding->constants;
    uint32_t at = load;

    for ( unsigned int i = 0; i < FAR; i++ )
    {
        uint64_t address;
        uint8_t reg;

        at = before(finding->listing, at);
        if ( at == UNWIND_NOWHERE )
            return 0;
        if ( takes_address(finding->listing, at, &reg, &address) &&
             reg == base && address - constants->address < constants->size )
            return address;
    }
    return 0;
}

/* Returns how many words there can be in a table. */
static uint64_t room_for(const struct finding *finding, uint64_t table)
{
    const struct xen_range *constants = finding->constants;
    uint64_t end = constants->address + constants->size;
    size_t next = sorted_until(finding->places.items, finding->places.count,
                               address, table);

    if ( next < finding->places.count )
        end = finding->places.items[next].address;
    return (end - table) / sizeof(int32_t);
}

static int add_cases(struct finding *finding, uint32_t jump, uint64_t table)
{
    const struct xen_range *constants = finding->constants;
    const uint8_t *words = constants->bytes + (table - constants->address);
    uint64_t room = room_for(finding, table);

    for ( uint64_t i = 0; i < room && i < CASES_MAX; i++ )
    {
        struct jump_case *one;
        int32_t distance;
        uint32_t to;

        memcpy(&distance, words + i * sizeof(distance), sizeof(distance));
        to = listing_at(finding->listing, table + (int64_t)distance);
        if ( to == UNWIND_NOWHERE ||
             !same_function(finding->listing, jump, to) )
            return 0;
        one = vector_add(finding->tables);
        if ( !one )
            return -ENOMEM;
        *one = (struct jump_case){.insn = jump, .to = to};
    }
    return 0;
}

static int compare_taken(const void *a, const void *b)
{
    const struct taken *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

static int find_places(struct finding *finding)
{
    const struct xen_range *constants = finding->constants;

    for ( uint32_t i = 0; i < finding->listing->count; i++ )
    {
        struct taken *place;
        uint64_t address;
        uint8_t reg;

        if ( !takes_address(finding->listing, i, &reg, &address) ||
             address - constants->address >= constants->size )
            continue;
        place = vector_add(&finding->places);
        if ( !place )
            return -ENOMEM;
        place->address = address;
    }
    if ( finding->places.count )
        qsort(finding->places.items, finding->places.count,
              sizeof(*finding->places.items), compare_taken);
    return 0;
}

int jump_tables_find(const struct listing *listing,
                     const struct xen_range *constants, struct jump_tables *ret)
{
    struct finding finding = {
        .listing = listing, .constants = constants, .tables = ret};
    int result = find_places(&finding);

    for ( uint32_t i = 0; !result && i < listing->count; i++ )
    {
        uint8_t base;
        uint32_t load = find_load(listing, i, &base);
        uint64_t table = load == UNWIND_NOWHERE
                             ? 0
                             : find_jump_table(&finding, load, base);

        if ( table )
            result = add_cases(&finding, i, table);
    }
    vector_free(&finding.places);
    return result;
}

void jump_tables_free(struct jump_tables *tables)
{
    vector_free(tables);
}
