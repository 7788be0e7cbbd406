/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples fall on instructions, and bytes that are not instructions. */
#include "report/code/instructions.h"
#include "tests/harness.h"

#define ADDRESS 0xffff82d040200000ull

TEST(samples_fall_on_instructions)
{
    struct instruction list[] = {{.address = 0x100, .size = 4},
                                 {.address = 0x104, .size = 1},
                                 {.address = 0x105, .size = 7}};
    struct instructions instructions = {.items = list, .count = 3};
    const struct hit falls[] = {
        {.key.address = 0xff, .samples = 1, .time = 10},
        {.key.address = 0x100, .samples = 2, .time = 20},
        {.key.address = 0x103, .samples = 4, .time = 40},
        {.key.address = 0x105, .samples = 8, .time = 80},
        {.key.address = 0x10b, .samples = 16, .time = 160},
        {.key.address = 0x10c, .samples = 32, .time = 320},
        {.key.address = UINT64_MAX, .samples = 64, .time = 640}};
    const struct hit *sorted[7];

    for ( size_t i = 0; i < 7; i++ )
        sorted[i] = &falls[i];
    instructions_count(&instructions, sorted, 7);
    CHECK_EQ(list[0].samples, 6);
    CHECK_EQ(list[0].time, 60);
    CHECK_EQ(list[0].inside, 4);
    CHECK_EQ(list[1].samples, 0);
    CHECK_EQ(list[2].samples, 24);
    CHECK_EQ(list[2].inside, 16);
    CHECK_EQ(instructions.outside.samples, 1 + 32 + 64);
    CHECK_EQ(instructions.outside.time, 10 + 320 + 640);
}

TEST(what_is_no_instruction_is_bytes)
{
    /* push %es, which 64 bits have not; nop; and a call that is cut off. */
    static const uint8_t bytes[] = {0x06, 0x90, 0xe8, 0x01, 0x02};
    static const char *const texts[] = {".byte   0x06", "nop", ".byte   0xe8",
                                        "addl    %eax, (%rdx)"};
    const struct code some = {.bytes = bytes,
                              .size = sizeof(bytes),
                              .start = ADDRESS,
                              .symbols = &(struct code_symbols){.count = 0}};
    const struct function nothing = {.samples = 0};
    struct instructions instructions;

    instructions_read(&instructions, &some, &nothing);
    CHECK_EQ(instructions.count, 4);
    for ( size_t i = 0; i < 4; i++ )
        CHECK_TEXT(instructions.items[i].text, texts[i]);
    CHECK(instructions.items[3].address == ADDRESS + 3);
    instructions_free(&instructions);
}
