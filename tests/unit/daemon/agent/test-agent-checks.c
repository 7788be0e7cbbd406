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
    said.head = (struct agent_head){.count = 2, .length = sizeof(said)};
    said.inlined[0] = (struct agent_inlined){.levels = 2, .names = {1, 7}};
    said.inlined[1] = (struct agent_inlined){.later = 1};
    memset(said.texts, 0, sizeof(said.texts));
    memcpy(said.texts, "\0inner\0outer", 13);
}

static bool check_inlined(void)
{
    return agent_check_inlined(&said, &said.head, 2, &reply);
}

TEST(inlined_functions)
{
    begin_inlined();
    CHECK(check_inlined());
    CHECK_EQ(reply.kind, AGENT_INLINES);
    CHECK_EQ(reply.count, 2);
    CHECK_TEXT(reply.texts + reply.inlined[0].names[1], "outer");
    CHECK_EQ(reply.inlined[1].later, 1);
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
