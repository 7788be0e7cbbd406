/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of messages from an agent, lying and late ones too: what is taken of
 * them is sound, and each question has one answer. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/agent/agent-link.h"
#include "daemon/agent/agent-socket.h"
#include "fuzz.h"
#include "tests/unit/daemon/guests/clock-kit.h"

#define QUESTIONS 3u

/* A length from this on is none: so many steps of time pass. */
#define TIME_PASSES 0xff00u
#define TIME_STEP   50000000ull

/* What a row of messages can ask. */
#define ASKED_MAX (FUZZ_MAX / 2 * QUESTIONS)

struct talk {
    int fd;          /* the agent's end */
    uint32_t number; /* of what it heard last */
    uint32_t asked, answered;
};

static char folder[] = "/tmp/xenoprof-fuzz-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listener = -1;
static bool has_answer[ASKED_MAX];

static void clean(void)
{
    unlink(address.sun_path);
    rmdir(folder);
}

static void setup(void)
{
    FUZZ_CHECK(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    FUZZ_CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
               !listen(listener, 4));
    atexit(clean);
}

/* The agent takes the next message of the link's, if there is one. */
static void hear(struct talk *talk)
{
    static uint8_t bytes[AGENT_MESSAGE_MAX];
    struct agent_head head;

    if ( recv(talk->fd, bytes, sizeof(bytes), MSG_DONTWAIT) <
         (ssize_t)sizeof(head) )
        return;
    memcpy(&head, bytes, sizeof(head));
    talk->number = head.number;
}

static void take_all(struct agent_link *link, struct talk *talk)
{
    struct agent_name_reply named;

    while ( agent_link_next(link, &named) )
    {
        FUZZ_CHECK(named.id < talk->asked && !has_answer[named.id]);
        has_answer[named.id] = true;
        talk->answered++;
        FUZZ_CHECK(named.found <= AGENT_FOUNDS && named.start <= named.address);
        FUZZ_CHECK(strlen(named.path) < AGENT_TEXT_MAX &&
                   strlen(named.symbol) < AGENT_TEXT_MAX);
        for ( const char *at = named.symbol; *at; at++ )
            FUZZ_CHECK(*at >= ' ' && *at <= '~');
    }
}

/* Returns whether it asks for mappings or rows, or tells of a process, and does
 * not ask for names. */
static bool ask_facts(struct agent_link *link, size_t which)
{
    const struct agent_rows_question rows = {.where = {.tgid = 1}};
    const struct agent_file_mapping mapping = {1, 2, 0, "/a"};

    return which % 32 == 16 ? agent_link_know(link, 1, 5, &mapping, 1)
           : which % 8 == 5 ? agent_link_ask_inlines(link, &rows.where, 1)
           : which % 4 == 1 ? agent_link_ask_space(link, &rows.where)
           : which % 4 == 3 ? agent_link_ask_rows(link, &rows)
                            : false;
}

static void check_inlined(const struct agent_reply *reply, uint32_t index)
{
    const struct agent_inlined inlined = agent_reply_inlined(reply, index);

    for ( uint32_t i = 0; i < inlined.levels; i++ )
        FUZZ_CHECK(*(reply->texts + inlined.names[i]) >= ' ');
    for ( uint32_t i = 0; i <= inlined.levels; i++ )
        FUZZ_CHECK(strlen(reply->texts + inlined.sources[i].path) <
                       AGENT_TEXT_MAX &&
                   inlined.sources[i].line <= INT32_MAX);
}

static void take_facts(struct agent_link *link)
{
    const struct agent_reply *reply = agent_link_reply(link);
    uint64_t end = 0;

    if ( !reply )
        return;
    for ( uint32_t i = 0;
          reply->kind == AGENT_INLINES && !reply->nothing && i < reply->count;
          i++ )
        check_inlined(reply, i);
    for ( uint32_t i = 0;
          reply->kind == AGENT_SPACE && !reply->nothing && i < reply->count;
          i++ )
    {
        FUZZ_CHECK(reply->mappings[i].start >= end &&
                   reply->mappings[i].end > reply->mappings[i].start);
        end = reply->mappings[i].end;
    }
    FUZZ_CHECK(reply->size <= reply->table.size);
    agent_link_take_reply(link);
}

static void ask(struct agent_link *link, struct talk *talk)
{
    const struct agent_question question = {.tgid = 1};

    for ( uint32_t i = 0; i < QUESTIONS && agent_link_can_ask(link); i++ )
    {
        FUZZ_CHECK(talk->asked < ASKED_MAX);
        has_answer[talk->asked] = false;
        FUZZ_CHECK(agent_link_ask(link, &question, talk->asked++));
    }
}

/* Asks, and has the agent say a message of this length, which may be none: its
 * number is put right if there is room for it.  Returns false if nobody hears
 * it. */
static bool say(struct agent_link *link, struct talk *talk,
                const uint8_t *message, size_t length)
{
    static uint8_t bytes[AGENT_MESSAGE_MAX];

    memcpy(bytes, message, length);
    if ( !ask_facts(link, length) )
        ask(link, talk);
    agent_link_work(link);
    hear(talk);
    if ( talk->number && length >= 12 )
        memcpy(bytes + 8, &talk->number, 4);
    return !length || send(talk->fd, bytes, length, MSG_NOSIGNAL) >= 0;
}

static void take(struct agent_link *link, struct talk *talk)
{
    agent_link_work(link);
    take_all(link, talk);
    take_facts(link);
}

/* Each message has its length before it, of two bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct agent_caller caller;
    struct agent_link *link;
    struct talk talk = {.number = 0};

    if ( listener < 0 )
        setup();
    FUZZ_CHECK(agent_socket_caller(address.sun_path, &caller));
    caller.other_clock = true;
    caller.may_follow_us = true;
    link = agent_link_open(&caller, 0);
    FUZZ_CHECK(link);
    agent_link_work(link);
    talk.fd = accept(listener, NULL, NULL);
    while ( size >= 2 && agent_link_fd(link) >= 0 )
    {
        size_t length = data[0] | (size_t)data[1] << 8;

        data += 2;
        size -= 2;
        if ( length >= TIME_PASSES )
            clock_kit_skip((length - TIME_PASSES) * TIME_STEP);
        length = length >= TIME_PASSES ? 0 : length < size ? length : size;
        if ( !say(link, &talk, data, length) )
            break;
        take(link, &talk);
        data += length;
        size -= length;
    }
    close(talk.fd);
    take(link, &talk);
    take(link, &talk);
    FUZZ_CHECK(talk.asked == talk.answered);
    agent_link_close(link);
    return 0;
}

static size_t put(uint8_t *to, uint16_t kind, uint32_t count, const void *body,
                  size_t size)
{
    const struct agent_head head = {
        .kind = kind,
        .version = AGENT_VERSION,
        .length = (uint32_t)(sizeof(head) + size),
        .count = count,
    };

    to[0] = (uint8_t)head.length;
    to[1] = (uint8_t)(head.length >> 8);
    memcpy(to + 2, &head, sizeof(head));
    memcpy(to + 2 + sizeof(head), body, size);
    return 2 + head.length;
}

/* A welcome, and what was inlined: with a text that makes it of a length that
 * has it asked for. */
static size_t seed_inlined(uint8_t *bytes)
{
    const struct agent_welcome welcome = {.now = 5};
    struct {
        struct agent_inlined inlined;
        char texts[29];
    } named = {.inlined = {.levels = 2,
                           .names = {1, 7},
                           .sources = {{13, 4}, {0, 0}, {13, 9}}},
               .texts = "\0inner\0outer\0/a.c"};
    size_t size = put(bytes, AGENT_WELCOME, 0, &welcome, sizeof(welcome));

    return size + put(bytes + size, AGENT_INLINED, 1, &named,
                      sizeof(named.inlined) + sizeof(named.texts));
}

/* One that is told of a process. */
static size_t seed_known(uint8_t *bytes)
{
    const struct agent_welcome welcome = {.follows = AGENT_FOLLOWS_TOLD};
    size_t size = put(bytes, AGENT_WELCOME, 0, &welcome, sizeof(welcome));

    return size + put(bytes + size, AGENT_KNOWN, 0, "", 0);
}

static size_t pass_time(uint8_t *bytes, uint8_t steps)
{
    bytes[0] = steps;
    bytes[1] = TIME_PASSES >> 8;
    return 2;
}

/* A welcome so late that the clocks are looked at again; questions gather until
 * that is answered, which it is not in time. */
static size_t seed_late(uint8_t *bytes)
{
    const struct agent_welcome welcome = {.now = 5};
    size_t size = pass_time(bytes, 1);

    size += put(bytes + size, AGENT_WELCOME, 0, &welcome, sizeof(welcome));
    for ( uint32_t i = 0; i <= AGENT_QUESTIONS_MAX / QUESTIONS; i++ )
        size += pass_time(bytes + size, 0);
    return size + pass_time(bytes + size, 220);
}

/* A conversation of a welcome and two answers; one that ends early. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct agent_welcome welcome = {.now = 5};
    struct {
        struct agent_work work;
        struct agent_answer answers[QUESTIONS];
        char texts[16];
    } there = {.texts = "\0/a\0main\0b+0x1"};
    size_t size = put(bytes, AGENT_WELCOME, 0, &welcome, sizeof(welcome));

    for ( uint32_t i = 0; i < QUESTIONS; i++ )
        there.answers[i] = (struct agent_answer){
            .address = 9, .start = i, .found = i, .path = 1, .symbol = 4};
    if ( number == 2 )
        return seed_inlined(bytes);
    if ( number == 3 )
        return seed_known(bytes);
    if ( number == 4 )
        return seed_late(bytes);
    if ( number > 4 )
        return 0;
    size += put(bytes + size, AGENT_THERE, QUESTIONS, &there, sizeof(there));
    if ( number )
        return size - 20;
    return size +
           put(bytes + size, AGENT_THERE, QUESTIONS, &there, sizeof(there));
}
