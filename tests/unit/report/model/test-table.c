/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/names.h"
#include "report/model/table.h"
#include "tests/harness.h"

#include <stdio.h>
#include <string.h>

struct entry {
    uint64_t key[2];
    uint64_t value;
};

TEST(table_finds_what_was_put)
{
    struct table table;
    struct entry *entry;

    table_init(&table, sizeof(entry->key), sizeof(*entry));
    for ( uint64_t i = 0; i < 10000; i++ )
    {
        uint64_t key[2] = {i % 100, i / 100};

        entry = table_put(&table, key);
        CHECK(entry);
        CHECK_EQ(entry->value, 0);
        entry->value = i + 1;
    }
    CHECK_EQ(table.count, 10000);
    for ( uint64_t i = 0; i < 10000; i++ )
    {
        uint64_t key[2] = {i % 100, i / 100};

        entry = table_find(&table, key);
        CHECK(entry);
        CHECK_EQ(entry->value, i + 1);
        CHECK_EQ(table_index(&table, entry), i);
        CHECK(table_put(&table, key) == entry);
    }
    CHECK_EQ(table.count, 10000);
    table_free(&table);
}

TEST(table_says_what_is_not_there)
{
    struct table table;
    uint64_t key = 5;

    table_init(&table, sizeof(key), sizeof(key));
    CHECK(!table_find(&table, &key));
    CHECK(table_put(&table, &key));
    key = 6;
    CHECK(!table_find(&table, &key));
    table_free(&table);
}

TEST(table_keys_that_differ_in_one_bit_scatter)
{
    uint64_t key[2] = {0, 0}, seen = 0;

    for ( unsigned int bit = 0; bit < 128; bit++ )
    {
        key[bit / 64] = (uint64_t)1 << bit % 64;
        seen |= (uint64_t)1 << (table_hash(key, sizeof(key), 1) & 63);
        key[bit / 64] = 0;
    }
    /* 128 values into 64 places: a random function fills 55 of them. */
    CHECK(__builtin_popcountll(seen) > 40);
}

TEST(names_are_one_for_each_text)
{
    struct names names;
    char text[40];
    uint32_t number, again;

    names_init(&names);
    for ( unsigned int i = 0; i < 2000; i++ )
    {
        snprintf(text, sizeof(text), "symbol_number_%u", i % 1000);
        CHECK(names_add(&names, text, &number));
        CHECK_EQ(number, i % 1000 + 1);
        CHECK_TEXT(names_text(&names, number), text);
    }
    CHECK(names_add(&names, "", &number));
    CHECK_TEXT(names_text(&names, number), "");
    CHECK(names_add(&names, "12345678", &number));
    CHECK(names_add(&names, "1234567", &again));
    CHECK(number != again);
    names_free(&names);
}

TEST(names_know_the_unknown)
{
    struct names names;
    uint32_t number = 7;

    names_init(&names);
    CHECK(names_add(&names, NULL, &number));
    CHECK_EQ(number, 0);
    CHECK(!names_text(&names, 0));
    names_free(&names);
}
