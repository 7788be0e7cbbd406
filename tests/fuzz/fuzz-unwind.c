/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any registers, windows and rows: the walk ends, stays in the windows, and
 * the same input gives the same frames, whichever way usual rows are walked.
 */
#include <string.h>

#include "guest/unwind.h"
#include "fuzz.h"

/* What an input begins with; windows' bytes follow. */
struct unwind_input {
    uint8_t flags;  /* 1: 32-bit, 2: user, 4: frame pointers, 8: PV,
                      16: is_code, 32: windows without gap */
    uint8_t sp, bp; /* words above the first window's start */
    uint8_t split;  /* of 256 parts of the rest, the first window's */
    uint8_t rows[16][4];
    uint64_t ip;
    uint64_t registers[4];
};

#define STACK 0xffffc90000100000ull
#define OTHER 0xffffc90000200000ull
#define TEXT  0xffffffff81000000ull

static const struct unwind_input *input;

/* An address itself says which row it has, so a stack can ask for any row. */
static bool row_of(const void *self, uint64_t address, struct unwind_row *ret)
{
    const uint8_t *row =
        ((const struct unwind_input *)self)->rows[address >> 4 & 15];

    if ( address >> 56 != 0xff )
        return false;
    *ret = (struct unwind_row){.kind = row[0] % (ROW_INTERRUPT + 1),
                               .cfa_base = row[1] % ROW_BASES,
                               .cfa_way = row[0] >> 4 & 1 ? ROW_AT_BASE
                                                          : ROW_SUM,
                               .cfa_offset = (int8_t)row[2] * 4,
                               .bp_base = (row[1] >> 4) % 3,
                               .bp_offset = (int8_t)row[3] * 4,
                               .signal = row[0] >> 7};
    if ( row[0] >> 5 & 1 )
        ret->cfa_way = ROW_AT_SUM;
    return true;
}

/* The same, as a table says it. */
static bool usual_row_of(const void *self, uint64_t address,
                         struct unwind_row *ret)
{
    bool there = row_of(self, address, ret);

    ret->usual = there && unwind_row_usual(ret);
    return there;
}

static bool is_code(const void *self, uint64_t address)
{
    (void)self;
    return address & 1;
}

static enum unwind_special special(const void *self, uint64_t address)
{
    (void)self;
    return (address >> 8) % (UNWIND_HYPERCALL + 1);
}

/* In a block of its own, so that a read behind it is noticed. */
static uint8_t *copy(const uint8_t *from, size_t size)
{
    uint8_t *to = malloc(size ? size : 1);

    memcpy(to, from, size);
    return to;
}

static void walk(const struct unwind_start *start)
{
    static struct unwind_result result, again;
    struct unwind_code code = {
        .self = input,
        .row = row_of,
        .is_code = input->flags & 16 ? is_code : NULL,
        .frame_pointers = input->flags & 4,
        .special = special,
        .pv = input->flags & 8,
    };

    guest_unwind(&code, start, &result);
    FUZZ_CHECK(result.count >= 1 && result.count <= GUEST_FRAMES_MAX);
    FUZZ_CHECK(result.frames[0] == start->ip && result.exact[0]);
    FUZZ_CHECK(result.end < UNWIND_ENDS);
    code.row = usual_row_of;
    guest_unwind(&code, start, &again);
    FUZZ_CHECK(result.count == again.count && result.end == again.end);
    FUZZ_CHECK(!memcmp(result.frames, again.frames,
                       result.count * sizeof(result.frames[0])));
    FUZZ_CHECK(!memcmp(result.exact, again.exact, result.count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct unwind_input head;
    struct xenoprof_registers registers = {0};
    struct unwind_start start = {.registers = &registers};
    uint8_t *first, *second;
    size_t length;

    if ( size < sizeof(head) )
        return 0;
    memcpy(&head, data, sizeof(head));
    input = &head;
    data += sizeof(head);
    size -= sizeof(head);
    length = size * head.split / 256;
    first = copy(data, length);
    second = copy(data + length, size - length);
    start.ip = head.ip;
    start.bits32 = head.flags & 1;
    start.kernel = !(head.flags & 2);
    start.windows[0] = (struct unwind_window){STACK, first, length};
    start.windows[1] = (struct unwind_window){
        head.flags & 32 ? STACK + length / 2 : OTHER, second, size - length};
    registers.rsp = STACK + 8 * head.sp;
    registers.rbp = STACK + 4 * head.bp;
    registers.r10 = head.registers[0];
    registers.r13 = head.registers[1];
    registers.rdi = head.registers[2];
    registers.rdx = head.registers[3];
    walk(&start);
    free(second);
    free(first);
    return 0;
}

/* Stacks that lead through calls, pt_regs and both windows. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    struct unwind_input head = {.flags = number == 2 ? 4 : 0,
                                .split = 128,
                                .rows = {{ROW_CALL, ROW_BASE_SP, 4},
                                         {ROW_REGISTERS, ROW_BASE_SP, 0},
                                         {ROW_CALL | 16, ROW_BASE_SP, 4},
                                         {ROW_END}},
                                .ip = TEXT + 8};
    uint64_t words[80] = {0};

    if ( number > 2 )
        return 0;
    for ( unsigned int i = 0; i < 80; i++ )
        words[i] = i % 3 ? TEXT + 8 + 16 * (i / 2 % 4) : STACK + 8 * (i + 2);
    words[1] = number == 1 ? TEXT + 0x28 : TEXT + 0x18;
    words[2] = number == 1 ? OTHER : 0;
    words[19] = 0x10;
    words[21] = OTHER + 8;
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), words, sizeof(words));
    return sizeof(head) + sizeof(words);
}
