/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A relay hands messages on, and ends whenever the guest says anything else. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/channel/vchan-messages.h"
#include "base/clock.h"
#include "daemon/relay/process-caller.h"
#include "daemon/relay/relay-process.h"
#include "daemon/relay/relay-rights.h"
#include "tests/harness.h"
#include "tests/unit/agent/channel/xen-kit.h"
#include "tests/unit/cage/process-kit.h"

#define SECOND 1000000000ull
#define NUMBER 0x12345678u

static struct forked_processes forked;
static struct process_maker maker;
static struct agent_caller caller;
static struct vchan_messages guest;
static uint64_t bytes[AGENT_MESSAGE_MAX / 8];
static struct process_work work;

static void serve(void)
{
    strcpy(kit_vchan->word, "8");
    vchan_messages_begin(&guest, kit_vchan_serve());
}

/* A guest with a server, if there is to be one, and nobody who asks it yet. */
static void begin(bool served)
{
    const struct identity identity = {getuid(), getgid()};

    kit_vchan_make();
    kit_vchan->absent = !served;
    if ( served )
        serve();
    relay_rights_user(&identity);
    forked = (struct forked_processes){.act = relay_process_run};
    maker = forking_maker(&forked);
    work = (struct process_work){0};
    maker.work = &work;
    CHECK(agent_relay_caller(&maker, KIT_DOMAIN, &caller));
}

/* Calls until somebody answers.  Returns what is wrong, or NULL and the
 * descriptor. */
static const char *call(int *fd)
{
    uint64_t began = monotonic_now();
    const char *why = NULL;

    while ( (*fd = caller.call(caller.self, &why)) < 0 && !why )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        poll(NULL, 0, 1);
    }
    return why;
}

static void put_head(enum agent_kind kind, uint32_t length, uint32_t number)
{
    const struct agent_head head = {.kind = (uint16_t)kind,
                                    .version = 1,
                                    .length = length,
                                    .number = number};

    memset(bytes, 0x5a, length);
    memcpy(bytes, &head, sizeof(head));
}

static void say_to_guest(int fd, enum agent_kind kind, uint32_t length,
                         uint32_t number)
{
    put_head(kind, length, number);
    CHECK_EQ(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

static void say_to_daemon(enum agent_kind kind, uint32_t length,
                          uint32_t number)
{
    put_head(kind, length, number);
    CHECK_EQ(vchan_messages_put(&guest, bytes, length), 0);
    CHECK_EQ(vchan_messages_flush(&guest), 0);
}

/* The guest hears the next message, which is of that kind. */
static void hear_in_guest(enum agent_kind kind)
{
    uint64_t began = monotonic_now();
    struct agent_head head;
    const void *message;
    int size;

    while ( !(size = vchan_messages_take(&guest, &message)) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        poll(NULL, 0, 1);
    }
    CHECK(size >= (int)sizeof(head));
    memcpy(&head, message, sizeof(head));
    CHECK_EQ(head.kind, kind);
}

/* Returns the size of the daemon's next packet, or 0 if it was hung up on. */
static size_t hear_in_daemon(int fd, struct agent_head *ret)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    ssize_t got;

    CHECK_EQ(poll(&ready, 1, 60000), 1);
    got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    memcpy(ret, bytes, sizeof(*ret));
    return got > 0 ? (size_t)got : 0;
}

static void check_heard(int fd, enum agent_kind kind, size_t size)
{
    struct agent_head head;

    CHECK_EQ(hear_in_daemon(fd, &head), size);
    CHECK_EQ(head.kind, kind);
}

static void check_ended(int fd)
{
    struct agent_head head;

    CHECK_EQ(hear_in_daemon(fd, &head), 0);
}

/* The first message and its answer. */
static int greet(void)
{
    int fd;

    CHECK(!call(&fd));
    say_to_guest(fd, AGENT_HELLO, sizeof(struct agent_head), NUMBER);
    hear_in_guest(AGENT_HELLO);
    say_to_daemon(AGENT_WELCOME, 32, NUMBER);
    check_heard(fd, AGENT_WELCOME, 32);
    return fd;
}

static void end(void)
{
    caller.close(caller.self);
}

TEST(messages_are_handed_on)
{
    uint64_t worked;
    int fd;

    begin(true);
    fd = greet();
    for ( uint32_t i = 1; i < 20; i++ )
    {
        say_to_guest(fd, AGENT_WHERE, 16 + 24 * i, NUMBER + i);
        hear_in_guest(AGENT_WHERE);
        say_to_daemon(AGENT_THERE, AGENT_MESSAGE_MAX / i, NUMBER + i);
        check_heard(fd, AGENT_THERE, AGENT_MESSAGE_MAX / i);
    }
    worked = caller.cpu(caller.self);
    CHECK(worked);
    CHECK_EQ(worked, work.spent);
    /* What it works until its end is counted too, and nothing twice. */
    caller.end(caller.self);
    worked += caller.cpu(caller.self);
    CHECK_EQ(worked, work.spent);
    CHECK_EQ(caller.cpu(caller.self), 0);
    end();
}

TEST(a_domain_without_an_agent)
{
    int fd;

    begin(false);
    CHECK_TEXT(call(&fd), "no opagent answers in this domain");
    caller.end(caller.self);
    /* It may have one later. */
    kit_vchan->absent = false;
    serve();
    greet();
    end();
}

/* What the ring has of a conversation with another daemon. */
TEST(answers_to_others_are_skipped)
{
    const char half[100] = {AGENT_WELCOME};
    int fd;

    begin(true);
    CHECK(!call(&fd));
    say_to_daemon(AGENT_WELCOME, 32, NUMBER - 1);
    say_to_daemon(AGENT_THERE, 5000, NUMBER);
    CHECK_EQ(vchan_rings_write(guest.rings, half, sizeof(half)), sizeof(half));
    say_to_guest(fd, AGENT_HELLO, sizeof(struct agent_head), NUMBER);
    hear_in_guest(AGENT_HELLO);
    say_to_daemon(AGENT_WELCOME, 32, NUMBER);
    check_heard(fd, AGENT_WELCOME, 32);
    end();
}

TEST(what_was_not_asked_for_ends_it)
{
    int fd;

    begin(true);
    fd = greet();
    say_to_daemon(AGENT_THERE, 100, NUMBER + 1);
    check_ended(fd);
    end();
}

TEST(two_answers_to_one_question)
{
    int fd;

    begin(true);
    fd = greet();
    say_to_guest(fd, AGENT_WHERE, 40, NUMBER + 1);
    hear_in_guest(AGENT_WHERE);
    say_to_daemon(AGENT_THERE, 100, NUMBER + 1);
    say_to_daemon(AGENT_THERE, 100, NUMBER + 1);
    check_heard(fd, AGENT_THERE, 100);
    check_ended(fd);
    end();
}

TEST(what_is_no_message_ends_it)
{
    static const uint32_t lengths[] = {0, 15, AGENT_MESSAGE_MAX + 1, ~0u};

    for ( unsigned int i = 0; i < 4; i++ )
    {
        struct agent_head head = {.kind = AGENT_THERE, .length = lengths[i]};
        int fd;

        begin(true);
        fd = greet();
        say_to_guest(fd, AGENT_WHERE, 40, NUMBER + 1);
        hear_in_guest(AGENT_WHERE);
        CHECK_EQ(vchan_rings_write(guest.rings, &head, sizeof(head)),
                 sizeof(head));
        check_ended(fd);
        end();
    }
}

/* A guest that has it look at each byte. */
TEST(pieces_without_end)
{
    const struct agent_head head = {.kind = AGENT_THERE,
                                    .length = AGENT_MESSAGE_MAX};
    uint64_t began = monotonic_now();
    struct pollfd ready = {.events = POLLIN};
    const char *bytes_of_head = (const char *)&head;

    begin(true);
    ready.fd = greet();
    say_to_guest(ready.fd, AGENT_WHERE, 40, NUMBER + 1);
    hear_in_guest(AGENT_WHERE);
    for ( uint32_t i = 0; !poll(&ready, 1, 0); )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        if ( kit_vchan->ring.right.prod ==
             __atomic_load_n(&kit_vchan->ring.right.cons, __ATOMIC_ACQUIRE) )
        {
            CHECK_EQ(vchan_rings_write(guest.rings, bytes_of_head + i % 16, 1),
                     1);
            i++;
        }
        else
            poll(NULL, 0, 1);
    }
    check_ended(ready.fd);
    CHECK(kit_vchan->ring.right.prod < 5000);
    end();
}

static void check_none(void)
{
    int fd;

    CHECK_TEXT(call(&fd), "no opagent answers in this domain");
    CHECK_EQ(kit_vchan->ring.cli_live, 2);
    end();
}

/* A page that was granted for something else is not written to. */
TEST(a_page_of_another_is_left_alone)
{
    begin(true);
    kit_vchan->page[VCHAN_MARK_AT] = 0;
    check_none();
    CHECK(!kit_vchan->joined);
    begin(true);
    kit_vchan->ring.srv_live = 0;
    check_none();
    CHECK(!kit_vchan->joined);
}

/* What a guest may say in xenstore and in its page. */
TEST(a_vchan_that_is_none)
{
    static const char *const words[] = {"9", "", "-8", "8000000000000", "x"};

    for ( unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
    {
        begin(true);
        strcpy(kit_vchan->word, words[i]);
        check_none();
    }
    begin(true);
    kit_vchan->ring.left_order = 12;
    check_none();
    begin(true);
    kit_vchan->ring.right_order = UINT16_MAX;
    check_none();
    begin(true);
    kit_vchan->ring.grants[2 * VCHAN_RING_PAGES - 1]++;
    check_none();
}

/* The agent sees that the daemon is gone; who calls next is answered. */
TEST(who_hangs_up_may_call_again)
{
    begin(true);
    greet();
    caller.end(caller.self);
    vchan_messages_begin(&guest, guest.rings);
    greet();
    end();
}

TEST(a_guest_that_hangs_up)
{
    int fd;

    begin(true);
    fd = greet();
    say_to_guest(fd, AGENT_WHERE, 40, NUMBER + 1);
    hear_in_guest(AGENT_WHERE);
    kit_vchan->ring.srv_live = 0;
    say_to_guest(fd, AGENT_WHERE, 40, NUMBER + 2);
    check_ended(fd);
    end();
}

/* A guest that takes nothing does not keep a relay that nobody talks to. */
TEST(a_daemon_that_hangs_up_meanwhile)
{
    struct ring_shared *ring;
    uint64_t began = monotonic_now();
    int fd;

    begin(true);
    fd = greet();
    ring = &kit_vchan->ring.left;
    ring->prod = ring->cons + sizeof(kit_vchan->left); /* it is full */
    say_to_guest(fd, AGENT_WHERE, 40, NUMBER + 1);
    shutdown(fd, SHUT_RDWR);
    while ( __atomic_load_n(&kit_vchan->ring.cli_live, __ATOMIC_ACQUIRE) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        poll(NULL, 0, 1);
    }
    end();
}
