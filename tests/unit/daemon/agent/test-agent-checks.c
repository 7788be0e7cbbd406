/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings, pieces of tables, inlined functions, and what is none of them. */
#include <string.h>

#include "daemon/agent/agent-checks.h"
#include "tests/harness.h"

static struct {
    struct agent_head head;
    union {
        struct agent_mapping mappings[2];
        struct {
            struct agent_table table;
            uint8_t piece[AGENT_PIECE_MAX + 8];
        } rows;
    } body;
} message;
static struct agent_reply reply;

static bool check_mapped(void)
{
    return agent_check_mapped(&message, &message.head, &reply);
}

static void begin_mapped(void)
{
    message.head = (struct agent_head){.count = 2,
                                       .length = sizeof(message.head) +
                                                 sizeof(message.body.mappings)};
    message.body.mappings[0] = (struct agent_mapping){0x1000, 0x2000, 0, 3};
    message.body.mappings[1] = (struct agent_mapping){0x2000, 0x3000, 0, 0};
}

TEST(mappings)
{
    begin_mapped();
    CHECK(check_mapped());
    CHECK_EQ(reply.kind, AGENT_SPACE);
    CHECK(!reply.nothing);
    CHECK_EQ(reply.count, 2);
    CHECK_EQ(reply.mappings[1].start, 0x2000);
    message.head = (struct agent_head){.length = sizeof(message.head)};
    CHECK(check_mapped());
    CHECK_EQ(reply.count, 0);
}

/* Each breaks another rule. */
TEST(mappings_that_are_none)
{
    begin_mapped();
    message.head.length--;
    CHECK(!check_mapped());
    begin_mapped();
    message.head.count = AGENT_MAPPINGS_MAX + 1;
    CHECK(!check_mapped());
    begin_mapped();
    message.body.mappings[1].start--;
    CHECK(!check_mapped());
    begin_mapped();
    message.body.mappings[0].end = 0x1000;
    CHECK(!check_mapped());
}

/* A piece of so many bytes, from offset on, of a table of size. */
static bool check_piece(uint64_t image, uint64_t size, uint64_t offset,
                        size_t bytes)
{
    message.head = (struct agent_head){
        .length = (uint32_t)(sizeof(message.head) + sizeof(struct agent_table) +
                             bytes)};
    message.body.rows.table = (struct agent_table){image, size};
    return agent_check_table(&message, &message.head, offset, &reply);
}

TEST(pieces)
{
    CHECK(check_piece(3, 100000, 0, AGENT_PIECE_MAX));
    CHECK_EQ(reply.kind, AGENT_ROWS);
    CHECK_EQ(reply.table.image, 3);
    CHECK_EQ(reply.size, AGENT_PIECE_MAX);
    CHECK(reply.piece == message.body.rows.piece);
    CHECK(check_piece(3, 100000, AGENT_PIECE_MAX, 100000 - AGENT_PIECE_MAX));
    CHECK(check_piece(3, 0, 0, 0));
    CHECK(check_piece(0, 0, 0, 0));
    CHECK(check_piece(3, 100, 100, 0));
}

TEST(pieces_that_are_none)
{
    CHECK(!check_piece(3, 100000, 0, AGENT_PIECE_MAX + 8));
    CHECK(!check_piece(3, 100, 0, 99));
    CHECK(!check_piece(3, 100, 0, 0));
    CHECK(!check_piece(3, 100, UINT64_MAX, 1));
    CHECK(!check_piece(0, 100, 0, 100));
    check_piece(3, 0, 0, 0);
    message.head.count = 1;
    CHECK(!agent_check_table(&message, &message.head, 0, &reply));
    message.head.count = 0;
    message.head.length--;
    CHECK(!agent_check_table(&message, &message.head, 0, &reply));
}

static struct {
    struct agent_head head;
    struct agent_inlined inlined[2];
    char texts[16];
} said;

static void begin_inlined(void)
{
    said.head = (struct agent_head){
        .count = 2, .version = AGENT_VERSION, .length = sizeof(said)};
    said.inlined[0] = (struct agent_inlined){
        .levels = 2, .names = {1, 7}, .sources = {{13, 4}, {0, 0}, {13, 9}}};
    said.inlined[1] = (struct agent_inlined){.later = 1};
    memset(said.texts, 0, sizeof(said.texts));
    memcpy(said.texts, "\0inner\0outer\0a", 15);
}

static bool check_inlined(void)
{
    return agent_check_inlined(&said, &said.head, 2, &reply);
}

TEST(inlined_functions)
{
    struct agent_inlined inlined;

    begin_inlined();
    CHECK(check_inlined());
    CHECK_EQ(reply.kind, AGENT_INLINES);
    CHECK_EQ(reply.count, 2);
    inlined = agent_reply_inlined(&reply, 0);
    CHECK_TEXT(reply.texts + inlined.names[1], "outer");
    CHECK_TEXT(reply.texts + inlined.sources[2].path, "a");
    CHECK_EQ(inlined.sources[2].line, 9);
    CHECK_EQ(agent_reply_inlined(&reply, 1).later, 1);
}

/* An agent that knows of no lines says the same in fewer bytes. */
TEST(inlined_functions_without_lines)
{
    static struct {
        struct agent_head head;
        uint8_t inlined[2 * AGENT_INLINED_OLD];
        char texts[16];
    } old;
    struct agent_inlined inlined;

    begin_inlined();
    old.head = said.head;
    old.head.version = AGENT_VERSION_LINES - 1;
    old.head.length = sizeof(old);
    for ( unsigned int i = 0; i < 2; i++ )
        memcpy(old.inlined + i * AGENT_INLINED_OLD, &said.inlined[i],
               AGENT_INLINED_OLD);
    memcpy(old.texts, said.texts, sizeof(old.texts));
    CHECK(agent_check_inlined(&old, &old.head, 2, &reply));
    inlined = agent_reply_inlined(&reply, 0);
    CHECK_TEXT(reply.texts + inlined.names[1], "outer");
    CHECK_EQ(inlined.sources[0].line, 0);
    CHECK_EQ(agent_reply_inlined(&reply, 1).later, 1);
    old.head.version = AGENT_VERSION;
    CHECK(!agent_check_inlined(&old, &old.head, 2, &reply));
}

/* Each breaks another rule. */
TEST(lines_that_are_none)
{
    static const struct agent_source none[] = {{13, 0},
                                               {0, 4},
                                               {13, 1u << 31},
                                               {sizeof(said.texts), 4},
                                               {1u << 31, 4}};

    for ( unsigned int i = 0; i < sizeof(none) / sizeof(none[0]); i++ )
        for ( unsigned int level = 0; level <= 2; level++ )
        {
            begin_inlined();
            said.inlined[0].sources[level] = none[i];
            CHECK(!check_inlined());
        }
    begin_inlined();
    said.inlined[0].sources[3] = none[0]; /* of no level */
    CHECK(check_inlined());
}

/* Each breaks another rule. */
TEST(inlined_functions_that_are_none)
{
    begin_inlined();
    said.head.count = 1;
    CHECK(!check_inlined());
    begin_inlined();
    said.head.length = sizeof(said.head) + sizeof(said.inlined);
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[0].levels = AGENT_LEVELS_MAX + 1;
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[0].later = 1;
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[1].later = 2;
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[0].names[0] = 0;
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[0].names[1] = sizeof(said.texts);
    CHECK(!check_inlined());
    begin_inlined();
    said.inlined[0].names[1] = UINT32_MAX;
    CHECK(!check_inlined());
    begin_inlined();
    said.texts[2] = '\x1b';
    CHECK(!check_inlined());
    begin_inlined();
    memset(said.texts + 7, 'x', sizeof(said.texts) - 7);
    CHECK(!check_inlined());
    CHECK(!agent_check_inlined(&said, &said.head, 3, &reply));
}
