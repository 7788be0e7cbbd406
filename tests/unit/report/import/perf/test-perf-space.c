/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/perf/perf-space.h"

#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"

static struct perf_spaces spaces;

static void map(uint32_t pid, uint64_t start, uint64_t end, uint32_t file)
{
    const struct perf_data_map map = {start, end, 0, file};

    perf_space_map(&spaces, pid, &map);
}

static const struct perf_data_map *find(uint32_t pid, uint64_t address)
{
    return perf_space_find(perf_space_of(&spaces, pid), address);
}

/* Returns the file's number, or 0 if there is none. */
static uint32_t file_at(uint32_t pid, uint64_t address)
{
    const struct perf_data_map *map = find(pid, address);

    return map ? map->file : 0;
}

TEST(the_last_mapping_counts)
{
    perf_spaces_init(&spaces);
    map(1, 0x1000, 0x9000, 1);
    map(1, 0x3000, 0x5000, 2);
    CHECK_EQ(file_at(1, 0xfff), 0);
    CHECK_EQ(file_at(1, 0x2fff), 1);
    CHECK_EQ(file_at(1, 0x3000), 2);
    CHECK_EQ(file_at(1, 0x4fff), 2);
    CHECK_EQ(file_at(1, 0x5000), 1);
    CHECK_EQ(find(1, 0x5000)->offset, 0x4000);
    CHECK_EQ(file_at(1, 0x9000), 0);
    map(1, 0x4000, 0x6000, 3);
    CHECK_EQ(file_at(1, 0x3fff), 2);
    CHECK_EQ(file_at(1, 0x5fff), 3);
    CHECK_EQ(find(1, 0x6000)->offset, 0x5000);
    map(1, 0, 0x10000, 4);
    CHECK_EQ(perf_space_of(&spaces, 1)->maps.count, 1);
    map(1, 0x10000, 0x10000, 5);
    CHECK_EQ(perf_space_of(&spaces, 1)->maps.count, 1);
    perf_spaces_free(&spaces);
}

/* Against each byte's own last mapping. */
TEST(any_order_of_mappings)
{
    uint32_t truth[256] = {0}, seed = 1;

    perf_spaces_init(&spaces);
    for ( uint32_t turn = 1; turn <= 2000; turn++ )
    {
        uint32_t start, end;

        seed = seed * 1664525u + 1013904223u;
        start = seed >> 24;
        end = start + (seed >> 16) % 40;
        end = end > 256 ? 256 : end;
        map(1, start, end, turn);
        for ( uint32_t i = start; i < end; i++ )
            truth[i] = turn;
        for ( uint32_t i = 0; i < 256; i++ )
            CHECK_EQ(file_at(1, i), truth[i]);
    }
    perf_spaces_free(&spaces);
}

TEST(a_child_has_what_its_parent_had)
{
    uint64_t number;

    perf_spaces_init(&spaces);
    perf_thread_call(&spaces, 1, 1, "parent", false);
    map(1, 0x1000, 0x2000, 1);
    perf_thread_fork(&spaces, 2, 2, 1, 1);
    CHECK_TEXT(perf_thread(&spaces, 2, 2)->comm, "parent");
    CHECK(perf_space_of(&spaces, 1) == perf_space_of(&spaces, 2));
    number = perf_space_of(&spaces, 1)->number;
    map(2, 0x1000, 0x2000, 2);
    CHECK_EQ(file_at(1, 0x1000), 1);
    CHECK_EQ(file_at(2, 0x1000), 2);
    CHECK_EQ(perf_space_of(&spaces, 1)->number, number);
    CHECK(perf_space_of(&spaces, 2)->number != number);
    perf_thread_call(&spaces, 2, 2, "child", true);
    CHECK_EQ(file_at(2, 0x1000), 0);
    perf_spaces_free(&spaces);
}

TEST(a_process_goes_with_its_last_thread)
{
    perf_spaces_init(&spaces);
    perf_thread_call(&spaces, 1, 1, "main", false);
    map(1, 0x1000, 0x2000, 1);
    perf_thread_fork(&spaces, 1, 2, 1, 1);
    perf_thread_end(&spaces, 1, 1);
    CHECK_EQ(file_at(1, 0x1000), 1);
    CHECK_TEXT(perf_thread(&spaces, 1, 1)->comm, "main");
    perf_thread_end(&spaces, 1, 2);
    CHECK_EQ(file_at(1, 0x1000), 0);
    /* The number is another process's now. */
    perf_thread_fork(&spaces, 1, 1, 9, 9);
    CHECK_TEXT(perf_thread(&spaces, 1, 1)->comm, "");
    perf_spaces_free(&spaces);
}
