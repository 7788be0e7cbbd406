/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client says of a process: all of it, or nothing. */
#include "agent/client-space.h"

#include <string.h>

#include "talk-kit.h"
#include "tests/harness.h"

#define TEXTS "\0/bin/prog\0/lib/../etc/x\0relative"
#define PROG  1
#define UP    11
#define BARE  25

static struct space_history *history;
static struct kit_message message;

static void setup(void)
{
    history = space_history_open(1 << 20, 1000);
    CHECK(history);
}

/* A program and memory of no file; *path is the program's. */
static void make(uint32_t tgid, uint64_t since, uint32_t path)
{
    const struct agent_known_mapping mappings[] = {
        {.start = 0x1000, .end = 0x2000, .offset = 0x100, .path = path},
        {.start = 0x4000, .end = 0x5000},
    };

    kit_tell(&message, tgid, since, mappings, 2, TEXTS, sizeof(TEXTS));
}

static bool take(void)
{
    return client_space_take(history, message.bytes, message.size);
}

static const struct past_space *find(uint64_t time)
{
    return space_history_find(history, 7, time);
}

TEST(what_is_told_is_known)
{
    const struct past_space *space;

    setup();
    make(7, 100, PROG);
    CHECK(take());
    CHECK(!find(99));
    space = find(100);
    CHECK(space && space == find(1u << 30));
    CHECK_EQ(space->count, 2);
    CHECK_EQ(space->mappings[0].offset, 0x100);
    CHECK_TEXT(space->text + space->mappings[0].path, "/bin/prog");
    CHECK_TEXT(space->text + space->mappings[1].path, "");
    space_history_close(history);
}

/* What is said later may be of an earlier time: then the first is void. */
TEST(what_is_told_again)
{
    setup();
    make(7, 100, PROG);
    CHECK(take());
    make(7, 200, UP);
    CHECK(take());
    CHECK_TEXT(find(199)->text + find(199)->mappings[0].path, "/bin/prog");
    CHECK_TEXT(find(200)->text + find(200)->mappings[0].path, "/lib/../etc/x");
    make(7, 150, PROG);
    CHECK(take());
    CHECK_EQ(find(149)->from, 100);
    CHECK_EQ(find(200)->from, 150);
    CHECK_EQ(space_history_counts(history).spaces, 2);
    space_history_close(history);
}

/* Where mappings overlap the last one counts, and what is none is nothing. */
TEST(mappings_that_overlap)
{
    const struct agent_known_mapping mappings[] = {
        {.start = 0x1000, .end = 0x4000, .path = PROG},
        {.start = 0x2000, .end = 0x3000, .offset = 5},
        {.start = 0x9000, .end = 0x8000, .path = PROG},
        {.start = 0x9000, .end = 0x9000, .path = PROG},
        {.start = UINT64_MAX - 1, .end = UINT64_MAX, .offset = UINT64_MAX},
    };

    setup();
    kit_tell(&message, 7, 1, mappings, 5, TEXTS, sizeof(TEXTS));
    CHECK(take());
    CHECK_EQ(find(1)->count, 4);
    CHECK_EQ(find(1)->mappings[1].start, 0x2000);
    CHECK_EQ(find(1)->mappings[2].offset, 0x2000);
    CHECK_EQ(find(1)->mappings[3].end, UINT64_MAX);
    space_history_close(history);
}

static void check_refused(void)
{
    CHECK(!take());
    CHECK_EQ(space_history_counts(history).spaces, 0);
}

static void set_known(uint32_t tgid, uint32_t texts)
{
    const struct agent_known known = {.tgid = tgid, .texts = texts};

    make(7, 1, PROG);
    memcpy((char *)message.bytes + sizeof(struct agent_head), &known,
           sizeof(known));
}

static void set_count(uint32_t count)
{
    struct agent_head head;

    make(7, 1, PROG);
    memcpy(&head, message.bytes, sizeof(head));
    head.count = count;
    memcpy(message.bytes, &head, sizeof(head));
}

TEST(what_is_not_whole)
{
    setup();
    for ( size_t size = 0; size < sizeof(struct agent_head) + 90; size++ )
    {
        make(7, 1, PROG);
        message.size = size;
        check_refused();
    }
    set_known(0, sizeof(TEXTS));
    check_refused();
    set_known((uint32_t)INT32_MAX + 1, sizeof(TEXTS));
    check_refused();
    set_known(7, sizeof(TEXTS) + 1);
    check_refused();
    set_known(7, UINT32_MAX);
    check_refused();
    set_count(1);
    check_refused();
    set_count(UINT32_MAX);
    check_refused();
    space_history_close(history);
}

TEST(paths_that_are_none)
{
    char path[AGENT_PATH_MAX + 1];
    struct agent_known_mapping mapping = {.end = 1};

    setup();
    make(7, 1, BARE); /* it is not absolute */
    check_refused();
    make(7, 1, sizeof(TEXTS)); /* it is beyond the texts */
    check_refused();
    make(7, 1, UINT32_MAX);
    check_refused();
    make(7, 1, PROG);
    ((char *)message.bytes)[message.size - 1] = 'x'; /* it does not end */
    check_refused();
    memset(path, '/', sizeof(path));
    path[AGENT_PATH_MAX] = 0;
    kit_tell(&message, 7, 1, &mapping, 1, path, sizeof(path));
    check_refused();
    path[AGENT_PATH_MAX - 1] = 0;
    kit_tell(&message, 7, 1, &mapping, 1, path, sizeof(path));
    CHECK(take());
    CHECK_EQ(find(1)->count, 1);
    space_history_close(history);
}

TEST(a_process_that_has_nothing_mapped)
{
    setup();
    kit_tell(&message, 7, 1, NULL, 0, "", 1);
    CHECK(take());
    CHECK_EQ(find(1)->count, 0);
    kit_tell(&message, 7, 1, NULL, 0, "", 0);
    CHECK(!take());
    space_history_close(history);
}
