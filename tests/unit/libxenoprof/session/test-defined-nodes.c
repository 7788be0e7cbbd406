/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains share their nodes, and numbers grow from parents to children. */
#include "libxenoprof/session/defined-tables.h"
#include "tests/harness.h"

static struct defined_tables tables;

/* Places from the root to the leaf; returns the leaf's row. */
static uint32_t put_chain(const uint32_t *places, size_t count)
{
    uint64_t path = defined_path_begin(&tables);
    uint32_t node = 0;
    bool fresh = false;

    for ( size_t i = 0; i < count; i++ )
    {
        path = defined_path_below(path, places[i]);
        node = define_node(&tables, path, node, places[i], &fresh);
        CHECK(node);
    }
    return node;
}

/* Returns its row, or 0. */
static uint32_t find_root(uint32_t place)
{
    uint64_t path = defined_path_below(defined_path_begin(&tables), place);

    defined_expect_node(&tables, path);
    defined_expect_found(&tables, path);
    return defined_find_node(&tables, path, 0, place);
}

TEST(chains_that_share_callers_share_their_nodes)
{
    uint32_t first, second;

    defined_tables_init(&tables);
    first = put_chain((uint32_t[]){1, 2, 3}, 3);
    CHECK_EQ(tables.nodes.count, 3);
    second = put_chain((uint32_t[]){1, 2, 4}, 3);
    CHECK_EQ(tables.nodes.count, 4);
    CHECK(first != second);
    CHECK_EQ(put_chain((uint32_t[]){1, 2, 3}, 3), first);
    /* The same place elsewhere is another node. */
    CHECK(put_chain((uint32_t[]){3}, 1) != first);
    CHECK_EQ(find_root(9), 0);
    CHECK_EQ(find_root(3), put_chain((uint32_t[]){3}, 1));
    defined_tables_free(&tables);
}

static void check_numbers(void)
{
    CHECK_EQ(tables.numbered.count, tables.nodes.count);
    for ( uint32_t number = 1; number <= tables.numbered.count; number++ )
    {
        uint32_t row = tables.numbered.items[number - 1];
        const struct defined_node *node = table_at(&tables.nodes, row - 1);
        uint32_t parent = defined_node_number(&tables, node->key.parent);

        CHECK_EQ(node->number, number);
        CHECK(parent < number);
    }
}

TEST(numbers_are_given_once_in_the_order_of_parents)
{
    uint64_t random = 1;
    uint32_t row, number;

    defined_tables_init(&tables);
    for ( unsigned int block = 0; block < 20; block++ )
    {
        size_t known = tables.numbered.count;
        uint32_t before = 0;

        for ( unsigned int i = 0; i < 200; i++ )
        {
            uint32_t places[6];

            for ( unsigned int j = 0; j < 6; j++ )
            {
                random = random * 6364136223846793005u + 1442695040888963407u;
                places[j] = 1 + (uint32_t)(random >> 60) % (2 + 3 * j);
            }
            put_chain(places, 1 + (random >> 40) % 6);
        }
        row = put_chain((uint32_t[]){1, 1, 1}, 3);
        number = defined_node_number(&tables, row);
        CHECK(defined_number_nodes(&tables));
        check_numbers();
        CHECK(!number || number == defined_node_number(&tables, row));
        /* Of those that are new, parents do not go back within a level. */
        for ( size_t i = known; i < tables.numbered.count; i++ )
        {
            const struct defined_node *node = table_at(
                &tables.nodes, tables.numbered.items[i] - 1);
            uint32_t parent = defined_node_number(&tables, node->key.parent);

            CHECK(parent >= before);
            before = parent;
        }
    }
    defined_tables_free(&tables);
}

static uint64_t next_random(void)
{
    static uint64_t random = 1;

    random = random * 6364136223846793005u + 1442695040888963407u;
    return random >> 33;
}

/* Frames of any space, of which some are new in each block. */
static void put_random_chain(unsigned int block)
{
    uint32_t places[5];
    bool named;

    for ( unsigned int i = 0; i < 5; i++ )
        places[i] = next_random() % 50
                        ? define_place(&tables, 1 + next_random() % 3,
                                       next_random() % (200 * (block + 1)), 0,
                                       &named)
                        : 0;
    put_chain(places, 1 + next_random() % 5);
}

static void check_places(void)
{
    CHECK_EQ(tables.numbered_places.count, tables.places.count);
    for ( uint32_t number = 1; number <= tables.places.count; number++ )
        CHECK_EQ(defined_place_number(&tables,
                                      tables.numbered_places.items[number - 1]),
                 number);
    CHECK_EQ(defined_place_number(&tables, 0), 0);
    CHECK_EQ(defined_place_number(&tables, (uint32_t)tables.places.count + 1),
             0);
}

static uint32_t place_of(size_t index)
{
    const struct defined_node *node = table_at(
        &tables.nodes, tables.numbered.items[index] - 1);

    return defined_place_number(&tables, node->key.place);
}

/* First those at places that had a number before, then those at new ones. */
static void check_turns(size_t nodes, uint32_t places)
{
    uint32_t newest = places;

    CHECK(tables.turn_ends[0] > nodes);
    CHECK(tables.turn_ends[1] > tables.turn_ends[0]);
    for ( size_t i = nodes; i < tables.turn_ends[0]; i++ )
        CHECK(place_of(i) <= places);
    for ( size_t i = tables.turn_ends[0]; i < tables.turn_ends[1]; i++ )
    {
        CHECK(place_of(i) > places && place_of(i) <= newest + 1);
        newest = place_of(i) > newest ? place_of(i) : newest;
    }
}

TEST(new_places_have_numbers_in_the_order_of_nodes)
{
    defined_tables_init(&tables);
    for ( uint32_t i = 1; i <= 3; i++ )
        CHECK_EQ(define_space(&tables, i, 1), i);
    for ( unsigned int block = 0; block < 6; block++ )
    {
        size_t nodes = tables.numbered.count;
        uint32_t places = (uint32_t)tables.numbered_places.count;

        for ( unsigned int i = 0; i < 500; i++ )
            put_random_chain(block);
        CHECK(defined_number_nodes(&tables));
        check_numbers();
        check_places();
        if ( block )
            check_turns(nodes, places);
    }
    defined_tables_free(&tables);
}
