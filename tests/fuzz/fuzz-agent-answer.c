/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of messages from an agent, lying ones too: what is taken of them is
 * sound, and each question has one answer. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/agent/agent-link.h"
#include "daemon/agent/agent-socket.h"
#include "fuzz.h"

#define QUESTIONS 3u

static char folder[] = "/tmp/xenoprof-fuzz-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listener = -1;

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

/* Takes the next message of the link's.  Returns its number, or 0. */
static uint32_t hear(int fd)
{
    static uint8_t bytes[AGENT_MESSAGE_MAX];
    struct agent_head head = {.number = 0};

    if ( recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) >= (ssize_t)sizeof(head) )
        memcpy(&head, bytes, sizeof(head));
    return head.number;
}

static uint32_t take_all(struct agent_link *link)
{
    struct agent_said said;
    uint32_t taken = 0;

    while ( agent_link_next(link, &said) )
    {
        FUZZ_CHECK(said.id == 40 + taken++);
        FUZZ_CHECK(said.found <= AGENT_FOUNDS && said.start <= said.address);
        FUZZ_CHECK(strlen(said.path) < AGENT_TEXT_MAX &&
                   strlen(said.symbol) < AGENT_TEXT_MAX);
        for ( const char *at = said.symbol; *at; at++ )
            FUZZ_CHECK(*at >= ' ' && *at <= '~');
    }
    return taken;
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

static void take_facts(struct agent_link *link)
{
    const struct agent_told *told = agent_link_told(link);
    uint64_t end = 0;

    if ( !told )
        return;
    for ( uint32_t i = 0;
          told->kind == AGENT_INLINES && !told->nothing && i < told->count;
          i++ )
        for ( uint32_t k = 0; k < told->inlined[i].levels; k++ )
            FUZZ_CHECK(*(told->texts + told->inlined[i].names[k]) >= ' ');
    for ( uint32_t i = 0;
          told->kind == AGENT_SPACE && !told->nothing && i < told->count; i++ )
    {
        FUZZ_CHECK(told->mappings[i].start >= end &&
                   told->mappings[i].end > told->mappings[i].start);
        end = told->mappings[i].end;
    }
    FUZZ_CHECK(told->size <= told->table.size);
    agent_link_take_told(link);
}

static bool ask(struct agent_link *link)
{
    const struct agent_question question = {.tgid = 1};

    if ( !agent_link_can_ask(link) )
        return false;
    for ( uint32_t i = 0; i < QUESTIONS; i++ )
        FUZZ_CHECK(agent_link_ask(link, &question, 40 + i));
    return true;
}

/* Each message has its length before it, of two bytes; its number is put right
 * if the message leaves room for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[AGENT_MESSAGE_MAX];
    struct agent_caller caller;
    struct agent_link *link;
    uint32_t asked = 0, taken = 0;
    int fd;

    if ( listener < 0 )
        setup();
    FUZZ_CHECK(agent_socket_caller(address.sun_path, &caller));
    caller.other_clock = true;
    caller.may_be_told = true;
    link = agent_link_open(&caller, 0);
    FUZZ_CHECK(link);
    agent_link_work(link);
    fd = accept(listener, NULL, NULL);
    while ( size >= 2 && agent_link_fd(link) >= 0 )
    {
        size_t length = data[0] | (size_t)data[1] << 8;
        uint32_t number;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        memcpy(bytes, data, length);
        if ( !ask_facts(link, length) )
            asked += ask(link) ? QUESTIONS : 0;
        agent_link_work(link);
        number = hear(fd);
        if ( number && length >= 12 )
            memcpy(bytes + 8, &number, 4);
        if ( length && send(fd, bytes, length, MSG_NOSIGNAL) < 0 )
            break;
        agent_link_work(link);
        taken += take_all(link);
        take_facts(link);
        data += length;
        size -= length;
    }
    close(fd);
    agent_link_work(link);
    take_facts(link);
    agent_link_work(link);
    taken += take_all(link);
    FUZZ_CHECK(asked == taken);
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
    } said = {.inlined = {.levels = 2, .names = {1, 7}},
              .texts = "\0inner\0outer"};
    size_t size = put(bytes, AGENT_WELCOME, 0, &welcome, sizeof(welcome));

    return size + put(bytes + size, AGENT_INLINED, 1, &said,
                      sizeof(said.inlined) + sizeof(said.texts));
}

/* One that is told of a process. */
static size_t seed_known(uint8_t *bytes)
{
    const struct agent_welcome welcome = {.follows = AGENT_FOLLOWS_TOLD};
    size_t size = put(bytes, AGENT_WELCOME, 0, &welcome, sizeof(welcome));

    return size + put(bytes + size, AGENT_KNOWN, 0, "", 0);
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
    if ( number > 3 )
        return 0;
    size += put(bytes + size, AGENT_THERE, QUESTIONS, &there, sizeof(there));
    if ( number )
        return size - 20;
    return size +
           put(bytes + size, AGENT_THERE, QUESTIONS, &there, sizeof(there));
}
