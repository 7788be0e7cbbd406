/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows of a stack: what may be read, and that frames only rise. */
#include "guest/stack-walk.h"
#include "tests/harness.h"

#define STACK 0xffffc90000100000ull
#define OTHER 0xffffc90000200000ull

static const uint64_t words[4] = {0x11111111aaaaaaaa, 0x22222222bbbbbbbb,
                                  0x33333333cccccccc, 0x44444444dddddddd};
static const struct unwind_code code;
static struct xenoprof_registers registers;
static struct unwind_start start;
static struct stack_walk walk;

/* Two windows of two words each. */
static void begin(uint64_t sp)
{
    const uint8_t *bytes = (const uint8_t *)words;

    registers = (struct xenoprof_registers){.rsp = sp, .rbp = sp};
    start = (struct unwind_start){
        .ip = 0xffffffff81000000u,
        .registers = &registers,
        .windows = {{STACK, bytes, 16}, {OTHER, bytes + 16, 16}},
        .kernel = true};
    walk_start(&walk, &code, &start);
}

TEST(only_whole_words_of_a_window_are_read)
{
    uint64_t word = 0;

    begin(STACK);
    CHECK(walk_read(&walk, STACK, &word) && word == words[0]);
    CHECK(walk_read(&walk, STACK + 8, &word) && word == words[1]);
    CHECK(walk_read(&walk, OTHER + 8, &word) && word == words[3]);
    CHECK(walk_read(&walk, STACK + 4, &word));
    CHECK(word == 0xbbbbbbbb11111111u);
    CHECK(!walk_read(&walk, STACK + 9, &word));
    CHECK(!walk_read(&walk, STACK - 1, &word));
    CHECK(!walk_read(&walk, OTHER + 16, &word));
    CHECK(!walk_read(&walk, 0, &word));
    CHECK(!walk_read(&walk, ~0ull, &word));
}

TEST(frames_only_rise)
{
    begin(STACK);
    CHECK_EQ(walk_rise(&walk, STACK, 8), UNWIND_ON);
    CHECK(walk_member(&walk, 0) == words[0]);
    CHECK_EQ(walk_rise(&walk, STACK, 8), UNWIND_NONSENSE);
    CHECK_EQ(walk_rise(&walk, STACK + 8, 8), UNWIND_ON);
    CHECK_EQ(walk_rise(&walk, STACK + 8, 8), UNWIND_NONSENSE);
    /* The other stack has a floor of its own. */
    CHECK_EQ(walk_rise(&walk, OTHER, 16), UNWIND_ON);
    CHECK(walk_member(&walk, 8) == words[3]);
    CHECK_EQ(walk_rise(&walk, OTHER, 8), UNWIND_NONSENSE);
    CHECK_EQ(walk_rise(&walk, STACK, 8), UNWIND_NONSENSE);
}

TEST(no_frame_lies_below_the_stack_pointer)
{
    begin(STACK + 8);
    CHECK_EQ(walk_rise(&walk, STACK, 8), UNWIND_NONSENSE);
    CHECK_EQ(walk_rise(&walk, STACK + 8, 8), UNWIND_ON);
}

TEST(frames_are_aligned_and_in_a_window)
{
    begin(STACK);
    CHECK_EQ(walk_rise(&walk, STACK + 4, 8), UNWIND_NONSENSE);
    CHECK_EQ(walk_rise(&walk, STACK + 8, 16), UNWIND_WINDOW);
    CHECK_EQ(walk_rise(&walk, STACK + 16, 8), UNWIND_WINDOW);
    CHECK_EQ(walk_rise(&walk, STACK, SIZE_MAX), UNWIND_WINDOW);
    CHECK_EQ(walk_rise(&walk, 0, 8), UNWIND_WINDOW);
}

/* A guest may give both the same addresses: the one that the walk is in
 * counts. */
TEST(of_windows_that_overlap_the_current_one_is_read)
{
    uint64_t word;

    begin(OTHER);
    start.windows[0].address = OTHER;
    CHECK(walk_read(&walk, OTHER, &word) && word == words[2]);
    CHECK_EQ(walk_rise(&walk, OTHER, 8), UNWIND_ON);
    CHECK(walk_member(&walk, 0) == words[2]);
}

static unsigned int word_of(const uint64_t frame[2], uint64_t sp)
{
    registers = (struct xenoprof_registers){.rsp = sp, .rbp = 0x200000};
    start = (struct unwind_start){
        .registers = &registers,
        .windows = {{0x200000, (const uint8_t *)frame, 16}},
        .bits32 = true};
    walk_start(&walk, &code, &start);
    return walk.word;
}

/* Code below 4 GiB: the stack pointer and the first frame decide. */
TEST(low_code_is_of_32_or_64_bits)
{
    static const uint64_t of_64[2] = {0x200100, 0x10010};
    static const uint64_t of_32[2] = {0x1001000200100, 0x10010};
    static const uint64_t no_caller[2] = {0x200100, 0};

    CHECK_EQ(word_of(of_64, 0x200000), 8);
    CHECK_EQ(word_of(of_32, 0x200000), 4);
    CHECK_EQ(word_of(no_caller, 0x200000), 4);
    CHECK_EQ(word_of(of_32, 0x7ffe00200000), 8);
}
