/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises two shapes of instructions at any byte. */
#include "code-loads.h"

#include <string.h>

#define GS         0x65
#define LOAD       0x8b
#define ADD        0x03
#define LONGEST    9u /* bytes */
#define MODRM_SIB  0x04
#define MODRM_RIP  0x05
#define SIB_NO_REG 0x25 /* a displacement alone */

static void count(struct load_counts *counts, uint64_t value)
{
    uint32_t i = 0;

    while ( i < counts->used && counts->item[i].value != value )
        i++;
    if ( i == CODE_LOADS_KEPT )
        return;
    if ( i == counts->used )
        counts->item[counts->used++] = (struct load_count){.value = value};
    counts->item[i].count++;
}

/* A displacement, with its sign. */
static uint64_t displacement(const uint8_t *at)
{
    int32_t value;

    memcpy(&value, at, sizeof(value));
    return (uint64_t)(int64_t)value;
}

/* mov gs:X, %reg of 8 bytes; X is absolute, or counts from the instruction's
 * end. */
static void look_for_gs(struct code_loads *loads, const uint8_t *at,
                        uint64_t address)
{
    uint8_t form;

    if ( at[0] != GS || (at[1] & 0xfb) != 0x48 || at[2] != LOAD )
        return;
    form = at[3] & 0xc7;
    if ( form == MODRM_SIB && at[4] == SIB_NO_REG )
        count(&loads->gs, displacement(at + 5));
    else if ( form == MODRM_RIP )
        count(&loads->gs, address + 8 + displacement(at + 4));
}

/* mov or add X(,%reg,8), %reg of 8 bytes. */
static void look_for_table(struct code_loads *loads, const uint8_t *at)
{
    if ( (at[0] & 0xf8) == 0x48 && (at[1] == LOAD || at[1] == ADD) &&
         (at[2] & 0xc7) == MODRM_SIB && (at[3] & 0xc7) == 0xc5 &&
         at[3] != 0xe5 )
        count(&loads->table, displacement(at + 4));
}

void code_loads_count(struct code_loads *loads, const uint8_t *code,
                      size_t size, uint64_t address)
{
    for ( size_t i = 0; i + LONGEST <= size; i++ )
    {
        look_for_gs(loads, code + i, address + i);
        look_for_table(loads, code + i);
    }
}

/* Some pieces in one read.  A kernel's code has no gap: what is behind one in
 * the same read is left out. */
static void read_pieces(struct code_loads *loads, struct guest_memory *memory,
                        const struct guest_piece *pieces, size_t count)
{
    uint8_t code[GUEST_PIECES_MAX * CODE_LOADS_PIECE];
    size_t got = guest_memory_read_pieces(memory, pieces, count, code);

    for ( size_t i = 0; i < count && i * CODE_LOADS_PIECE < got; i++ )
    {
        size_t left = got - i * CODE_LOADS_PIECE;

        code_loads_count(loads, code + i * CODE_LOADS_PIECE,
                         left < CODE_LOADS_PIECE ? left : CODE_LOADS_PIECE,
                         pieces[i].address);
    }
}

void code_loads_read(struct code_loads *loads, struct guest_memory *memory,
                     uint64_t start, uint64_t end)
{
    uint64_t pages = end > start ? (end - start) / CODE_LOADS_PIECE : 0;
    struct guest_piece pieces[GUEST_PIECES_MAX];
    size_t count = 0;

    for ( uint32_t i = 0; i < CODE_LOADS_PIECES && i < pages; i++ )
    {
        uint64_t page = pages <= CODE_LOADS_PIECES
                            ? i
                            : pages * i / CODE_LOADS_PIECES;

        pieces[count++] = (struct guest_piece){start + page * CODE_LOADS_PIECE,
                                               CODE_LOADS_PIECE};
        if ( count < GUEST_PIECES_MAX )
            continue;
        read_pieces(loads, memory, pieces, count);
        count = 0;
    }
    if ( count )
        read_pieces(loads, memory, pieces, count);
}

uint32_t load_counts_of(const struct load_counts *counts, uint64_t value)
{
    for ( uint32_t i = 0; i < counts->used; i++ )
        if ( counts->item[i].value == value )
            return counts->item[i].count;
    return 0;
}

struct load_count load_counts_top(const struct load_counts *counts,
                                  const uint64_t *without, size_t number)
{
    struct load_count top = {0};

    for ( uint32_t i = 0; i < counts->used; i++ )
    {
        bool drop = counts->item[i].count <= top.count;

        for ( size_t n = 0; !drop && n < number; n++ )
            drop = counts->item[i].value == without[n];
        if ( !drop )
            top = counts->item[i];
    }
    return top;
}
