/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes come, map, run other programs and end; who had what, and when. */
#include "agent/space-history.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness.h"

static struct space_history *history;

static uint64_t map_time = UINT64_MAX - 1;

static void map(int32_t tgid, uint64_t start, uint64_t end, uint64_t offset,
                const char *path)
{
    const struct past_mapping mapping = {
        .start = start, .end = end, .offset = offset, .since = map_time};

    space_history_map(history, tgid, &mapping, path);
}

static const struct past_space *find(int32_t tgid, uint64_t time)
{
    return space_history_find(history, tgid, time);
}

static void check_mapping(const struct past_space *space, uint32_t number,
                          uint64_t start, uint64_t end, uint64_t offset,
                          const char *path)
{
    const struct past_mapping *mapping;

    CHECK(space && number < space->count);
    mapping = &space->mappings[number];
    CHECK_EQ(mapping->start, start);
    CHECK_EQ(mapping->end, end);
    CHECK_EQ(mapping->offset, offset);
    CHECK_TEXT(space->text + mapping->path, path);
}

TEST(a_process_forks_and_runs_another_program)
{
    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 1, 100);
    map(10, 0x1000, 0x2000, 0, "/bin/shell");
    space_history_fork(history, 10, 11, 200);
    space_history_exec(history, 11, 210);
    map(11, 0x5000, 0x6000, 0x1000, "/bin/ls");
    space_history_exit(history, 11, 220);
    CHECK(!find(10, 99));
    check_mapping(find(10, 100), 0, 0x1000, 0x2000, 0, "/bin/shell");
    check_mapping(find(10, 500), 0, 0x1000, 0x2000, 0, "/bin/shell");
    CHECK(!find(11, 199));
    check_mapping(find(11, 209), 0, 0x1000, 0x2000, 0, "/bin/shell");
    check_mapping(find(11, 210), 0, 0x5000, 0x6000, 0x1000, "/bin/ls");
    CHECK_EQ(find(11, 219)->count, 1);
    CHECK(!find(11, 220));
    CHECK_EQ(space_history_counts(history).spaces, 3);
    space_history_close(history);
}

TEST(numbers_are_used_again)
{
    history = space_history_open(1 << 20, 1000);
    space_history_fork(history, 1, 10, 100);
    map(10, 0x1000, 0x2000, 0, "first");
    space_history_exit(history, 10, 200);
    space_history_fork(history, 1, 10, 300);
    map(10, 0x1000, 0x2000, 0, "second");
    space_history_fork(history, 1, 10, 400); /* its end was lost */
    map(10, 0x1000, 0x2000, 0, "third");
    check_mapping(find(10, 150), 0, 0x1000, 0x2000, 0, "first");
    CHECK(!find(10, 250));
    check_mapping(find(10, 399), 0, 0x1000, 0x2000, 0, "second");
    check_mapping(find(10, 400), 0, 0x1000, 0x2000, 0, "third");
    space_history_close(history);
}

TEST(a_process_lives_as_long_as_its_threads)
{
    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 2, 100);
    space_history_thread(history, 10, 110);
    space_history_exit(history, 10, 200);
    space_history_exit(history, 10, 210);
    CHECK(find(10, 1000));
    space_history_exit(history, 10, 220);
    CHECK(!find(10, 220));
    space_history_exit(history, 10, 230); /* of nobody */
    space_history_thread(history, 77, 300);
    space_history_close(history);
}

/* A process that is looked at while events of it still wait to be read. */
TEST(what_happened_before_is_passed_over)
{
    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 2, 100);
    map(10, 0x1000, 0x2000, 0, "now");
    space_history_fork(history, 1, 10, 90);
    space_history_thread(history, 10, 95);
    space_history_exec(history, 10, 96);
    map_time = 97;
    map(10, 0x1000, 0x2000, 0, "then");
    map_time = UINT64_MAX - 1;
    space_history_exit(history, 10, 98);
    check_mapping(find(10, 100), 0, 0x1000, 0x2000, 0, "now");
    space_history_exit(history, 10, 101);
    CHECK(find(10, 102));
    space_history_exit(history, 10, 102);
    CHECK(!find(10, 102));
    CHECK_EQ(space_history_counts(history).spaces, 1);
    space_history_close(history);
}

/* Read again with the same code it is the same space, known as of then. */
TEST(a_process_that_is_as_it_was)
{
    struct space_history_counts before;

    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 2, 100);
    map(10, 0x1000, 0x2000, 0, "one");
    space_history_settle(history, 10); /* there is no earlier one */
    before = space_history_counts(history);
    space_history_process(history, 10, 1, 200);
    map(10, 0x1000, 0x2000, 0, "one");
    space_history_settle(history, 10);
    CHECK_EQ(space_history_counts(history).spaces, 1);
    CHECK_EQ(space_history_counts(history).bytes, before.bytes);
    CHECK(find(10, 100) == find(10, 300));
    space_history_exit(history, 10, 199);
    CHECK(find(10, 300));
    space_history_expire(history, 5000);
    CHECK(find(10, 300));
    space_history_exit(history, 10, 210);
    CHECK(find(10, 209) && !find(10, 210));
    space_history_settle(history, 10); /* nor is there any now */
    space_history_close(history);
}

TEST(a_process_that_is_not_as_it_was)
{
    static const char *const paths[] = {"one", "two"};

    history = space_history_open(1 << 20, 1000);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        space_history_process(history, 10, 1, 100 + i);
        map(10, i ? 0x1000 : 0x1800, 0x2000, 0, paths[i / 2]);
        if ( i == 3 )
            map(10, 0x3000, 0x4000, 0, paths[1]);
        space_history_settle(history, 10);
    }
    CHECK_EQ(space_history_counts(history).spaces, 4);
    check_mapping(find(10, 101), 0, 0x1000, 0x2000, 0, "one");
    check_mapping(find(10, 102), 0, 0x1000, 0x2000, 0, "two");
    CHECK_EQ(find(10, 103)->count, 2);
    space_history_close(history);
}

static bool is_ten(int32_t tgid)
{
    return tgid == 10;
}

TEST(who_is_gone_ends)
{
    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 3, 100);
    space_history_process(history, 11, 1, 100);
    for ( unsigned int i = 0; i < PAST_PARTS; i++ )
        space_history_end_gone(history, i, is_ten, 200);
    CHECK(find(10, 199) && !find(10, 200));
    CHECK(find(11, 200));
    space_history_close(history);
}

TEST(mappings_cover_each_other)
{
    const struct past_space *space;

    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 1, 100);
    map(10, 0x5000, 0x9000, 0x100, "a");
    map(10, 0x1000, 0x2000, 0, "b");
    map(10, 0x6000, 0x7000, 0, "c"); /* in the midst of a */
    space = find(10, 100);
    CHECK_EQ(space->count, 4);
    check_mapping(space, 0, 0x1000, 0x2000, 0, "b");
    check_mapping(space, 1, 0x5000, 0x6000, 0x100, "a");
    check_mapping(space, 2, 0x6000, 0x7000, 0, "c");
    check_mapping(space, 3, 0x7000, 0x9000, 0x2100, "a");
    map(10, 0x1800, 0x8000, 0, ""); /* over all of some, and half of others */
    space = find(10, 100);
    CHECK_EQ(space->count, 3);
    check_mapping(space, 0, 0x1000, 0x1800, 0, "b");
    check_mapping(space, 1, 0x1800, 0x8000, 0, "");
    check_mapping(space, 2, 0x8000, 0x9000, 0x3100, "a");
    map(10, 0x3000, 0x3000, 0, "empty");
    map(10, 0x4000, 0x3000, 0, "turned round");
    map(99, 0x3000, 0x4000, 0, "of nobody");
    CHECK_EQ(find(10, 100)->count, 3);
    space_history_close(history);
}

TEST(what_has_ended_is_kept_for_a_while)
{
    history = space_history_open(1 << 20, 1000);
    space_history_process(history, 10, 1, 100);
    space_history_process(history, 11, 1, 100);
    space_history_exit(history, 10, 200);
    space_history_expire(history, 1200);
    CHECK(find(10, 150));
    space_history_expire(history, 1201);
    CHECK(!find(10, 150));
    CHECK(find(11, 150));
    CHECK_EQ(space_history_counts(history).spaces, 1);
    space_history_close(history);
}

/* Processes without end: what ended is forgotten, then what is new is refused,
 * and who was there first is still known. */
TEST(memory_is_bounded)
{
    const size_t room = 64 << 10;
    struct space_history_counts counts;

    history = space_history_open(room, UINT64_MAX / 2);
    space_history_process(history, 1, 1, 1);
    map(1, 0x1000, 0x2000, 0, "/sbin/init");
    for ( int32_t i = 2; i < 5000; i++ )
    {
        space_history_fork(history, 1, i, (uint64_t)i);
        space_history_exit(history, i, (uint64_t)i + 1);
    }
    counts = space_history_counts(history);
    CHECK(counts.bytes <= room);
    CHECK(counts.dropped > 4000);
    CHECK_EQ(counts.refused, 0);
    check_mapping(find(4999, 4999), 0, 0x1000, 0x2000, 0, "/sbin/init");
    for ( int32_t i = 5000; i < 10000; i++ )
        space_history_fork(history, 1, i, 5000);
    for ( uint64_t i = 0; i < 5000; i++ )
        map(1, 0x10000 + i * 0x2000, 0x11000 + i * 0x2000, 0, "/a/b/c");
    counts = space_history_counts(history);
    CHECK(counts.bytes <= room);
    CHECK(counts.refused > 4000);
    check_mapping(find(1, 6000), 0, 0x1000, 0x2000, 0, "/sbin/init");
    space_history_close(history);
}

TEST(mappings_of_a_process_are_bounded)
{
    history = space_history_open(16 << 20, 1000);
    space_history_process(history, 10, 1, 100);
    for ( uint64_t i = 0; i < 2 * PAST_MAPPINGS_MAX; i++ )
        map(10, i * 0x2000, i * 0x2000 + 0x1000, 0, "");
    CHECK(find(10, 100)->count <= PAST_MAPPINGS_MAX);
    CHECK(find(10, 100)->count > PAST_MAPPINGS_MAX - 3);
    /* Ever other files at one place. */
    space_history_process(history, 11, 1, 100);
    for ( unsigned int i = 0; i < 20000; i++ )
    {
        char path[16];

        snprintf(path, sizeof(path), "/tmp/%u", i);
        map(11, 0x1000, 0x2000, 0, path);
    }
    CHECK_EQ(find(11, 100)->count, 1);
    CHECK(space_history_counts(history).bytes < 2 * PAST_TEXT_MAX);
    space_history_close(history);
    space_history_close(NULL);
}

/* There is always room for what is told: the first goes first, but never what
 * is being told. */
TEST(what_is_told_makes_room)
{
    history = space_history_open(4096, 1000);
    for ( int32_t i = 1; i < 1000; i++ )
    {
        space_history_tell(history, i, map_time);
        map(i, 0x1000, 0x2000, 0, "/bin/one");
        check_mapping(find(i, map_time), 0, 0x1000, 0x2000, 0, "/bin/one");
        CHECK(space_history_counts(history).bytes <= 4096);
    }
    CHECK(find(998, map_time));
    CHECK(!find(1, map_time));
    for ( uint64_t i = 0; i < 1000; i++ )
        map(999, 0x2000 * i, 0x2000 * i + 1, 0, "/bin/one");
    CHECK(!find(998, map_time));
    CHECK(find(999, map_time)->count > 10);
    CHECK(space_history_counts(history).refused);
    space_history_close(history);
}

/* What goes on is kept however long it is; what was replaced goes. */
TEST(what_is_told_does_not_end)
{
    history = space_history_open(1 << 20, 1000);
    space_history_tell(history, 1, 100);
    space_history_tell(history, 2, 100);
    space_history_tell(history, 2, 200);
    space_history_expire(history, UINT64_MAX / 2);
    CHECK(find(1, UINT64_MAX / 2) && find(2, UINT64_MAX / 2));
    space_history_tell(history, 1, 300);
    CHECK(find(1, 299) && find(1, 300));
    space_history_expire(history, 1301);
    CHECK(!find(1, 299) && find(1, 300));
    space_history_close(history);
}
