/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers by hash, also where hashes are equal, and hashes that scatter. */
#include "base/id-table.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

/* How many candidates of this hash a walk meets that have this number. */
static unsigned int met(const struct id_table *table, uint32_t hash,
                        uint32_t id)
{
    const struct id_slot *slot = id_first(table, hash);
    unsigned int count = 0;

    for ( ; slot->id; slot = id_after(table, slot) )
        count += slot->hash == hash && slot->id == id;
    return count;
}

TEST(ids_are_found_while_slots_grow)
{
    struct id_table table;

    id_table_init(&table);
    CHECK_EQ(id_first(&table, 1)->id, 0);
    for ( uint32_t id = 1; id <= 5000; id++ )
        CHECK(id_table_add(&table, id * 7, id));
    CHECK_EQ(table.used, 5000);
    for ( uint32_t id = 1; id <= 5000; id++ )
        CHECK_EQ(met(&table, id * 7, id), 1);
    CHECK_EQ(met(&table, 3, 1), 0);
    id_table_deinit(&table);
    CHECK_EQ(id_first(&table, 7)->id, 0);
}

/* Below a million slots and beyond, at each number of ids near a growth. */
TEST(what_slots_will_take_is_known_before)
{
    struct id_table table;
    size_t expected;

    id_table_init(&table);
    CHECK_EQ(id_table_takes(&table, 0), 0);
    expected = id_table_takes(&table, 1000000);
    for ( uint32_t id = 1; id <= 1000000; id++ )
    {
        size_t next = id_table_takes(&table, 1);

        CHECK(id_table_add(&table, id * 2654435761u, id));
        CHECK_EQ(id_table_takes(&table, 0), next);
        CHECK_EQ((table.mask + 1) * sizeof(*table.slots), next);
    }
    CHECK_EQ(id_table_takes(&table, 0), expected);
    id_table_deinit(&table);
}

/* As if an attacker had found them; the last slots, so that walks wrap. */
TEST(ids_of_one_hash_are_all_met)
{
    struct id_table table;

    id_table_init(&table);
    for ( uint32_t id = 1; id <= 300; id++ )
        CHECK(id_table_add(&table, UINT32_MAX, id));
    for ( uint32_t id = 1; id <= 300; id++ )
        CHECK_EQ(met(&table, UINT32_MAX, id), 1);
    CHECK_EQ(met(&table, UINT32_MAX, 301), 0);
    id_table_deinit(&table);
}

/* Slots grow where they are: walks that cross and wrap still end after what
 * they look for. */
TEST(ids_are_found_after_each_growth)
{
    static const uint32_t ends[] = {120, 126, 127, 255, 254, 511, 1023, 0, 1};
    struct id_table table;
    uint64_t random = 7;
    uint32_t hashes[3000];
    size_t mask = 0;

    id_table_init(&table);
    for ( uint32_t id = 1; id <= 3000; id++ )
    {
        random = random * 6364136223846793005u + 1442695040888963407u;
        hashes[id - 1] = id % 3 ? (uint32_t)(random >> 33)
                                : (uint32_t)(random >> 60 << 10) +
                                      ends[(random >> 40) % 9];
        CHECK(id_table_add(&table, hashes[id - 1], id));
        for ( uint32_t i = 1; table.mask != mask && i <= id; i++ )
            CHECK_EQ(met(&table, hashes[i - 1], i), 1);
        mask = table.mask;
    }
    CHECK(mask >= 4095);
    id_table_deinit(&table);
}

static void take_out(struct id_table *table, uint32_t hash, uint32_t id)
{
    const struct id_slot *slot = id_first(table, hash);

    while ( slot->id && (slot->hash != hash || slot->id != id) )
        slot = id_after(table, slot);
    CHECK(slot->id);
    id_table_remove(table, slot);
}

/* Also where walks of several hashes cross, and wrap. */
TEST(ids_that_are_taken_out_hide_no_other)
{
    static const uint32_t hashes[] = {120, 121, 126, 127, 255, 254, 0, 1};
    struct id_table table;
    uint32_t left[60], count = 60, chosen = 7;

    id_table_init(&table);
    for ( uint32_t id = 1; id <= count; id++ )
    {
        left[id - 1] = id;
        CHECK(id_table_add(&table, hashes[id % 8], id));
    }
    for ( ; count; count-- )
    {
        uint32_t at = (chosen = chosen * 31 + 5) % count;

        take_out(&table, hashes[left[at] % 8], left[at]);
        CHECK_EQ(met(&table, hashes[left[at] % 8], left[at]), 0);
        left[at] = left[count - 1];
        for ( uint32_t i = 0; i + 1 < count; i++ )
            CHECK_EQ(met(&table, hashes[left[i] % 8], left[i]), 1);
        CHECK_EQ(table.used, count - 1);
    }
    id_table_deinit(&table);
}

TEST(id_takes_the_place_of_another)
{
    struct id_table table;

    id_table_init(&table);
    CHECK(id_table_add(&table, 5, 1));
    CHECK(id_table_add(&table, 5, 2));
    id_table_replace(&table, id_first(&table, 5), 3);
    CHECK_EQ(met(&table, 5, 1), 0);
    CHECK_EQ(met(&table, 5, 2), 1);
    CHECK_EQ(met(&table, 5, 3), 1);
    id_table_deinit(&table);
}

TEST(ids_stay_when_there_is_no_memory_for_another)
{
    struct id_table table;
    uint32_t id = 0;

    id_table_init(&table);
    fail_allocation(1);
    CHECK(!id_table_add(&table, 1, 1));
    CHECK_EQ(table.used, 0);
    /* The first slots can be had, those of the next growth cannot. */
    fail_allocation(2);
    while ( id_table_add(&table, (id + 1) * 7, id + 1) )
        id++;
    CHECK(id > 50);
    CHECK_EQ(table.used, id);
    for ( uint32_t i = 1; i <= id; i++ )
        CHECK_EQ(met(&table, i * 7, i), 1);
    CHECK(id_table_add(&table, (id + 1) * 7, id + 1));
    CHECK_EQ(met(&table, (id + 1) * 7, id + 1), 1);
    id_table_deinit(&table);
}

TEST(hashes_of_keys_that_differ_in_one_bit_scatter)
{
    uint64_t key[2] = {0, 0}, seen = 0;

    for ( unsigned int bit = 0; bit < 128; bit++ )
    {
        key[bit / 64] = (uint64_t)1 << bit % 64;
        seen |= (uint64_t)1 << (hash_bytes(1, key, sizeof(key)) & 63);
        key[bit / 64] = 0;
    }
    /* 128 values into 64 places: a random function fills 55 of them. */
    CHECK(__builtin_popcountll(seen) > 40);
}

/* Any byte of a key counts, however long it is. */
TEST(hashes_of_long_keys_that_differ_in_one_byte_differ)
{
    uint8_t key[200] = {0};

    for ( size_t size = 1; size <= sizeof(key); size++ )
        for ( size_t at = 0; at < size; at++ )
        {
            uint64_t hash = hash_bytes(1, key, size);

            key[at] = 1;
            CHECK(hash != hash_bytes(1, key, size));
            key[at] = 0;
        }
}

/* A guest that knows no seed changes the first word, and a later one so that
 * the hash is as before: the top bit of a product with an odd number is known,
 * and so is what is shifted from it. */
TEST(hashes_have_no_collisions_that_need_no_seed)
{
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t key[16] = {0}, hash;

    for ( size_t words = 2; words <= 16; words++ )
    {
        hash = hash_bytes(words, key, words * sizeof(*key));
        for ( unsigned int at = 0; at < 64 * (words - 1); at++ )
        {
            uint64_t *other = &key[1 + at / 64];

            key[0] = top;
            *other = top | top >> at % 64;
            CHECK(hash != hash_bytes(words, key, words * sizeof(*key)));
            key[0] = *other = 0;
        }
    }
}

TEST(hashes_depend_on_seed_and_length)
{
    struct id_table one, two;
    const char zeroes[16] = {0};

    id_table_init(&one);
    id_table_init(&two);
    CHECK(one.seed != two.seed);
    for ( size_t size = 0; size < sizeof(zeroes); size++ )
    {
        uint64_t hash = hash_bytes(one.seed, zeroes, size);

        CHECK(hash != hash_bytes(two.seed, zeroes, size));
        CHECK(hash != hash_bytes(one.seed, zeroes, size + 1));
    }
}

/* A process that was forked before does not know the seeds. */
TEST(seeds_are_new_after_a_reseed)
{
    struct id_table table;
    uint64_t before;

    id_table_init(&table);
    before = table.seed;
    id_table_init(&table);
    CHECK(table.seed == before);
    id_tables_reseed();
    id_table_init(&table);
    CHECK(table.seed != before);
}
