/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a guest's ip, cs, flags, sp and ss stand on Xen's stack.
 */
#include "tests/harness.h"
#include "hypervisor/port-payload/entry-code.h"

#define EXIT      0x1000ul /* restore_all_guest, */
#define ENTRY     0x1190ul /* lstar_enter and all that follows, */
#define THUNK     0x3120ul /* to the thunk that functions return through */
#define ENTRY_END 0x4000ul
#define ORDINARY  0x9000ul

#define STACK_START 0x10000ul
#define WORDS       0x11f80ul

static const struct entry_code known = {EXIT, ENTRY_END, EXIT, ENTRY};
static const struct entry_code unknown = {EXIT, ENTRY_END, 0, 0};

static bool whole(const struct entry_code *code, uint64_t ip, uint64_t sp)
{
    return entry_words_are_whole(code, ip, sp, STACK_START, WORDS);
}

TEST(entry_ordinary_code_has_all_words)
{
    CHECK(whole(&known, ORDINARY, WORDS - 0x200));
    CHECK(whole(&unknown, ORDINARY, WORDS - 0x200));
}

TEST(entry_an_exception_has_them_from_its_first_instruction)
{
    CHECK(whole(&known, ENTRY + 0x200, WORDS));
    CHECK(whole(&known, ENTRY + 0x200, WORDS - 8));
}

TEST(entry_a_system_call_has_them_when_all_are_pushed)
{
    CHECK(!whole(&known, ENTRY, WORDS + 24));
    CHECK(!whole(&known, ENTRY + 0x10, WORDS + 8));
    CHECK(whole(&known, ENTRY + 0x1b, WORDS));
}

TEST(entry_the_guests_stack_says_nothing)
{
    CHECK(!whole(&known, ORDINARY, 0xffffc90000003000ul));
    CHECK(!whole(&known, ENTRY, 0x7ffd00001000ul));
}

TEST(entry_an_exceptions_own_stack_says_nothing)
{
    CHECK(!whole(&known, ENTRY + 0xd00, STACK_START - 0x1000));
    CHECK(whole(&known, ORDINARY, STACK_START));
}

TEST(entry_on_the_way_out_the_guest_goes_on)
{
    CHECK(!whole(&known, EXIT, WORDS - 0x78));
    CHECK(!whole(&known, ENTRY - 1, WORDS - 8));
}

TEST(entry_where_functions_return_through)
{
    CHECK(whole(&known, THUNK, WORDS - 0x400));
}

TEST(entry_where_the_way_out_is_not_known_no_entry_code_counts)
{
    CHECK(!whole(&unknown, THUNK, WORDS - 0x400));
    CHECK(!whole(&unknown, ENTRY + 0x200, WORDS - 8));
    CHECK(!whole(&(struct entry_code){EXIT, ENTRY_END, ENTRY, EXIT},
                 ENTRY + 0x200, WORDS - 8));
}

#define REGISTERS (WORDS - 128)

/* pushq, then the vector is written, then there is room for registers. */
TEST(entry_the_vector_is_written_after_its_word_is_there)
{
    CHECK(!entry_vector_is_whole(WORDS, REGISTERS));
    CHECK(!entry_vector_is_whole(WORDS - 8, REGISTERS));
    CHECK(!entry_vector_is_whole(REGISTERS + 8, REGISTERS));
    CHECK(entry_vector_is_whole(REGISTERS, REGISTERS));
    CHECK(entry_vector_is_whole(REGISTERS - 0x200, REGISTERS));
}
