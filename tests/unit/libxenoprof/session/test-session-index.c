/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Equal strings, places and stacks have one number, others another. */
#include <string.h>

#include "libxenoprof/session/session-format.h"
#include "libxenoprof/session/session-index.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static struct session_state state;

static void begin(void)
{
    memset(&state, 0, sizeof(state));
    state_init(&state);
}

TEST(strings_are_bytes_and_their_length)
{
    uint32_t a, zero;

    begin();
    a = index_string(&state, "a", 1);
    zero = index_string(&state, "a\0", 2);
    CHECK(a && zero && a != zero);
    CHECK_EQ(index_string(&state, "a", 1), a);
    CHECK_EQ(index_string(&state, "a\0b", 2), zero);
    CHECK(index_string(&state, "", 0) > zero);
    state_deinit(&state);
}

static uint32_t place(uint64_t address, uint32_t symbol, bool *named)
{
    const struct place_entry entry = {
        .address = address, .symbol = symbol, .domain = 3, .mode = 1};

    return index_place(&state, &entry, named);
}

TEST(a_place_gets_its_first_name_and_another_number_with_the_next)
{
    uint32_t number, later;
    bool named;

    begin();
    number = place(0x100, 0, &named);
    CHECK(number && !named);
    CHECK_EQ(index_unnamed(&state, 3, 1, 0), number);
    CHECK_EQ(place(0x100, 5, &named), number);
    CHECK(named);
    CHECK_EQ(place(0x100, 5, &named), number);
    CHECK(!named);
    CHECK_EQ(index_unnamed(&state, 3, 1, 0), 0);
    later = place(0x100, 6, &named);
    CHECK(later && later != number && !named);
    CHECK_EQ(index_find_place(&state, 3, 1, 0x100), later);
    CHECK(tables_place(&state.tables, number)->stale);
    CHECK_EQ(index_find_place(&state, 3, 2, 0x100), 0);
    CHECK_EQ(index_find_place(&state, 4, 1, 0x100), 0);
    state_deinit(&state);
}

TEST(places_without_a_name_are_found_one_after_the_other)
{
    uint32_t number = 0, count = 0;
    bool named;

    begin();
    for ( uint64_t address = 1; address <= 30; address++ )
        CHECK(place(address, address % 3, &named));
    CHECK(place(3, 7, &named));
    while ( (number = index_unnamed(&state, 3, 1, number)) )
    {
        CHECK_EQ(tables_place(&state.tables, number)->symbol, 0);
        count++;
    }
    CHECK_EQ(count, 9);
    CHECK_EQ(index_unnamed(&state, 3, 2, 0), 0);
    state_deinit(&state);
}

TEST(a_stack_is_its_places_in_their_order)
{
    const uint32_t places[] = {1, 2, 3}, others[] = {3, 2, 1};
    uint32_t number;

    begin();
    CHECK_EQ(index_find_stack(&state, places, 3), 0);
    number = index_stack(&state, places, 3);
    CHECK(number);
    CHECK_EQ(index_stack(&state, places, 3), number);
    CHECK_EQ(index_find_stack(&state, places, 3), number);
    CHECK_EQ(index_find_stack(&state, places, 2), 0);
    CHECK_EQ(index_find_stack(&state, others, 3), 0);
    state_deinit(&state);
}

/* From now on that file defines this stack. */
static uint32_t base(uint32_t file, const uint32_t *places, size_t count)
{
    uint32_t number = index_stack(&state, places, count);

    CHECK(number);
    CHECK(index_add_base(&state, file, number));
    CHECK_EQ(tables_stack(&state.tables, number)->file, file);
    return number;
}

TEST(a_base_shares_most_callers_and_is_of_this_file)
{
    const uint32_t one[] = {1, 2, 9}, two[] = {5, 6, 2, 9};
    const uint32_t wanted[] = {7, 6, 2, 9}, alone[] = {1, 2, 3};
    uint32_t first, second, shared;

    begin();
    CHECK_EQ(index_find_base(&state, 1, wanted, 4, &shared), 0);
    CHECK_EQ(shared, 0);
    first = base(1, one, 3);
    CHECK_EQ(index_find_base(&state, 1, wanted, 4, &shared), first);
    CHECK_EQ(shared, 2);
    second = base(1, two, 4);
    CHECK_EQ(index_find_base(&state, 1, wanted, 4, &shared), second);
    CHECK_EQ(shared, 3);
    CHECK_EQ(index_find_base(&state, 1, two, 4, &shared), second);
    CHECK_EQ(shared, 4);
    CHECK_EQ(index_find_base(&state, 1, alone, 3, &shared), 0);
    /* The next file defines none of them, then the second again: for ends that
     * were the first's in the last file, too. */
    CHECK_EQ(index_find_base(&state, 2, wanted, 4, &shared), 0);
    base(2, two, 4);
    CHECK_EQ(index_find_base(&state, 2, one, 3, &shared), second);
    CHECK_EQ(shared, 2);
    state_deinit(&state);
}

TEST(numbers_that_are_used_up_are_not_given_again)
{
    const uint32_t leaf = 1, other = 2;

    begin();
    CHECK(index_take_stack(&state, NUMBER_MAX, &leaf, 1));
    CHECK_EQ(index_stack(&state, &leaf, 1), NUMBER_MAX);
    CHECK_EQ(index_stack(&state, &other, 1), 0);
    state_deinit(&state);
}

TEST(a_string_without_memory_has_no_number)
{
    uint32_t number;

    begin();
    number = index_string(&state, "kept", 4);
    fail_allocation(1);
    CHECK_EQ(index_string(&state, "more", 4), 0);
    CHECK_EQ(fail_allocation(0), 0);
    CHECK_EQ(index_string(&state, "kept", 4), number);
    CHECK_EQ(index_string(&state, "more", 4), number + 1);
    state_deinit(&state);
}
