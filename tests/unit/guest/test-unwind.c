/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the golden stacks (tests/golden/unwind) do not cover. */
#include <string.h>

#include "guest/unwind.h"
#include "tests/harness.h"

#define TEXT  0xffffffff81000000ull
#define STACK 0xffffc90000100000ull

static struct unwind_result result;

TEST(without_registers_there_is_the_leaf)
{
    struct unwind_code code = {.frame_pointers = true};
    struct unwind_start start = {.ip = TEXT, .kernel = true};

    guest_unwind(&code, &start, &result);
    CHECK_EQ(result.count, 1);
    CHECK_EQ(result.frames[0], TEXT);
    CHECK(result.exact[0]);
    CHECK_EQ(result.end, UNWIND_NO_RULE);
}

TEST(nothing_known_of_the_code_is_no_rule)
{
    struct unwind_code code = {.self = NULL};
    struct xenoprof_registers registers = {.rsp = STACK, .rbp = STACK};
    struct unwind_start start = {
        .ip = TEXT, .registers = &registers, .kernel = true};

    guest_unwind(&code, &start, &result);
    CHECK_EQ(result.count, 1);
    CHECK_EQ(result.end, UNWIND_NO_RULE);
}

/* A user's frames never come from the kernel's tables. */
static bool a_row(const void *self, uint64_t address, struct unwind_row *ret)
{
    (void)self;
    (void)address;
    *ret = (struct unwind_row){
        .kind = ROW_CALL, .cfa_base = ROW_BASE_SP, .cfa_offset = 8};
    return true;
}

TEST(a_user_has_no_rows)
{
    static const uint64_t words[4] = {0x401000, 0x402000, 0, 0};
    struct unwind_code code = {.row = a_row};
    struct xenoprof_registers registers = {.rsp = 0x7ffe0000, .rbp = 0};
    struct unwind_start start = {
        .ip = 0x400000,
        .registers = &registers,
        .windows = {{0x7ffe0000, (const uint8_t *)words, sizeof(words)}}};

    guest_unwind(&code, &start, &result);
    CHECK_EQ(result.count, 1);
    CHECK_EQ(result.end, UNWIND_ROOT);
}

/* Each window is cut to each length: no byte behind it is read, which the
 * address sanitizer checks, and more bytes never give fewer frames. */
TEST(a_longer_window_never_has_fewer_frames)
{
    static uint64_t words[32];
    struct unwind_code code = {.row = a_row};
    struct xenoprof_registers registers = {.rsp = STACK};
    uint32_t before = 1;

    for ( unsigned int i = 0; i < 32; i++ )
        words[i] = TEXT + i;
    for ( size_t length = 0; length <= sizeof(words); length++ )
    {
        struct unwind_start start = {.ip = TEXT,
                                     .registers = &registers,
                                     .windows = {{STACK, NULL, length}},
                                     .kernel = true};
        uint8_t copy[sizeof(words)];

        memcpy(copy, words, sizeof(copy));
        start.windows[0].bytes = copy;
        guest_unwind(&code, &start, &result);
        CHECK(result.count >= before);
        CHECK_EQ(result.count, 1 + length / 8);
        CHECK_EQ(result.end, UNWIND_WINDOW);
        before = result.count;
    }
}
