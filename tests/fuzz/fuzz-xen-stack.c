/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables and stacks that make no sense.  The input is steps of eight
 * bytes, from an empty stack and a table that is fine:
 *
 *   what     0, 1: a word of the stack; 2: a register; 3: a byte of the table
 *   value    0: text, 1: stack, 2: small, 3: Xen's cs, 4: large, 5: entry code
 *   offset   2 bytes: which word, register or byte
 *   number   4 bytes
 *
 * Stacks lie between pages that cannot be read, and the table is in a block of
 * its own size.  Every address that comes out, except the leaf, is in the
 * table's text.
 */
#include <string.h>

#include "hypervisor/xen-stack/xen-stack.h"
#include "fuzz.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define FUNCTIONS 64u
#define ROOM      32u
#define STEP      8u

struct step {
    uint8_t what, value;
    uint16_t offset;
    uint32_t number;
};

static struct kit_stack stack;
static struct kit_table table;
static struct port_xen_stack start;

static uint64_t value_of(const struct step *step)
{
    switch ( step->value % 6 )
    {
    case 0: return KIT_TEXT + step->number % (FUNCTIONS * KIT_FUNCTION + 16);
    case 1: return stack.start + (step->number % KIT_STACK_SIZE & ~7ul);
    case 3: return KIT_XEN_CS;
    case 4: return (uint64_t)step->number << 32 | step->number;
    case 5: return kit_after(KIT_REGS);
    }
    return step->number;
}

static void act(const struct step *step)
{
    uint64_t *const registers[] = {&start.ip, &start.sp, &start.bp, &start.ax,
                                   &start.r10};
    uint64_t word = stack.start + (step->offset % KIT_STACK_SIZE & ~7ul);
    uint8_t *bytes = (uint8_t *)table.head;
    struct port_span span;

    switch ( step->what % 4 )
    {
    case 2: *registers[step->offset % 5] = value_of(step); break;
    case 3: bytes[step->offset % table.head->size] = step->number; break;
    default:
        if ( port_xen_stack_of(word, &span) )
            kit_put(word, value_of(step));
    }
}

static void walk(const struct unwind_table *checked)
{
    uint64_t frames[ROOM];
    bool whole;
    uint32_t count;

    for ( uint32_t room = 0; room <= ROOM; room += ROOM / 2 )
    {
        count = xen_stack_walk(checked, &start, frames, room, &whole);
        FUZZ_CHECK(count <= room && (count || !room));
        FUZZ_CHECK(!room || frames[0] == start.ip);
        for ( uint32_t i = 1; i < count; i++ )
            FUZZ_CHECK(unwind_find(checked, frames[i] - 1));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct unwind_table checked;
    uint64_t table_size;

    process_reset(1);
    stack = kit_stack_make();
    table = kit_table_make(FUNCTIONS);
    table_size = table.head->size;
    start = (struct port_xen_stack){
        .ip = kit_in(KIT_SMALL),
        .sp = stack.root - 512,
        .root = stack.root,
    };
    for ( ; size >= STEP; data += STEP, size -= STEP )
    {
        struct step step;

        memcpy(&step, data, sizeof(step));
        /* The stack stays where it is for later steps. */
        if ( table.head->size != table_size )
            table.head->size = table_size;
        act(&step);
    }
    if ( unwind_check(table.head, table_size, 0, &checked) )
        walk(&checked);
    free(table.head);
    return 0;
}

/* A function in an interrupt in a function, and a leaf of each kind. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const uint16_t saved = KIT_STACK_SIZE - 264 - 64 - KIT_SAVED_SIZE;
    const uint32_t leaf = number * KIT_FUNCTION + 8;
    const struct step steps[] = {
        {2, 0, 0, leaf},
        {2, 1, 1, saved - 24},
        {2, 1, 2, saved - 24},
        {2, 1, 3, saved},
        {2, 1, 4, saved - 24},
        {0, 5, saved - 8, 0},
        {0, 0, saved + 128, KIT_SMALL * KIT_FUNCTION + 8},
        {0, 3, saved + 136, 0},
        {0, 1, saved + 152, saved + KIT_SAVED_SIZE},
        {0, 0, saved + KIT_SAVED_SIZE + 16, KIT_SAVES * KIT_FUNCTION + 8},
        {0, 5, KIT_STACK_SIZE - 264 - 8, 0},
    };

    if ( number >= KIT_FUNCTIONS )
        return 0;
    memcpy(bytes, steps, sizeof(steps));
    return sizeof(steps);
}
