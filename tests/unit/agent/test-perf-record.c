/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in, processes out; and records that are too short for what they say
 * they are. */
#include "agent/perf-record.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "tests/harness.h"

static struct space_history *history;
static uint8_t bytes[256] __attribute__((aligned(8)));
static size_t size;

static void put(const void *from, size_t more)
{
    memcpy(bytes + size, from, more);
    size += more;
}

static void put_32(uint32_t word)
{
    put(&word, sizeof(word));
}

static void put_64(uint64_t word)
{
    put(&word, sizeof(word));
}

static void begin(uint32_t type, uint16_t misc)
{
    const struct perf_event_header head = {.type = type, .misc = misc};

    size = 0;
    put(&head, sizeof(head));
}

static uint64_t add(void)
{
    return perf_record_add(bytes, size, history);
}

static void put_task(uint32_t type, uint32_t pid, uint32_t parent,
                     uint64_t time)
{
    begin(type, 0);
    put_32(pid);
    put_32(parent);
    put_32(pid);
    put_32(parent);
    put_64(time);
    put_64(time);
}

static void put_exec(uint32_t pid, uint16_t misc, uint64_t time)
{
    begin(PERF_RECORD_COMM, misc);
    put_32(pid);
    put_32(pid);
    put("program", 8);
    put_64(time);
}

static void put_map(uint32_t pid, const char *path, size_t length,
                    uint64_t time)
{
    static const uint8_t file[24];

    begin(PERF_RECORD_MMAP2, 0);
    put_32(pid);
    put_32(pid);
    put_64(0x401000);
    put_64(0x2000);
    put_64(0x1000);
    put(file, sizeof(file));
    put_32(5);
    put_32(2);
    put(path, length);
    put_64(time);
}

static const struct past_space *find(int32_t tgid, uint64_t time)
{
    return space_history_find(history, tgid, time);
}

TEST(a_life_in_records)
{
    const struct past_space *space;

    history = space_history_open(1 << 20, 1000);
    put_task(PERF_RECORD_FORK, 20, 10, 100);
    CHECK_EQ(perf_record_time(bytes, size), 100);
    CHECK_EQ(add(), 0);
    put_exec(20, 0, 105); /* only another name */
    add();
    CHECK(find(20, 100) == find(20, 110));
    put_exec(20, PERF_RECORD_MISC_COMM_EXEC, 110);
    add();
    put_map(20, "/bin/program\0\0\0", 16, 111);
    add();
    put_task(PERF_RECORD_FORK, 20, 20, 120); /* a thread */
    add();
    put_task(PERF_RECORD_EXIT, 20, 10, 130);
    add();
    CHECK(find(20, 135));
    put_task(PERF_RECORD_EXIT, 20, 10, 140);
    add();
    CHECK(!find(20, 140));
    CHECK(find(20, 100) != find(20, 110));
    space = find(20, 139);
    CHECK_EQ(space->count, 1);
    CHECK_EQ(space->mappings[0].start, 0x401000);
    CHECK_EQ(space->mappings[0].end, 0x403000);
    CHECK_EQ(space->mappings[0].offset, 0x1000);
    CHECK_EQ(space->mappings[0].since, 111);
    CHECK_TEXT(space->text, "/bin/program");
    space_history_close(history);
}

TEST(lost_records_are_counted)
{
    history = space_history_open(1 << 20, 1000);
    begin(PERF_RECORD_LOST, 0);
    put_64(1);
    put_64(77);
    put_64(100);
    CHECK_EQ(add(), 77);
    size -= 8;
    CHECK_EQ(add(), 0);
    space_history_close(history);
}

/* A record in pieces of memory of each size, eight bytes apart. */
static void add_cuts(void)
{
    for ( size_t cut = sizeof(struct perf_event_header); cut < size; cut += 8 )
    {
        uint8_t *copy = malloc(cut);

        CHECK(copy);
        memcpy(copy, bytes, cut);
        perf_record_time(copy, cut);
        CHECK_EQ(perf_record_add(copy, cut, history), 0);
        free(copy);
    }
}

TEST(records_that_are_too_short)
{
    history = space_history_open(1 << 20, 1000);
    put_task(PERF_RECORD_FORK, 20, 10, 100);
    add_cuts();
    put_task(PERF_RECORD_EXIT, 20, 10, 100);
    add_cuts();
    put_exec(30, PERF_RECORD_MISC_COMM_EXEC, 110);
    add_cuts();
    put_map(20, "/bin/program\0\0\0", 16, 111);
    add_cuts();
    /* A path without an end. */
    space_history_process(history, 20, 1, 1);
    put_map(20, "/bin/program/etc", 16, 111);
    add();
    CHECK_EQ(find(20, 111)->count, 0);
    begin(0xffff, 0);
    put_64(1);
    CHECK_EQ(add(), 0);
    space_history_close(history);
}
