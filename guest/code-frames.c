/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at the first instructions of functions. */
#include "code-frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define PAGE      4096u
#define CODE_SIZE (16 * PAGE) /* that is looked at, around an address */

#define PUSH       0x55
#define CALL       0xe8
#define CALL_BYTES 5u

/* Fewer functions may be anything. */
#define CALLED_MIN 3u

/* push %rbp; mov %rsp, %rbp, or the same in 32 bits, with little in between.
 * A tracer or CET may have put an instruction before. */
bool code_makes_frame(const uint8_t code[PROLOGUE_BYTES])
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e};
    static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    static const uint8_t move[] = {0x89, 0xe5};
    size_t at = 0;

    if ( !memcmp(code, endbr, sizeof(endbr)) )
        at = sizeof(endbr) + 1;
    if ( code[at] == CALL || !memcmp(code + at, nop5, sizeof(nop5)) )
        at += sizeof(nop5);
    return code[at] == PUSH &&
           memmem(code + at + 1, PROLOGUE_BYTES - at - 1, move, sizeof(move));
}

/* Returns the offset of the function that the call at `at` calls, or CODE_SIZE
 * if its start is not in the code as a whole. */
static uint64_t called(const uint8_t *code, uint64_t at)
{
    int32_t distance;
    int64_t to;

    if ( code[at] != CALL )
        return CODE_SIZE;
    memcpy(&distance, code + at + 1, sizeof(distance));
    to = (int64_t)at + CALL_BYTES + distance;
    return to >= 0 && to <= (int64_t)(CODE_SIZE - PROLOGUE_BYTES) ? (uint64_t)to
                                                                  : CODE_SIZE;
}

bool code_uses_frames(struct guest_memory *memory, uint64_t address)
{
    uint64_t from = (address & ~(uint64_t)(PAGE - 1)) - CODE_SIZE / 2;
    uint8_t *code SCOPE_FREE = calloc(1, CODE_SIZE);
    unsigned int functions = 0, with = 0;

    if ( !code )
        return false;
    /* Pages that are not present read as zeroes, which are not a call. */
    for ( uint64_t at = 0; at < CODE_SIZE; at += PAGE )
        guest_memory_get(memory, from + at, code + at, PAGE);
    for ( uint64_t at = 0; at + CALL_BYTES <= CODE_SIZE; at++ )
    {
        uint64_t function = called(code, at);

        if ( function == CODE_SIZE )
            continue;
        functions++;
        with += code_makes_frame(code + function);
    }
    return with >= CALLED_MIN && with * 2 > functions;
}
