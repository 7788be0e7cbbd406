/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step along frame pointers; the golden stacks (tests/golden/unwind) have
 * whole walks. */
#include "guest/stack-walk.h"
#include "tests/harness.h"

#define TEXT  0xffffffff81000000ull
#define STACK 0xffffc90000100000ull
#define WORDS 32u

static uint64_t words[WORDS];
static struct unwind_code code;
static struct xenoprof_registers registers;
static struct unwind_start start;
static struct stack_walk walk;

static void begin(bool kernel)
{
    for ( unsigned int i = 0; i < WORDS; i++ )
        words[i] = TEXT + i;
    code = (struct unwind_code){.frame_pointers = true};
    registers = (struct xenoprof_registers){.rsp = STACK, .rbp = STACK + 16};
    start = (struct unwind_start){
        .ip = TEXT,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)words, sizeof(words)}},
        .kernel = kernel};
    walk_start(&walk, &code, &start);
}

TEST(the_caller_is_where_the_frame_pointer_points)
{
    begin(true);
    words[2] = STACK + 64;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ON);
    CHECK(walk.ip == TEXT + 3 && walk.bp == STACK + 64);
    CHECK(walk.sp == STACK + 32 && !walk.exact);
}

/* A kernel must say that it has them; a user's code is believed. */
TEST(a_kernel_without_frame_pointers_is_for_another)
{
    begin(true);
    code.frame_pointers = false;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_PASS);
    begin(false);
    code.frame_pointers = false;
    words[3] = 0x401000;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ON);
}

TEST(no_frame_pointer_or_no_caller_is_the_root)
{
    begin(true);
    walk.bp = 0;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ROOT);
    begin(true);
    words[3] = 0;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ROOT);
}

TEST(a_frame_pointer_that_cannot_be_ends_it)
{
    begin(true);
    walk.bp = 0x1234567890abcdefull;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
    begin(true);
    walk.bp = STACK - 64; /* below its callee's */
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
    begin(true);
    walk.bp = STACK + 20;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
    begin(true);
    walk.bp = STACK + 8 * WORDS; /* above what was copied */
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_WINDOW);
}

static bool is_even(const void *self, uint64_t address)
{
    (void)self;
    return address % 2 == 0;
}

TEST(a_return_address_must_be_code)
{
    begin(true);
    code.is_code = is_even; /* asked for what lies before TEXT + 3 */
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ON);
    begin(true);
    code.is_code = is_even;
    words[3] = TEXT + 4;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
    begin(true);
    words[3] = 0x1234567890abcdefull;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
    /* A user's stack does not lead into the kernel. */
    begin(false);
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
}

/* Offsets in the pt_regs of 64-bit Linux, in words. */
enum { SAVED_BP = 4, SAVED_IP = 16, SAVED_CS = 17, SAVED_SP = 19 };

TEST(an_odd_frame_pointer_is_an_interrupted_frame)
{
    begin(true);
    walk.bp = STACK + 1;
    words[SAVED_BP] = STACK + 200;
    words[SAVED_CS] = 0x10;
    words[SAVED_SP] = STACK + 192;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_ON);
    CHECK(walk.ip == TEXT + SAVED_IP && walk.exact);
    CHECK(walk.bp == STACK + 200 && walk.sp == STACK + 192);
    begin(true);
    walk.bp = STACK + 1;
    words[SAVED_CS] = 0x33;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_USER);
    /* A user's may be anything. */
    begin(false);
    walk.bp = STACK + 1;
    CHECK_EQ(walk_by_frame_pointer(&walk), UNWIND_NONSENSE);
}
