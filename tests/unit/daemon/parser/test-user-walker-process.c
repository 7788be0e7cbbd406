/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the walker of dom0's processes takes, in this process. */
#include <stddef.h>
#include <string.h>

#include "daemon/parser/user-walker-process.h"
#include "rows/row-builder.h"
#include "tests/harness.h"

static struct walker_facts facts;
static uint64_t message[USER_MESSAGE_MAX / 8], answer[USER_MESSAGE_MAX / 8];
static size_t size;
static uint8_t windows[USER_WINDOWS_SIZE];

static bool tell(size_t length)
{
    return walker_facts_take(&facts, message, length, answer, &size);
}

/* A table of a page of code, where the return address is at the stack
 * pointer. */
static void make_table(struct buffer *ret)
{
    const struct row_segment segment = {0x1000, 0x1000, 0x1000};
    const struct row_rule rule = {.kind = RULE_SP, .offset = 1};
    struct row_builder builder;
    struct row_table *table;

    CHECK(row_builder_init(&builder, &segment, 1));
    row_builder_function(&builder, 0x1000, 0x2000);
    row_builder_row(&builder, 0x1000, &rule);
    table = row_builder_make(&builder);
    CHECK(table && row_table_put(table, ret));
    row_table_close(table);
    row_builder_free(&builder);
}

static bool tell_piece(const struct buffer *table, uint64_t number,
                       uint64_t whole, size_t offset, size_t length)
{
    const struct user_piece piece = {{USER_TABLE, 0, number}, whole, offset};

    memcpy(message, &piece, sizeof(piece));
    memcpy((char *)message + sizeof(piece), table->bytes + offset, length);
    return tell(sizeof(piece) + length);
}

/* Says that there are so many mappings, of which so many follow: a page
 * each. */
static bool tell_pages(uint32_t count, const uint64_t *starts, size_t follow)
{
    const struct user_head head = {USER_SPACE, count, 0};
    struct user_piece_mapped mapping = {.offset = 0x1000, .table = 0};

    memcpy(message, &head, sizeof(head));
    for ( size_t i = 0; i < follow; i++ )
    {
        mapping.start = starts[i];
        mapping.end = starts[i] + 0x1000;
        memcpy((char *)message + sizeof(head) + i * sizeof(mapping), &mapping,
               sizeof(mapping));
    }
    return tell(sizeof(head) + follow * sizeof(mapping));
}

static bool tell_space(uint32_t count, uint64_t start)
{
    return tell_pages(count, &start, 1);
}

struct stacks_message {
    struct user_head head;
    struct user_asked stacks[USER_STACKS_TOGETHER + 1];
};

/* Stacks of one word, which is the caller's address, in the last window that
 * there may be. */
static size_t put_stacks(uint32_t count, uint64_t ip, uint64_t caller)
{
    const uint32_t at = USER_WINDOWS_SIZE - sizeof(caller);
    struct stacks_message *asked = (void *)message;

    memcpy(windows + at, &caller, sizeof(caller));
    asked->head = (struct user_head){USER_STACKS, count, 0};
    for ( uint32_t i = 0; i < count; i++ )
        asked->stacks[i] = (struct user_asked){.length = sizeof(caller),
                                               .at = at,
                                               .ip = ip,
                                               .address = 0x7000,
                                               .registers = {.rsp = 0x7000}};
    return offsetof(struct stacks_message, stacks) +
           count * sizeof(asked->stacks[0]);
}

/* Returns the first chain of the answer. */
static const struct user_answered *first_chain(void)
{
    return (const void *)((const char *)answer + sizeof(struct user_head));
}

static const struct user_answered *ask(uint64_t ip, uint64_t caller)
{
    struct user_head head;

    CHECK(tell(put_stacks(1, ip, caller)));
    memcpy(&head, answer, sizeof(head));
    CHECK_EQ(head.kind, USER_CHAINS);
    CHECK_EQ(head.count, 1);
    CHECK_EQ(size, sizeof(head) + sizeof(struct user_answered) +
                       first_chain()->count * 8);
    return first_chain();
}

TEST(a_table_comes_in_pieces)
{
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    CHECK(tell_piece(&table, 0, table.used, 0, 40));
    CHECK(!tell_piece(&table, 0, table.used, 32, 8)); /* not the next one */
    CHECK(!tell_piece(&table, 0, table.used - 8, 40, 8));
    CHECK(tell_piece(&table, 0, table.used, 40, table.used - 40));
    CHECK(!tell_piece(&table, 0, table.used, 0, 40)); /* it has all */
    CHECK(tell_space(1, 0x401000));
    CHECK_EQ(ask(0x401008, 0x401010)->count, 2);
    CHECK_EQ(first_chain()->end, USER_WINDOW);
    CHECK_EQ(ask(0x501008, 0)->count, 1);
    CHECK_EQ(first_chain()->end, USER_OUTSIDE);
    buffer_free(&table);
    walker_facts_free(&facts);
}

/* As [vsyscall] does, which a kernel may list with each process's. */
TEST(a_mapping_of_the_kernel_hides_no_others)
{
    const uint64_t starts[] = {0x401000, 0xffffffffff600000};
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_pages(2, starts, 2));
    CHECK_EQ(ask(0x401008, 0x401010)->count, 2);
    CHECK_EQ(ask(0xffffffffff600008, 0)->end, USER_OUTSIDE);
    buffer_free(&table);
    walker_facts_free(&facts);
}

static bool forget(uint64_t number)
{
    const struct user_head head = {USER_FORGET, 0, number};

    memcpy(message, &head, sizeof(head));
    return tell(sizeof(head));
}

/* Another one may have its number. */
TEST(a_table_that_goes)
{
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_space(1, 0x401000));
    CHECK_EQ(ask(0x401008, 0x401010)->count, 2);
    CHECK(forget(0));
    CHECK(!facts.bytes && !facts.pieces);
    CHECK_EQ(ask(0x401008, 0x401010)->count, 1);
    CHECK_EQ(first_chain()->end, USER_OUTSIDE);
    /* Half told, and never told. */
    CHECK(tell_piece(&table, 0, table.used, 0, 40));
    CHECK(forget(0));
    CHECK(forget(1));
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_space(1, 0x401000));
    CHECK_EQ(ask(0x401008, 0x401010)->count, 2);
    CHECK(!forget(USER_TABLES_MAX));
    buffer_free(&table);
    walker_facts_free(&facts);
}

static void tell_large_space(uint64_t number)
{
    const struct user_head head = {USER_SPACE, AGENT_MAPPINGS_MAX, number};

    memcpy(message, &head, sizeof(head));
    for ( uint64_t i = 0; i < AGENT_MAPPINGS_MAX; i++ )
    {
        const struct user_piece_mapped mapping = {.start = (i + 1) << 12,
                                                  .end = (i + 2) << 12,
                                                  .table = USER_NO_TABLE};

        memcpy((char *)message + sizeof(head) + i * sizeof(mapping), &mapping,
               sizeof(mapping));
    }
    CHECK(tell(sizeof(head) +
               AGENT_MAPPINGS_MAX * sizeof(struct user_piece_mapped)));
}

/* The last one is always there. */
TEST(spaces_are_bounded)
{
    CHECK(walker_facts_init(&facts, windows));
    for ( uint32_t i = 0; i < USER_SPACES_MAX; i++ )
    {
        tell_large_space(i);
        CHECK(facts.pieces <= USER_PIECES_MAX);
        CHECK(facts.spaces[i]);
    }
    walker_facts_free(&facts);
    CHECK(!facts.pieces);
}

/* Stacks in whose window there are so many callers. */
static size_t put_deep(uint32_t stacks, uint32_t callers)
{
    size_t length = put_stacks(stacks, 0x401008, 0);
    struct stacks_message *asked = (void *)message;
    const uint64_t caller = 0x401010;

    for ( uint32_t i = 0; i < callers; i++ )
        memcpy(windows + i * sizeof(caller), &caller, sizeof(caller));
    for ( uint32_t i = 0; i < stacks; i++ )
    {
        asked->stacks[i].at = 0;
        asked->stacks[i].length = callers * sizeof(caller);
    }
    return length;
}

static void check_deep(uint32_t callers, uint32_t count, enum user_end end)
{
    CHECK(tell(put_deep(1, callers)));
    CHECK_EQ(first_chain()->count, count);
    CHECK_EQ(first_chain()->end, end);
    CHECK(first_chain()->exact[0] == 1 && !first_chain()->exact[1]);
}

/* No more than a session may have. */
TEST(chains_that_are_too_deep)
{
    const uint32_t most = USER_ANSWER_FRAMES;
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_space(1, 0x401000));
    check_deep(most - 2, most - 1, USER_WINDOW);
    check_deep(most - 1, most, USER_WINDOW);
    check_deep(most, most, USER_DEEP);
    check_deep(2000, most, USER_DEEP);
    buffer_free(&table);
    walker_facts_free(&facts);
}

/* All that an answer may be fits into it. */
TEST(many_stacks_of_one_message)
{
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_space(1, 0x401000));
    CHECK(tell(put_stacks(USER_STACKS_TOGETHER, 0x401008, 0x401010)));
    CHECK_EQ(size,
             sizeof(struct user_head) +
                 USER_STACKS_TOGETHER * (sizeof(struct user_answered) + 2 * 8));
    CHECK(tell(put_deep(USER_STACKS_TOGETHER, USER_ANSWER_FRAMES)));
    CHECK_EQ(size,
             sizeof(struct user_head) + USER_STACKS_TOGETHER * USER_ANSWER_MAX);
    CHECK(size <= USER_MESSAGE_MAX);
    buffer_free(&table);
    walker_facts_free(&facts);
}

/* Its images have no rows. */
TEST(a_table_that_is_none)
{
    struct buffer table = {0};

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    table.bytes[0]++;
    CHECK(tell_piece(&table, 0, table.used, 0, table.used));
    CHECK(tell_space(1, 0x401000));
    CHECK_EQ(ask(0x401008, 0x401010)->count, 1);
    CHECK_EQ(first_chain()->end, USER_NO_ROW);
    buffer_free(&table);
    walker_facts_free(&facts);
}

TEST(what_is_no_message)
{
    struct buffer table = {0};
    struct stacks_message *asked = (void *)message;
    size_t length;

    CHECK(walker_facts_init(&facts, windows));
    make_table(&table);
    memset(message, 0, sizeof(message));
    CHECK(!tell(sizeof(struct user_head)));
    CHECK(!tell(3));
    CHECK(!tell_piece(&table, USER_TABLES_MAX, table.used, 0, table.used));
    CHECK(!tell_piece(&table, 0, table.used, 0, 0));
    CHECK(!tell_piece(&table, 0, USER_TABLES_SIZE + 1, 0, 8));
    CHECK(!tell_piece(&table, 0, 4, 0, 8));
    CHECK(!tell_space(2, 0x1000));
    length = put_stacks(2, 5, 6);
    CHECK(tell(length));
    CHECK(!tell(length + 8));
    CHECK(!tell(length - 8));
    CHECK(!tell(sizeof(struct user_head)));
    asked->head.count = 1;
    CHECK(!tell(length));
    asked->head.count = 0;
    CHECK(!tell(sizeof(struct user_head)));
    asked->head.count = 2;
    asked->stacks[1].length = 9;
    CHECK(!tell(length));
    asked->stacks[1].length = 8;
    asked->stacks[1].at++;
    CHECK(!tell(length));
    asked->stacks[1].at = UINT32_MAX;
    CHECK(!tell(length));
    asked->stacks[1].at = USER_WINDOWS_SIZE;
    asked->stacks[1].length = 0;
    CHECK(tell(length));
    asked->stacks[1].length = UINT32_MAX;
    CHECK(!tell(length));
    asked->stacks[1].length = 0;
    asked->stacks[1].space = USER_SPACES_MAX;
    CHECK(!tell(length));
    CHECK(!tell(put_stacks(USER_STACKS_TOGETHER + 1, 5, 6)));
    /* Mappings that overlap, or have no end, make a space of none. */
    CHECK(tell_space(1, UINT64_MAX - 0x1000));
    CHECK_EQ(ask(UINT64_MAX - 0x1000, 0)->end, USER_OUTSIDE);
    buffer_free(&table);
    walker_facts_free(&facts);
}
