/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries by key: found, counted, sorted, and there when memory runs out. */
#include <stdlib.h>

#include "base/table.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

struct test_entry {
    uint64_t key[2];
    uint64_t value;
};

TEST(table_finds_what_was_put)
{
    struct table table;
    struct test_entry *entry;
    size_t expected;

    table_init(&table, sizeof(entry->key), sizeof(*entry));
    CHECK_EQ(table_room_for(&table, 0), 0);
    expected = table_room_for(&table, 10000);
    for ( uint64_t i = 0; i < 10000; i++ )
    {
        uint64_t key[2] = {i % 100, i / 100};

        entry = table_put(&table, key);
        CHECK(entry);
        CHECK_EQ(entry->value, 0);
        entry->value = i + 1;
    }
    CHECK_EQ(table.count, 10000);
    CHECK_EQ(table.room, expected);
    CHECK_EQ(table_room_for(&table, 0), expected);
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

TEST(what_was_appended_is_found_when_all_is)
{
    struct table table;
    struct test_entry *entry;

    table_init(&table, sizeof(entry->key), sizeof(*entry));
    for ( uint64_t i = 0; i < 1000; i++ )
    {
        uint64_t key[2] = {i, 5};

        entry = table_append(&table, key);
        CHECK(entry);
        entry->value = i;
        CHECK(!table_find(&table, key));
    }
    CHECK(table_find_all(&table));
    for ( uint64_t i = 0; i < 1000; i++ )
    {
        uint64_t key[2] = {i, 5};

        entry = table_put(&table, key);
        CHECK(entry);
        CHECK_EQ(entry->value, i);
        CHECK_EQ(table_index(&table, entry), i);
    }
    CHECK_EQ(table.count, 1000);
    table_free(&table);
}

TEST(a_table_whose_keys_nobody_asks_for_takes_less)
{
    struct table table;

    table_init(&table, sizeof(uint64_t), sizeof(uint64_t));
    for ( uint64_t key = 0; key < 100; key++ )
        CHECK(table_put(&table, &key));
    table_find_none(&table);
    CHECK(!table.ids.slots);
    CHECK_EQ(table.count, 100);
    CHECK_EQ(*(uint64_t *)table_at(&table, 7), 7);
    CHECK(table_find_all(&table));
    for ( uint64_t key = 0; key < 100; key++ )
        CHECK_EQ(table_index(&table, table_find(&table, &key)), key);
    table_free(&table);
}

/* A file may say the same without end. */
TEST(entries_that_are_alike_take_one_slot)
{
    struct table table;
    const uint64_t key = 5;

    table_init(&table, sizeof(key), sizeof(key));
    for ( unsigned int i = 0; i < 100000; i++ )
        CHECK(table_append(&table, &key));
    CHECK(table_find_all(&table));
    CHECK_EQ(table.ids.used, 1);
    CHECK_EQ(table_index(&table, table_find(&table, &key)), 0);
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

static int compare_values(const void *left, const void *right)
{
    const struct test_entry *a = *(const struct test_entry *const *)left;
    const struct test_entry *b = *(const struct test_entry *const *)right;

    return a->value < b->value ? -1 : a->value > b->value;
}

TEST(table_is_sorted_as_asked)
{
    static const uint64_t values[] = {3, 1, 2};
    struct test_entry *entry, **sorted;
    struct table table;

    table_init(&table, sizeof(entry->key), sizeof(*entry));
    sorted = table_sorted(&table, compare_values);
    CHECK(sorted);
    free(sorted);
    for ( uint64_t i = 0; i < 3; i++ )
    {
        entry = table_put(&table, (uint64_t[2]){i});
        CHECK(entry);
        entry->value = values[i];
    }
    sorted = table_sorted(&table, compare_values);
    CHECK(sorted);
    for ( uint64_t i = 0; i < 3; i++ )
        CHECK_EQ(sorted[i]->value, i + 1);
    CHECK_EQ(table_index(&table, sorted[0]), 1);
    free(sorted);
    table_free(&table);
}

#define COLLIDING 4096u

/* Returns how many slots are looked at to find all keys once. */
static size_t count_steps(uint64_t seed, const uint64_t *keys)
{
    struct table table;
    size_t steps = 0;

    table_init(&table, sizeof(*keys), sizeof(*keys));
    table.ids.seed = seed ? seed : table.ids.seed;
    for ( size_t i = 0; i < COLLIDING; i++ )
        CHECK(table_put(&table, &keys[i]));
    for ( size_t i = 0; i < COLLIDING; i++ )
    {
        uint32_t hash = (uint32_t)hash_bytes(table.ids.seed, &keys[i],
                                             sizeof(keys[i]));
        const struct id_slot *slot = id_first(&table.ids, hash);

        for ( ; slot->id != i + 1; slot = id_after(&table.ids, slot) )
            steps++;
    }
    table_free(&table);
    return steps;
}

/* Whoever knows the hash but not the seed chooses keys that would all be
 * looked for in the same few slots. */
TEST(keys_that_collide_with_one_seed_scatter_with_the_tables_own)
{
    static uint64_t keys[COLLIDING];
    const uint64_t guess = 1;
    uint64_t key = 0;

    for ( size_t i = 0; i < COLLIDING; key++ )
        if ( (hash_bytes(guess, &key, sizeof(key)) & 0xffff) < 64 )
            keys[i++] = key;
    CHECK(count_steps(guess, keys) > COLLIDING * (size_t)COLLIDING / 4);
    CHECK(count_steps(0, keys) < 4 * COLLIDING);
}

TEST(table_stays_when_there_is_no_memory_for_another)
{
    struct table table;
    uint64_t key = 0;

    table_init(&table, sizeof(key), sizeof(key));
    /* The entries, then the slots. */
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!table_put(&table, &key));
        CHECK_EQ(fail_allocation(0), 0);
        CHECK_EQ(table.count, 0);
        CHECK(!table_find(&table, &key));
    }
    fail_allocation(2);
    while ( table_put(&table, &key) )
        key++;
    CHECK(key > 50);
    CHECK_EQ(table.count, key);
    CHECK(!table_find(&table, &key));
    CHECK(table_put(&table, &key));
    for ( uint64_t i = 0; i <= key; i++ )
    {
        const uint64_t *entry = table_find(&table, &i);

        CHECK(entry);
        CHECK_EQ(*entry, i);
        CHECK_EQ(table_index(&table, entry), i);
    }
    table_free(&table);
}

struct counted {
    uint64_t key, count;
};

static void add_count(void *to, const void *more)
{
    ((struct counted *)to)->count += ((const struct counted *)more)->count;
}

TEST(table_whose_older_half_is_one_entry)
{
    const uint64_t others = 1000;
    const struct counted *first;
    struct table table;

    table_init(&table, sizeof(uint64_t), sizeof(struct counted));
    for ( uint64_t key = 0; key < 9; key++ )
        ((struct counted *)table_put(&table, &key))->count = 1;
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!table_join_older(&table, &others, add_count));
        CHECK_EQ(fail_allocation(0), 0);
        CHECK_EQ(table.count, 9);
    }
    CHECK(table_join_older(&table, &others, add_count));
    CHECK_EQ(table.count, 6);
    /* It takes part in the next. */
    CHECK(table_join_older(&table, &others, add_count));
    CHECK_EQ(table.count, 4);
    first = table_at(&table, 0);
    CHECK_EQ(first->key, others);
    CHECK_EQ(first->count, 6);
    for ( uint64_t key = 6; key < 9; key++ )
    {
        const struct counted *entry = table_find(&table, &key);

        CHECK(entry && entry->count == 1);
        CHECK_EQ(table_index(&table, entry), key - 5);
    }
    table_free(&table);
}

static bool has_rest(const void *entry, const void *argument)
{
    return ((const struct counted *)entry)->key % 2 ==
           *(const uint64_t *)argument;
}

TEST(table_keeps_what_it_is_told_to)
{
    const uint64_t odd = 1;
    struct table table;

    table_init(&table, sizeof(uint64_t), sizeof(struct counted));
    for ( uint64_t key = 0; key < 9; key++ )
        ((struct counted *)table_put(&table, &key))->count = 10 + key;
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!table_keep(&table, has_rest, &odd));
        CHECK_EQ(fail_allocation(0), 0);
        CHECK_EQ(table.count, 9);
    }
    CHECK(table_keep(&table, has_rest, &odd));
    CHECK_EQ(table.count, 4);
    for ( uint64_t key = 0; key < 9; key++ )
    {
        const struct counted *entry = table_find(&table, &key);

        CHECK_EQ(entry != NULL, key % 2);
        CHECK(!entry || (entry->count == 10 + key &&
                         table_index(&table, entry) == key / 2));
    }
    table_free(&table);
}

TEST(table_that_fits_has_larger_entries_and_grows_again)
{
    struct table table;

    table_init(&table, sizeof(uint64_t), sizeof(uint64_t));
    for ( uint64_t key = 0; key < 100; key++ )
        CHECK(table_put(&table, &key));
    fail_allocation(1);
    CHECK(!table_fit(&table, sizeof(struct counted)));
    CHECK_EQ(fail_allocation(0), 0);
    CHECK_EQ(table.entry_size, sizeof(uint64_t));
    CHECK(table_fit(&table, sizeof(struct counted)));
    CHECK_EQ(table.room, 100);
    for ( uint64_t key = 0; key < 101; key++ )
    {
        struct counted *entry = table_put(&table, &key);

        CHECK(entry && table_index(&table, entry) == key && !entry->count);
        entry->count = 10 + key;
    }
    CHECK_EQ(table.count, 101);
    for ( uint64_t key = 0; key < 101; key++ )
        CHECK_EQ(((struct counted *)table_find(&table, &key))->count, 10 + key);
    table_free(&table);
}

TEST(table_without_entries_fits)
{
    const uint64_t key = 1;
    struct table table;

    table_init(&table, sizeof(uint64_t), sizeof(uint64_t));
    CHECK(table_fit(&table, sizeof(struct counted)));
    CHECK(table_put(&table, &key) && table_find(&table, &key));
    table_free(&table);
}

TEST(an_entry_that_was_appended_is_found_once_it_is_to_be)
{
    struct table table;
    uint64_t key = 7;
    void *entry;

    table_init(&table, sizeof(key), sizeof(key));
    entry = table_append(&table, &key);
    CHECK(entry);
    CHECK(!table_find(&table, &key));
    CHECK(table_find_one(&table, 0));
    CHECK(table_find(&table, &key) == table_at(&table, 0));
    CHECK(table_put(&table, &key) == table_at(&table, 0));
    table_free(&table);
}

/* By the half of the key that is before the point. */
TEST(the_only_entry_of_an_owner_needs_no_search)
{
    static const uint32_t keys[][2] = {{1, 5}, {1, 5}, {2, 5}, {1, 6},
                                       {1, 7}, {1, 5}, {1, 6}, {2, 5}};
    static const size_t indexes[] = {0, 0, 1, 2, 3, 0, 2, 1};
    uint32_t only[3] = {0};
    struct table table;

    table_init(&table, sizeof(keys[0]), sizeof(keys[0]));
    fail_allocation(1);
    CHECK(!table_put_only(&table, &only[1], keys[0], 0));
    CHECK_EQ(fail_allocation(0), 0);
    CHECK_EQ(only[1], 0);
    for ( size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++ )
    {
        uint32_t *of = &only[keys[i][0]];
        const uint32_t hash = table_expect_only(&table, *of, keys[i]);
        const void *entry;

        CHECK_EQ(hash != 0, *of == TABLE_SEVERAL);
        entry = table_put_only(&table, of, keys[i], i % 2 ? hash : 0);
        CHECK(entry && table_index(&table, entry) == indexes[i]);
    }
    CHECK_EQ(only[1], TABLE_SEVERAL);
    CHECK_EQ(only[2], 2);
    CHECK_EQ(table.count, 4);
    CHECK(!table_find(&table, keys[2]) && table_find(&table, keys[0]));
    table_free(&table);
}
