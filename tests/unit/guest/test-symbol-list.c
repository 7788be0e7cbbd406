/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by address: in order, at the edges, too many. */
#include <string.h>

#include "guest/symbol-list.h"
#include "tests/harness.h"

static struct symbol_list list;

static bool add(uint64_t address, const char *name)
{
    return symbol_list_add(&list, address, name, strlen(name));
}

static void check_at(uint64_t address, const char *name, uint64_t start,
                     uint64_t end)
{
    uint64_t got_start, got_end;

    CHECK_TEXT(symbol_list_at(&list, address, &got_start, &got_end), name);
    CHECK(got_start == start && got_end == end);
}

TEST(the_last_symbol_at_or_below_is_found)
{
    uint64_t start, end;

    CHECK(!symbol_list_at(&list, 100, &start, &end));
    CHECK(add(300, "three") && add(100, "one") && add(~0ull, "last"));
    symbol_list_sort(&list);
    CHECK(!symbol_list_at(&list, 99, &start, &end));
    check_at(100, "one", 100, 300);
    check_at(299, "one", 100, 300);
    check_at(300, "three", 300, ~0ull);
    check_at(~0ull, "last", ~0ull, 0);
    symbol_list_free(&list);
    CHECK(!symbol_list_at(&list, 100, &start, &end));
}

TEST(of_several_at_one_address_the_first_counts)
{
    CHECK(add(200, "b") && add(100, "first") && add(100, "a") && add(100, ""));
    symbol_list_sort(&list);
    check_at(150, "first", 100, 200);
    check_at(200, "b", 200, 0);
    symbol_list_free(&list);
}

TEST(sorting_gives_back_what_was_not_needed)
{
    symbol_list_sort(&list); /* an empty one too */
    for ( uint64_t i = 0; i < 17; i++ )
        CHECK(add(i, "some"));
    symbol_list_sort(&list);
    CHECK_EQ(list.room, 17);
    CHECK_EQ(list.names_room, 17 * 5);
    CHECK(add(99, "more"));
    symbol_list_sort(&list);
    check_at(100, "more", 99, 0);
    symbol_list_free(&list);
}

TEST(symbols_and_names_have_limits)
{
    for ( uint32_t i = 0; i < SYMBOL_LIST_MAX; i++ )
        CHECK(symbol_list_add(&list, i, "x", 1));
    CHECK(!add(1, "one too many"));
    CHECK_EQ(list.count, SYMBOL_LIST_MAX);
    symbol_list_free(&list);
    /* Refused before it is read. */
    CHECK(!symbol_list_add(&list, 1, "", 64u << 20));
    CHECK_EQ(list.count, 0);
}
