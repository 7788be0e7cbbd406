/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent that has much to read, or reads no more: played here.  What agents
 * do otherwise is in tests/unit/daemon/guests/. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/agent/agent-link.h"
#include "tests/harness.h"
#include "tests/unit/daemon/guests/clock-kit.h"

#define SECOND 1000000000ull

static int ends[2];
static struct agent_link *played;
static uint64_t message[AGENT_MESSAGE_MAX / 8], reply[AGENT_MESSAGE_MAX / 8];

static int call(void *self, const char **why)
{
    (void)self;
    (void)why;
    return ends[0];
}

static void end(void *self)
{
    (void)self;
}

static uint64_t cpu(void *self)
{
    (void)self;
    return 0;
}

/* Returns the head of the next question. */
static struct agent_head hear(void)
{
    uint64_t began = monotonic_now();
    struct agent_head head;

    while ( recv(ends[1], message, sizeof(message), MSG_DONTWAIT) <= 0 )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        agent_link_work(played);
    }
    memcpy(&head, message, sizeof(head));
    return head;
}

static void answer(struct agent_head head, enum agent_kind kind, uint32_t count,
                   size_t size)
{
    head.kind = (uint16_t)kind;
    head.count = count;
    head.length = (uint32_t)(sizeof(head) + size);
    memcpy(reply, &head, sizeof(head));
    CHECK_EQ(send(ends[1], reply, head.length, 0), head.length);
    agent_link_work(played);
}

/* Answers each question with that, of a file called "/f". */
static void say_all(const struct agent_head *head, enum agent_found found)
{
    const struct agent_answer one = {
        .found = (uint32_t)found, .path = 1, .symbol = 1};
    char *at = (char *)reply + sizeof(*head) + sizeof(struct agent_work);

    CHECK_EQ(head->kind, AGENT_WHERE);
    memset(reply, 0, sizeof(reply));
    for ( uint32_t i = 0; i < head->count; i++, at += sizeof(one) )
        memcpy(at, &one, sizeof(one));
    memcpy(at, "\0/f", 4);
    answer(*head, AGENT_THERE, head->count,
           (size_t)(at + 4 - (char *)reply) - sizeof(*head));
}

static void begin(uint16_t version)
{
    const struct agent_caller caller = {
        .call = call, .end = end, .cpu = cpu, .close = end};
    struct agent_head head;

    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    played = agent_link_open(&caller, 0);
    CHECK(played);
    head = hear();
    CHECK_EQ(head.kind, AGENT_HELLO);
    CHECK_EQ(head.version, AGENT_VERSION);
    head.version = version;
    memset(reply, 0, sizeof(reply));
    answer(head, AGENT_WELCOME, 0, sizeof(struct agent_welcome));
    CHECK_EQ(agent_link_state(played), AGENT_PRESENT);
}

static void clean(void)
{
    agent_link_close(played);
    close(ends[0]);
    close(ends[1]);
}

static void ask(uint32_t first, uint32_t count)
{
    const struct agent_question question = {.tgid = 1};

    for ( uint32_t i = first; i < first + count; i++ )
        CHECK(agent_link_ask(played, &question, i));
}

/* As many as there may be are put off, and none of them is asked at once. */
static void put_all_off(void)
{
    struct agent_name_reply said;
    struct agent_head head;

    for ( uint32_t i = 0; i < AGENT_LATER_MAX; i += AGENT_QUESTIONS_MAX )
    {
        ask(i, AGENT_QUESTIONS_MAX);
        head = hear();
        say_all(&head, AGENT_LATER);
        CHECK(!agent_link_next(played, &said));
    }
    CHECK(!agent_link_can_ask(played) && agent_link_is_away(played));
}

/* What is put off is not lost, and asked again, but not all the time; and each
 * answer finds who asked. */
TEST(questions_that_are_put_off)
{
    bool answered[AGENT_LATER_MAX] = {false};
    struct agent_name_reply said;
    struct agent_head head;
    uint64_t before = monotonic_now();

    begin(AGENT_VERSION);
    put_all_off();
    for ( unsigned int i = 0; i < 10; i++ )
    {
        head = hear(); /* by themselves after a while */
        CHECK_EQ(head.count, AGENT_QUESTIONS_MAX);
        say_all(&head, AGENT_LATER);
        CHECK(!agent_link_next(played, &said));
    }
    CHECK(monotonic_now() - before >= 9 * AGENT_LATER_PAUSE);
    for ( uint32_t i = 0; i < AGENT_LATER_MAX; i++ )
    {
        if ( !(i % AGENT_QUESTIONS_MAX) )
        {
            head = hear();
            CHECK_EQ(head.count, AGENT_QUESTIONS_MAX);
            say_all(&head, AGENT_NAMED);
        }
        CHECK(agent_link_next(played, &said));
        CHECK_EQ(said.found, AGENT_NAMED);
        CHECK(said.id < AGENT_LATER_MAX && !answered[said.id]);
        answered[said.id] = true;
        if ( i % AGENT_QUESTIONS_MAX == AGENT_QUESTIONS_MAX - 1 )
            CHECK(!agent_link_next(played, &said));
    }
    CHECK(!agent_link_is_away(played) && agent_link_can_ask(played));
    CHECK_EQ(agent_link_lies(played), 0);
    clean();
}

/* While something comes of it they wait; nobody waits for ever. */
TEST(questions_that_are_put_off_for_ever)
{
    struct agent_name_reply said;
    struct agent_head head;

    begin(AGENT_VERSION);
    ask(0, 3);
    head = hear();
    say_all(&head, AGENT_LATER);
    CHECK(!agent_link_next(played, &said));
    clock_kit_skip(AGENT_LATER_PATIENCE - SECOND * 20);
    head = hear();
    say_all(&head, AGENT_LATER);
    CHECK(!agent_link_next(played, &said));
    clock_kit_skip(SECOND * 21);
    head = hear();
    CHECK_EQ(head.count, 3);
    say_all(&head, AGENT_LATER);
    for ( uint32_t i = 0; i < 3; i++ )
    {
        CHECK(agent_link_next(played, &said));
        CHECK_EQ(said.id, i);
        CHECK_EQ(said.found, AGENT_LATER);
    }
    CHECK(!agent_link_next(played, &said) && !agent_link_is_away(played));
    clean();
}

/* Nobody waits for an agent that has gone. */
TEST(an_agent_that_goes_and_owes_answers)
{
    struct agent_name_reply said;

    begin(AGENT_VERSION);
    put_all_off();
    close(ends[1]);
    while ( agent_link_state(played) == AGENT_PRESENT )
        agent_link_work(played);
    for ( uint32_t i = 0; i < AGENT_LATER_MAX; i++ )
    {
        CHECK(agent_link_next(played, &said));
        CHECK_EQ(said.found, AGENT_FOUNDS);
    }
    CHECK(!agent_link_next(played, &said) && !agent_link_is_away(played));
    agent_link_close(played);
    close(ends[0]);
}

/* Mappings, which are none of the files' bytes, are asked for meanwhile. */
TEST(rows_that_are_put_off)
{
    const struct agent_rows_question rows = {{.tgid = 1}, 0};
    struct agent_table table = {1, AGENT_TABLE_LATER};
    struct agent_name_reply said;
    struct agent_head head;

    begin(AGENT_VERSION);
    ask(0, 1);
    head = hear();
    say_all(&head, AGENT_LATER);
    CHECK(!agent_link_next(played, &said));
    CHECK(agent_link_ask_rows(played, &rows));
    head = hear();
    CHECK_EQ(head.kind, AGENT_ROWS);
    memcpy((char *)reply + sizeof(head), &table, sizeof(table));
    answer(head, AGENT_TABLE, 0, sizeof(table));
    CHECK(agent_link_reply(played) && agent_link_reply(played)->later);
    CHECK(!agent_link_reply(played)->nothing &&
          !agent_link_reply(played)->size);
    agent_link_take_reply(played);
    CHECK(!agent_link_ask_rows(played, &rows));
    CHECK(agent_link_ask_space(played, &rows.where));
    clean();
}

/* Each once. */
TEST(files_that_are_too_dear)
{
    const struct agent_figures *figures;
    struct agent_name_reply said;
    struct agent_head head;

    begin(AGENT_VERSION);
    ask(0, 2);
    head = hear();
    say_all(&head, AGENT_TOO_DEAR);
    while ( agent_link_next(played, &said) )
        CHECK_EQ(said.found, AGENT_TOO_DEAR);
    figures = agent_link_figures(played);
    CHECK_EQ(figures->found[AGENT_TOO_DEAR], 2);
    CHECK_EQ(figures->dear_count, 1);
    CHECK_TEXT(figures->dear[0], "/f");
    clean();
}

/* Who speaks an older version says none of this. */
TEST(an_older_agent)
{
    struct agent_head head;

    begin(AGENT_VERSION_LATER - 1);
    ask(0, 1);
    head = hear();
    say_all(&head, AGENT_LATER);
    CHECK_EQ(agent_link_lies(played), 1);
    clean();
}
