/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent in a guest, with the rights that it has then, asked over a vchan by
 * clients that come, go, are rude or silent, while another asks at its socket.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "agent/program/vchan-server.h"
#include "server-kit.h"
#include "tests/harness.h"
#include "tests/unit/agent/channel/xen-kit.h"

static char devices[] = "/tmp/xenoprof-devices-XXXXXX";
static char gntalloc[sizeof(devices) + 16], xenbus[sizeof(devices) + 16];
static int store = -1;
static struct vchan_messages client;
static struct kit_message message, reply;
static int fd; /* at the socket */

static void make_devices(void)
{
    strcpy(devices + strlen(devices) - 6, "XXXXXX");
    CHECK(mkdtemp(devices));
    snprintf(gntalloc, sizeof(gntalloc), "%s/gntalloc", devices);
    CHECK(!close(open(gntalloc, O_CREAT | O_RDWR | O_CLOEXEC, 0600)));
}

/* A terminal without manners: bytes go both ways. */
static void make_store(void)
{
    struct termios raw;
    int agents_end;

    store = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(store >= 0 && !grantpt(store) && !unlockpt(store));
    snprintf(xenbus, sizeof(xenbus), "%s/xenbus", devices);
    CHECK(!symlink(ptsname(store), xenbus));
    agents_end = open(xenbus, O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(agents_end >= 0 && !tcgetattr(agents_end, &raw));
    cfmakeraw(&raw);
    CHECK(!tcsetattr(agents_end, TCSANOW, &raw));
    /* It stays open: a terminal that nobody has open loses what was sent. */
}

/* What it was asked, which is of this type. */
static void store_hears(uint32_t type, const char *words, uint32_t length)
{
    struct xsd_sockmsg head;
    char text[64];

    CHECK_EQ(read(store, &head, sizeof(head)), sizeof(head));
    CHECK_EQ(head.type, type);
    CHECK_EQ(head.len, length);
    CHECK_EQ(read(store, text, sizeof(text)), length);
    CHECK(!memcmp(text, words, length));
}

/* In two pieces: the second begins at byte cut. */
static void store_sends(uint32_t type, const char *words, uint32_t length,
                        size_t cut)
{
    struct xsd_sockmsg head = {.type = type, .len = length};
    char bytes[sizeof(head) + 64];

    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), words, length);
    CHECK_EQ(write(store, bytes, cut), cut);
    kit_agent_check(fd);
    CHECK_EQ(write(store, bytes + cut, sizeof(head) + length - cut),
             sizeof(head) + length - cut);
}

#define WATCHED "domid\0moved"

static void remove_devices(void)
{
    if ( store >= 0 )
        close(store);
    store = -1;
    unlink(xenbus);
    unlink(gntalloc);
    CHECK(!rmdir(devices));
}

static void setup(void)
{
    make_devices();
    kit_vchan_make();
    kit_agent_start(devices);
    fd = kit_agent_greet();
}

/* The same, with a xenstore, whose end is here. */
static void setup_with_store(void)
{
    make_devices();
    make_store();
    kit_vchan_make();
    kit_agent_start(devices);
    fd = kit_agent_greet();
}

static void clean(void)
{
    kit_agent_check(fd);
    close(fd);
    kit_agent_end();
    remove_devices();
}

static void come(void)
{
    vchan_messages_begin(&client, kit_vchan_connect());
}

/* When the second question is answered, the agent has seen what was before the
 * first one. */
static void leave(void)
{
    kit_vchan_leave();
    kit_agent_check(fd);
    kit_agent_check(fd);
}

/* Nobody gives a sign. */
static void look_later(void)
{
    poll(NULL, 0, 1);
}

/* Returns the size of what comes, or -1 if the agent has hung up. */
static int hear(void)
{
    const void *got;
    int size;

    while ( !(size = vchan_messages_take(&client, &got)) )
        look_later();
    if ( size < 0 )
        return size;
    memcpy(reply.bytes, got, (size_t)size);
    reply.size = (size_t)size;
    return size;
}

static int say(void)
{
    CHECK(!vchan_messages_put(&client, message.bytes, message.size));
    CHECK(!vchan_messages_flush(&client));
    return hear();
}

static void greet(void)
{
    kit_hello(&message, AGENT_VERSION);
    CHECK(say() > 0);
    CHECK_EQ(kit_head(&reply).kind, AGENT_WELCOME);
}

static void make_where(uint32_t count)
{
    static const struct agent_question questions[AGENT_QUESTIONS_MAX];

    kit_where(&message, questions, count);
}

static void ask(void)
{
    make_where(3);
    CHECK(say() > 0);
    kit_check_there(&reply, 3);
}

TEST(questions_over_a_vchan)
{
    setup();
    CHECK_TEXT(kit_vchan->path, AGENT_VCHAN_PATH "/ring-ref");
    CHECK_TEXT(kit_vchan->word, "8");
    CHECK_TEXT(kit_vchan->reader, "n7r0");
    CHECK_EQ(kit_vchan->shared, 1 + 2 * VCHAN_RING_PAGES);
    CHECK(!memcmp(kit_vchan->page + VCHAN_MARK_AT, VCHAN_MARK,
                  sizeof(VCHAN_MARK)));
    come();
    for ( unsigned int i = 0; i < 20; i++ )
    {
        greet();
        ask();
        kit_agent_check(fd);
    }
    clean();
}

TEST(byte_by_byte)
{
    const char *bytes = (const char *)message.bytes;

    setup();
    come();
    greet();
    make_where(3);
    for ( size_t i = 0; i < message.size; i++ )
    {
        CHECK_EQ(vchan_rings_write(client.rings, bytes + i, 1), 1);
        kit_agent_check(fd);
    }
    CHECK(hear() > 0);
    kit_check_there(&reply, 3);
    clean();
}

/* Each begins a conversation of its own, wherever the last one ended. */
TEST(clients_that_come_and_go)
{
    setup();
    for ( unsigned int i = 0; i < 20; i++ )
    {
        come();
        greet();
        ask();
        make_where(3);
        CHECK_EQ(vchan_rings_write(client.rings, message.bytes, 5 * i), 5 * i);
        leave();
    }
    come();
    make_where(1); /* before HELLO */
    CHECK(say() > 0);
    CHECK_EQ(kit_head(&reply).kind, AGENT_REFUSED);
    CHECK_EQ(hear(), -1);
    leave();
    come();
    greet();
    clean();
}

TEST(an_answer_that_nobody_read)
{
    setup();
    come();
    greet();
    make_where(64);
    CHECK(!vchan_messages_put(&client, message.bytes, message.size));
    CHECK(!vchan_messages_flush(&client));
    while ( kit_vchan_ready(client.rings) < 4000 )
        look_later();
    leave();
    come();
    CHECK_EQ(kit_vchan_ready(client.rings), 0);
    greet();
    clean();
}

/* Who is hung up on stays so until it has gone; so does one that comes in its
 * place before that was seen. */
TEST(messages_that_are_none)
{
    static const uint32_t lengths[] = {0, 3, AGENT_MESSAGE_MAX + 1, UINT32_MAX};

    setup();
    for ( unsigned int i = 0; i < 4; i++ )
    {
        struct agent_head head = {.length = lengths[i]};

        come();
        greet();
        CHECK_EQ(vchan_rings_write(client.rings, &head, sizeof(head)),
                 sizeof(head));
        CHECK_EQ(hear(), -1);
        come();
        kit_agent_check(fd);
        kit_agent_check(fd);
        CHECK(!kit_vchan->ring.srv_live);
        leave();
        CHECK(kit_vchan->ring.srv_live);
    }
    come();
    greet();
    clean();
}

/* Who asks and takes no answer stops at some time, costs others nothing, and
 * has all answers if it takes them at last. */
TEST(a_client_that_takes_no_answer)
{
    unsigned int asked = 0;

    setup();
    come();
    greet();
    make_where(AGENT_QUESTIONS_MAX);
    for ( unsigned int i = 0; i < 200; i++ )
    {
        if ( vchan_messages_can_put(&client) )
        {
            CHECK(!vchan_messages_put(&client, message.bytes, message.size));
            asked++;
        }
        CHECK(!vchan_messages_flush(&client));
        kit_agent_check(fd);
    }
    CHECK(asked < 100);
    for ( unsigned int i = 0; i < asked; i++ )
    {
        CHECK(hear() > 0);
        kit_check_there(&reply, AGENT_QUESTIONS_MAX);
        CHECK(!vchan_messages_flush(&client));
    }
    ask();
    leave();
    come();
    greet();
    clean();
}

/* It comes and comes; and has indices that no client would have. */
TEST(a_client_that_is_mad)
{
    setup();
    for ( unsigned int i = 0; i < 100; i++ )
        come();
    kit_agent_check(fd);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        kit_vchan->ring.left.prod = i * 0x10001u;
        kit_vchan->ring.right.cons = i * 0x7654321u;
        come();
        kit_agent_check(fd);
    }
    leave();
    come();
    greet();
    clean();
}

/* A watch fires when it is set, and again in the next domain. */
TEST(a_guest_that_moves)
{
    setup_with_store();
    store_hears(XS_WATCH, WATCHED, sizeof(WATCHED));
    store_sends(XS_WATCH, "OK", 3, 5);
    store_sends(XS_WATCH_EVENT, WATCHED, sizeof(WATCHED), 18);
    for ( size_t i = 1; i < 16; i++ )
        store_sends(XS_WATCH, "OK", 3, i);
    kit_agent_check(fd);
    store_sends(XS_WATCH_EVENT, WATCHED, sizeof(WATCHED), 1);
    CHECK_EQ(kit_agent_wait(), STATUS_FAILED);
    close(fd);
    remove_devices();
}

TEST(a_store_that_says_what_none_says)
{
    static const struct xsd_sockmsg heads[] = {
        {.type = XS_WATCH_EVENT, .len = UINT32_MAX},
        {.type = XS_ERROR, .len = XENSTORE_PAYLOAD_MAX + 1},
        {.type = UINT32_MAX, .len = 0},
    };
    static const char bytes[XENSTORE_PAYLOAD_MAX];

    for ( unsigned int i = 0; i < 3; i++ )
    {
        setup_with_store();
        store_hears(XS_WATCH, WATCHED, sizeof(WATCHED));
        CHECK_EQ(write(store, &heads[i], sizeof(heads[i])), sizeof(heads[i]));
        CHECK(write(store, bytes, sizeof(bytes)) > 0);
        kit_agent_check(fd);
        kit_agent_check(fd);
        clean();
    }
}

TEST(a_vchan_that_cannot_be_made)
{
    static struct vchan_server vchan;
    struct failure failure = {0};

    make_devices();
    kit_vchan_make();
    CHECK_EQ(vchan_server_open(&vchan, "/none", &failure), STATUS_FAILED);
    CHECK(strstr(failure.text, "modprobe"));
    CHECK(!vchan.open);
    kit_vchan->absent = true;
    CHECK_EQ(vchan_server_open(&vchan, devices, &failure), STATUS_FAILED);
    CHECK(strstr(failure.text, "no vchan can be made"));
    CHECK(!vchan.open);
    CHECK_EQ(kit_vchan->shared, 0);
    remove_devices();
}
