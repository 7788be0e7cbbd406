/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step by one row; the golden stacks (tests/golden/unwind) have whole
 * walks. */
#include "guest/stack-walk.h"
#include "tests/harness.h"

#define TEXT  0xffffffff81000000ull
#define STACK 0xffffc90000100000ull
#define WORDS 32u

static uint64_t words[WORDS];
static const struct unwind_code code;
static struct xenoprof_registers registers;
static struct unwind_start start;
static struct stack_walk walk;

static void begin(struct unwind_row row)
{
    for ( unsigned int i = 0; i < WORDS; i++ )
        words[i] = TEXT + i;
    registers = (struct xenoprof_registers){
        .rsp = STACK, .rbp = STACK + 64, .r10 = STACK + 32, .rdi = STACK};
    start = (struct unwind_start){
        .ip = TEXT,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)words, sizeof(words)}},
        .kernel = true};
    walk_start(&walk, &code, &start);
    walk.row = row;
}

TEST(code_without_a_row_is_for_another)
{
    begin((struct unwind_row){.kind = ROW_UNDEFINED});
    CHECK_EQ(walk_by_row(&walk), UNWIND_PASS);
    begin((struct unwind_row){.kind = ROW_END});
    CHECK_EQ(walk_by_row(&walk), UNWIND_ROOT);
}

TEST(a_call_returns_below_the_cfa)
{
    begin((struct unwind_row){
        .kind = ROW_CALL, .cfa_base = ROW_BASE_SP, .cfa_offset = 24});
    CHECK_EQ(walk_by_row(&walk), UNWIND_ON);
    CHECK(walk.ip == TEXT + 2 && walk.sp == STACK + 24);
    CHECK(walk.bp == STACK + 64 && !walk.exact);
}

TEST(bp_is_where_the_row_says)
{
    begin((struct unwind_row){.kind = ROW_CALL,
                              .cfa_base = ROW_BASE_SP,
                              .cfa_offset = 24,
                              .bp_base = ROW_BASE_CFA,
                              .bp_offset = -16});
    CHECK_EQ(walk_by_row(&walk), UNWIND_ON);
    CHECK(walk.bp == TEXT + 1);
    begin((struct unwind_row){.kind = ROW_CALL,
                              .cfa_base = ROW_BASE_SP,
                              .cfa_offset = 24,
                              .bp_base = ROW_BASE_CFA,
                              .bp_offset = -32});
    CHECK_EQ(walk_by_row(&walk), UNWIND_WINDOW);
}

/* Registers other than sp and bp are those of the interrupted frame. */
TEST(a_register_that_is_lost_is_no_base)
{
    struct unwind_row row = {
        .kind = ROW_CALL, .cfa_base = ROW_BASE_R10, .cfa_offset = 8};

    begin(row);
    CHECK_EQ(walk_by_row(&walk), UNWIND_ON);
    CHECK(walk.ip == TEXT + 4);
    walk.row = row;
    CHECK_EQ(walk_by_row(&walk), UNWIND_NO_RULE);
    begin((struct unwind_row){.kind = ROW_CALL, .cfa_base = ROW_BASE_CFA});
    CHECK_EQ(walk_by_row(&walk), UNWIND_NO_RULE);
    begin((struct unwind_row){.kind = ROW_CALL, .cfa_base = ROW_BASE_NONE});
    CHECK_EQ(walk_by_row(&walk), UNWIND_NO_RULE);
}

/* Words that a guest wrote become an address: a sum that wraps is one too. */
TEST(a_cfa_outside_of_the_windows_ends_it)
{
    static const uint64_t bases[] = {0, 8, STACK - 16, STACK + 8 * WORDS,
                                     ~0ull - 7};

    for ( unsigned int i = 0; i < sizeof(bases) / sizeof(bases[0]); i++ )
    {
        begin((struct unwind_row){
            .kind = ROW_CALL, .cfa_base = ROW_BASE_DI, .cfa_offset = 16});
        registers.rdi = bases[i];
        CHECK_EQ(walk_by_row(&walk), UNWIND_WINDOW);
        begin((struct unwind_row){.kind = ROW_CALL,
                                  .cfa_base = ROW_BASE_DI,
                                  .cfa_way = ROW_AT_BASE,
                                  .cfa_offset = 16});
        registers.rdi = bases[i];
        CHECK_EQ(walk_by_row(&walk), UNWIND_WINDOW);
    }
}

/* Kernels with rows run in the last 2 GiB, on stacks in the upper half. */
TEST(a_caller_must_be_kernel_code)
{
    static const struct {
        uint64_t ip;
        enum unwind_end end;
    } known[] = {{0xffffffff80000000u, UNWIND_ON},
                 {~0ull, UNWIND_ON},
                 {0xffffffff7fffffffu, UNWIND_NONSENSE},
                 {0x401000, UNWIND_NONSENSE},
                 {0, UNWIND_NONSENSE}};

    for ( unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
    {
        begin((struct unwind_row){
            .kind = ROW_CALL, .cfa_base = ROW_BASE_SP, .cfa_offset = 8});
        words[0] = known[i].ip;
        CHECK_EQ(walk_by_row(&walk), known[i].end);
    }
    /* The stack pointer that was pushed is a user's. */
    begin((struct unwind_row){.kind = ROW_INTERRUPT, .cfa_base = ROW_BASE_SP});
    words[1] = 0x10;
    words[2] = 0x10246;
    words[3] = 0x7ffe0000;
    CHECK_EQ(walk_by_row(&walk), UNWIND_NONSENSE);
}

TEST(an_interrupted_user_ends_the_kernels_part)
{
    begin((struct unwind_row){
        .kind = ROW_INTERRUPT, .cfa_base = ROW_BASE_SP, .signal = true});
    words[1] = 0x33;
    words[2] = 0x246;
    words[3] = 0x7ffe0000;
    CHECK_EQ(walk_by_row(&walk), UNWIND_USER);
    /* The same with privilege 0: a kernel's, and its ip is exact. */
    begin((struct unwind_row){
        .kind = ROW_INTERRUPT, .cfa_base = ROW_BASE_SP, .signal = true});
    words[1] = 0x10;
    words[2] = 0x246;
    words[3] = STACK + 128;
    CHECK_EQ(walk_by_row(&walk), UNWIND_ON);
    CHECK(walk.ip == TEXT && walk.sp == STACK + 128 && walk.exact);
}
