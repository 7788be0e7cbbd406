/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's stack of twelve frames, from a system call's leaf to the user's
 * registers, walked over and over with an ORC table as long as a distribution
 * kernel's.  Prints bytes of that table, and us of CPU for a walk;
 * bench/goals.sh counts instructions of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guest/linux/orc.h"
#include "guest/unwind.h"

#define ROWS   450000u
#define TEXT   0xffffffff81000000ull
#define TABLE  0xffffffff82e00000ull
#define STRIDE 36u /* bytes of code for each row */
#define STACK  0xffffc90000100000ull
#define FRAMES 12u

static uint64_t stack[256];

static uint64_t row_address(unsigned int row)
{
    return TEXT + (uint64_t)STRIDE * row;
}

/* Every other row saves bp; one in 1024 is entry code. */
static void make_row(unsigned int row, uint8_t *to)
{
    unsigned int flags = row % 1024 == 1023 ? 0xb05 : row % 2 ? 0x215 : 0x205;

    memset(to, 0, 6);
    to[0] = flags == 0xb05 ? 0 : 8 * (row % 10 + 3);
    to[2] = flags == 0x215 ? -16 : 0;
    to[3] = flags == 0x215 ? 0xff : 0;
    to[4] = flags;
    to[5] = flags >> 8;
}

static struct orc_table *make_table(void)
{
    uint8_t *rows = malloc(6 * ROWS);
    int32_t *ips = malloc(4 * ROWS);
    struct orc_table *table;

    for ( unsigned int i = 0; rows && ips && i < ROWS; i++ )
    {
        ips[i] = (int32_t)(row_address(i) - (TABLE + 4 * i));
        make_row(i, rows + 6 * i);
    }
    table = rows && ips ? orc_open(ips, rows, ROWS, TABLE, ORC_LAYOUT_6_4)
                        : NULL;
    free(ips);
    free(rows);
    return table;
}

static unsigned int row_of_frame(unsigned int frame)
{
    if ( frame == FRAMES - 1 )
        return 300 * 1024 + 1023;
    return (frame * 36271u + 17) % ROWS;
}

/* Each frame's return address, and last a pt_regs of a user. */
static void make_stack(void)
{
    unsigned int at = 0;

    for ( unsigned int frame = 0; frame < FRAMES - 1; frame++ )
    {
        at += row_of_frame(frame) % 10 + 3;
        stack[at - 1] = row_address(row_of_frame(frame + 1)) + 9;
    }
    stack[at + 17] = 0x33;
}

static bool row(const void *self, uint64_t address, struct unwind_row *ret)
{
    return orc_find(self, address, ret);
}

int main(int argc, char **argv)
{
    unsigned int walks = argc > 1 ? atoi(argv[1]) : 1000;
    struct unwind_code code = {.self = make_table(), .row = row};
    struct xenoprof_registers registers = {.rsp = STACK};
    struct unwind_start start = {
        .ip = row_address(row_of_frame(0)) + 9,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)stack, sizeof(stack)}},
        .kernel = true};
    static struct unwind_result result;
    clock_t begun;

    if ( !code.self )
        return 1;
    make_stack();
    begun = clock();
    for ( unsigned int i = 0; i < walks; i++ )
        guest_unwind(&code, &start, &result);
    if ( result.count != FRAMES || result.end != UNWIND_USER )
    {
        fprintf(stderr, "guest-unwind: %u frames, end %d\n", result.count,
                result.end);
        return 1;
    }
    printf("%zu %.3f\n", orc_size(code.self),
           (double)(clock() - begun) * 1e6 / CLOCKS_PER_SEC / walks);
    return 0;
}
