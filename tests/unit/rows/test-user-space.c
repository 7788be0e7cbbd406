/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where, and where in its image that is. */
#include "rows/user-space.h"
#include "table-kit.h"

static struct row_table *table;

static void make_table(void)
{
    static const struct row_segment segments[] = {{0x1000, 0x401000, 0x2345},
                                                  {0x5008, 0x407008, 0x100}};
    struct row_builder builder;

    CHECK(row_builder_init(&builder, segments, 2));
    table = rows_kit_end(&builder);
}

TEST(a_mapping_finds_its_segment)
{
    struct user_mapping mapping = {.start = 0x7f0000001000};

    make_table();
    CHECK(user_mapping_bind(&mapping, table, 0x1000));
    CHECK(mapping.rows == table);
    CHECK_EQ(mapping.start - mapping.bias, 0x401000);
    /* From the middle of the segment on. */
    CHECK(user_mapping_bind(&mapping, table, 0x3000));
    CHECK_EQ(mapping.start - mapping.bias, 0x403000);
    /* A page that begins before its segment. */
    CHECK(user_mapping_bind(&mapping, table, 0x5000));
    CHECK_EQ(mapping.start - mapping.bias, 0x407000);
    CHECK(!user_mapping_bind(&mapping, table, 0));
    CHECK(!mapping.rows);
    CHECK(!user_mapping_bind(&mapping, table, 0x4000));
    CHECK(!user_mapping_bind(&mapping, table, UINT64_MAX));
    row_table_close(table);
}

TEST(addresses_are_found)
{
    static const struct user_mapping mappings[] = {
        {.start = 0x1000, .end = 0x2000},
        {.start = 0x2000, .end = 0x3000},
        {.start = 0x5000, .end = 0x6000}};
    struct user_space *space = user_space_open(mappings, 3);
    struct user_space *other = user_space_open(mappings, 0);

    CHECK(space && other);
    CHECK(space->number != other->number);
    CHECK(!user_space_find(space, 0xfff));
    CHECK(user_space_find(space, 0x1000) == &space->mapping[0]);
    CHECK(user_space_find(space, 0x1fff) == &space->mapping[0]);
    CHECK(user_space_find(space, 0x2000) == &space->mapping[1]);
    CHECK(!user_space_find(space, 0x3000));
    CHECK(user_space_find(space, 0x5fff) == &space->mapping[2]);
    CHECK(!user_space_find(space, UINT64_MAX));
    CHECK(!user_space_find(other, 0x1000));
    user_space_close(space);
    user_space_close(other);
    user_space_close(NULL);
}

static bool opens(struct user_mapping first, struct user_mapping second)
{
    const struct user_mapping mappings[] = {first, second};
    struct user_space *space = user_space_open(mappings, 2);
    bool opened = space;

    user_space_close(space);
    return opened;
}

#define AT(from, to) ((struct user_mapping){.start = (from), .end = (to)})

TEST(mappings_that_cannot_be)
{
    struct user_mapping both = AT(0x2000, 0x3000);

    CHECK(opens(AT(0, 0x1000), AT(0x1000, 1ull << 56)));
    CHECK(!opens(AT(0x1000, 0x2000), AT(0, 0x1000)));
    CHECK(!opens(AT(0x1000, 0x2000), AT(0x1fff, 0x3000)));
    CHECK(!opens(AT(0x1000, 0x1000), AT(0x2000, 0x3000)));
    CHECK(!opens(AT(0x2000, 0x1000), AT(0x2000, 0x3000)));
    CHECK(!opens(AT(0, 0x1000), AT(0x1000, (1ull << 56) + 1)));
    make_table();
    both.rows = table;
    CHECK(opens(AT(0, 0x1000), both));
    row_table_close(table);
}
