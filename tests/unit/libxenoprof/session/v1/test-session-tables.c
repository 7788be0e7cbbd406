/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings, places and stacks by number: copied, defined anew, not there. */
#include <string.h>

#include "libxenoprof/session/session-format.h"
#include "libxenoprof/session/v1/session-tables.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

TEST(a_number_is_what_it_was_last_defined_as)
{
    struct session_tables tables = {0};
    const struct place_entry first = {.address = 1}, second = {.address = 2};
    const uint32_t places[] = {7, 8, 9};
    char text[] = "one";

    CHECK(tables_set_string(&tables, 5, text, 3));
    text[0] = 'x';
    CHECK_TEXT(tables_string(&tables, 5)->text, "one");
    CHECK(tables_set_string(&tables, 5, "t\0o", 3));
    CHECK_EQ(tables_string(&tables, 5)->length, 3);
    CHECK(!memcmp(tables_string(&tables, 5)->text, "t\0o", 4));
    CHECK(tables_set_place(&tables, 5, &first));
    CHECK(tables_set_place(&tables, 5, &second));
    CHECK_EQ(tables_place(&tables, 5)->address, 2);
    CHECK(tables_set_stack(&tables, 5, places, 3));
    CHECK(tables_set_stack(&tables, 5, places + 1, 2));
    CHECK_EQ(tables_stack(&tables, 5)->count, 2);
    CHECK_EQ(tables.stack_places.items[tables_stack(&tables, 5)->first], 8);
    tables_deinit(&tables);
    CHECK_EQ(tables.last_string, 0);
}

TEST(a_stack_that_is_defined_anew_takes_its_old_room)
{
    struct session_tables tables = {0};
    uint32_t places[STACK_MAX] = {0};

    for ( uint32_t i = 1; i <= 100 * STACK_MAX; i++ )
    {
        uint32_t count = 1 + i % STACK_MAX;

        places[count - 1] = i;
        CHECK(tables_set_stack(&tables, 5, places, count));
        CHECK_EQ(tables_stack(&tables, 5)->count, count);
        CHECK_EQ(tables.stack_places
                     .items[tables_stack(&tables, 5)->first + count - 1],
                 i);
    }
    CHECK(tables.stack_places.count <= 4 * STACK_MAX);
    tables_deinit(&tables);
}

TEST(what_was_not_defined_is_not_there)
{
    struct session_tables tables = {0};
    const struct place_entry place = {.address = 1, .file = 1};
    const uint32_t leaf = 1;

    for ( uint32_t number = 0; number < 3; number++ )
    {
        CHECK(!tables_string(&tables, number));
        CHECK(!tables_place(&tables, number));
        CHECK(!tables_stack(&tables, number));
    }
    CHECK(tables_set_string(&tables, 1000, "", 0));
    CHECK(tables_set_place(&tables, 1000, &place));
    CHECK(tables_set_stack(&tables, 1000, &leaf, 1));
    CHECK_TEXT(tables_string(&tables, 1000)->text, "");
    for ( uint32_t number = 1; number < 1000; number++ )
    {
        CHECK(!tables_string(&tables, number));
        CHECK(!tables_stack(&tables, number));
        CHECK_EQ(tables_place(&tables, number)->file, 0);
    }
    CHECK(!tables_string(&tables, 1001));
    CHECK(!tables_place(&tables, 1001));
    CHECK(!tables_stack(&tables, UINT32_MAX));
    tables_deinit(&tables);
}

TEST(tables_stay_when_there_is_no_memory_for_more)
{
    struct session_tables tables = {0};
    const struct place_entry place = {.address = 1};
    const uint32_t leaf = 1;

    CHECK(tables_set_string(&tables, 1, "kept", 4));
    CHECK(tables_set_place(&tables, 1, &place));
    CHECK(tables_set_stack(&tables, 1, &leaf, 1));
    /* The text, then the array of all. */
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!tables_set_string(&tables, 5000, "more", 4));
        CHECK_EQ(fail_allocation(0), 0);
    }
    fail_allocation(1);
    CHECK(!tables_set_place(&tables, 5000, &place));
    fail_allocation(1);
    CHECK(!tables_set_stack(&tables, 5000, &leaf, 1));
    CHECK_EQ(tables.last_string, 1);
    CHECK_EQ(tables.last_place, 1);
    CHECK_EQ(tables.last_stack, 1);
    CHECK_TEXT(tables_string(&tables, 1)->text, "kept");
    CHECK_EQ(tables_place(&tables, 1)->address, 1);
    CHECK_EQ(tables_stack(&tables, 1)->count, 1);
    tables_deinit(&tables);
}

TEST(a_reader_forgets_a_file_at_no_cost)
{
    struct session_tables tables = {0};
    const struct place_entry place = {.address = 1};
    uint32_t places[STACK_MAX] = {7};

    /* If each of these took its 16 million numbers, this would take hours. */
    for ( uint32_t file = 1; file <= 100000; file++ )
    {
        tables_begin_file(&tables);
        CHECK(!tables_string(&tables, NUMBER_MAX));
        CHECK(!tables_stack(&tables, 5));
        CHECK(!tables_place(&tables, 5) ||
              tables_place(&tables, 5)->file != tables.file);
        CHECK(tables_set_string(&tables, NUMBER_MAX, "a", 1));
        CHECK(tables_set_place(&tables, 5, &place));
        CHECK(tables_set_stack(&tables, 5 + file % 2, places, STACK_MAX));
        CHECK(tables_set_stack(&tables, 5, places, 1));
        CHECK_TEXT(tables_string(&tables, NUMBER_MAX)->text, "a");
        CHECK_EQ(tables_place(&tables, 5)->file, tables.file);
        CHECK_EQ(tables_stack(&tables, 5)->leaf, 7);
    }
    CHECK(tables.stack_places.room <= 4 * STACK_MAX);
    tables_deinit(&tables);
}
