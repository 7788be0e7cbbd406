/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent is told of a process, by a guest's words. */
#include "daemon/agent/agent-known.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness.h"

static uint64_t body[AGENT_MESSAGE_MAX / 8];
static uint32_t sent;
static size_t size;

static void put(const struct agent_file_mapping *mappings, size_t count)
{
    memset(body, 0x5a, sizeof(body));
    size = agent_known_put(7, 5, mappings, count, body, &sent);
    CHECK(size <= AGENT_MESSAGE_MAX - sizeof(struct agent_head));
}

static struct agent_known known(void)
{
    struct agent_known ret;

    memcpy(&ret, body, sizeof(ret));
    return ret;
}

static struct agent_known_mapping mapping(uint32_t i)
{
    struct agent_known_mapping ret;

    memcpy(&ret, (char *)body + sizeof(struct agent_known) + i * sizeof(ret),
           sizeof(ret));
    return ret;
}

static const char *path(uint32_t i)
{
    return (char *)body + sizeof(struct agent_known) +
           sent * sizeof(struct agent_known_mapping) + mapping(i).path;
}

static void check_size(void)
{
    CHECK_EQ(size, sizeof(struct agent_known) +
                       sent * sizeof(struct agent_known_mapping) +
                       known().texts);
    CHECK_EQ(((char *)body)[size - 1], 0);
}

TEST(mappings_with_paths)
{
    const struct agent_file_mapping mappings[] = {
        {0x1000, 0x2000, 0x10, "/bin/prog"},
        {0x2000, 0x3000, 0x20, "/bin/prog"},
        {0x4000, 0x5000, 0, ""},
        {0x6000, 0x7000, 0, "/lib/one.so"},
    };

    put(mappings, 4);
    CHECK_EQ(sent, 4);
    check_size();
    CHECK_EQ(known().since, 5);
    CHECK_EQ(known().tgid, 7);
    CHECK_EQ(known().texts, 1 + 10 + 12);
    CHECK_EQ(mapping(1).start, 0x2000);
    CHECK_EQ(mapping(1).end, 0x3000);
    CHECK_EQ(mapping(1).offset, 0x20);
    CHECK_EQ(mapping(1).unused, 0);
    CHECK_TEXT(path(0), "/bin/prog");
    CHECK_EQ(mapping(0).path, mapping(1).path);
    CHECK_TEXT(path(2), "");
    CHECK_TEXT(path(3), "/lib/one.so");
}

TEST(what_is_left_out)
{
    static char longest[AGENT_PATH_MAX + 1];
    const struct agent_file_mapping mappings[] = {
        {0x2000, 0x2000, 0, "/a"},        {0x2001, 0x2000, 0, "/a"},
        {0x2000, 0x3000, 0, "a"},         {0x2000, 0x3000, 0, "[vdso]"},
        {0x2000, 0x3000, 0, longest + 1}, {0x2000, 0x3000, 0, longest},
    };

    memset(longest, '/', AGENT_PATH_MAX);
    put(mappings, 6);
    CHECK_EQ(sent, 1);
    check_size();
    CHECK_EQ(strlen(path(0)), AGENT_PATH_MAX - 1);
    put(NULL, 0);
    CHECK_EQ(sent, 0);
    check_size();
}

/* More of them, and longer ones, than a message has room for. */
TEST(what_finds_no_room)
{
    static struct agent_file_mapping many[2 * AGENT_MAPPINGS_MAX];
    static char paths[64][AGENT_PATH_MAX];

    for ( uint32_t i = 0; i < 2 * AGENT_MAPPINGS_MAX; i++ )
        many[i] = (struct agent_file_mapping){i, i + 1, 0, "/a"};
    put(many, 2 * AGENT_MAPPINGS_MAX);
    CHECK_EQ(sent, AGENT_MAPPINGS_MAX);
    check_size();
    for ( uint32_t i = 0; i < 64; i++ )
    {
        memset(paths[i], 'x', AGENT_PATH_MAX - 1);
        snprintf(paths[i], 8, "/%06u", i);
        paths[i][7] = 'x';
        many[i].path = paths[i];
    }
    put(many, 2 * AGENT_MAPPINGS_MAX);
    CHECK(sent > 15);
    check_size();
    for ( uint32_t i = 0; i < sent; i++ )
        CHECK(path(i)[0] == '/');
    CHECK_TEXT(path(sent - 1), "/a"); /* shorter ones behind find room */
}
