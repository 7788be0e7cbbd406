/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-kit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "rows/row-builder.h"
#include "tests/harness.h"

#define FIRST (sizeof(struct agent_head) + sizeof(struct agent_work))

static const char texts[] = "\0/bin/first\0first\0/bin/second\0second";

static uint64_t message[AGENT_MESSAGE_MAX / 8], reply[AGENT_MESSAGE_MAX / 8];

/* What agents, which are processes of their own, have heard. */
static struct {
    size_t size;
    char bytes[1 << 20];
} * heard;

/* Returns how long the message is. */
static ssize_t hear(int fd)
{
    ssize_t got = recv(fd, message, sizeof(message), 0);

    if ( got > 0 && heard->size + (size_t)got <= sizeof(heard->bytes) )
    {
        memcpy(heard->bytes + heard->size, message, (size_t)got);
        heard->size += (size_t)got;
    }
    return got;
}

const char *agent_kit_heard(size_t *size)
{
    *size = heard->size;
    return heard->bytes;
}

static agent_kit_change change_answer;

void agent_kit_change_answers(agent_kit_change change)
{
    change_answer = change;
}

static void send_reply(int fd, struct agent_head head, enum agent_kind kind,
                       size_t size)
{
    head.kind = (uint16_t)kind;
    if ( change_answer )
        size = sizeof(head) + change_answer(&head, (char *)reply + sizeof(head),
                                            size - sizeof(head));
    head.length = (uint32_t)size;
    memcpy(reply, &head, sizeof(head));
    if ( send(fd, reply, size, MSG_NOSIGNAL) < 0 )
        _exit(0);
}

static size_t put_answers(uint32_t count)
{
    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_question question;
        struct agent_answer answer = {.address = 0x108, .start = 0x100};

        memcpy(&question,
               (char *)message + sizeof(struct agent_head) +
                   i * sizeof(question),
               sizeof(question));
        answer.path = question.tgid % 2 ? 1 : 18;
        answer.symbol = question.tgid % 2 ? 12 : 30;
        memcpy((char *)reply + FIRST + i * sizeof(answer), &answer,
               sizeof(answer));
    }
    memcpy((char *)reply + FIRST + count * sizeof(struct agent_answer), texts,
           sizeof(texts));
    return FIRST + count * sizeof(struct agent_answer) + sizeof(texts);
}

/* Names of the functions by where they begin; "" has none. */
static size_t put_functions(uint32_t count)
{
    static const char functions[] = "\0/bin/prog\0leaf\0middle\0main";
    static const uint32_t names[] = {11, 16, 23};
    const uint32_t size = sizeof(functions);

    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_question question;
        struct agent_answer answer = {.found = AGENT_NO_MAPPING};
        uint64_t at;

        memcpy(&question,
               (char *)message + sizeof(struct agent_head) +
                   i * sizeof(question),
               sizeof(question));
        at = question.address - KIT_CODE;
        if ( at >= 0x100 && at < 0x400 )
            answer = (struct agent_answer){.address = at,
                                           .start = at & ~0xffull,
                                           .path = 1,
                                           .symbol = names[at / 0x100 - 1]};
        memcpy((char *)reply + FIRST + i * sizeof(answer), &answer,
               sizeof(answer));
    }
    memcpy((char *)reply + FIRST + count * sizeof(struct agent_answer),
           functions, size);
    return FIRST + count * sizeof(struct agent_answer) + size;
}

/* Of processes that it was told of. */
static size_t put_known(uint32_t count)
{
    char *at = (char *)reply + FIRST + count * sizeof(struct agent_answer);
    size_t size = 1;

    *at = 0;
    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_question question;
        struct agent_answer answer = {.found = AGENT_NO_PROCESS};
        const char *path;

        memcpy(&question,
               (char *)message + sizeof(struct agent_head) +
                   i * sizeof(question),
               sizeof(question));
        path = agent_kit_path(&question);
        if ( path )
        {
            answer = (struct agent_answer){.address = question.address,
                                           .start = KIT_CODE,
                                           .path = (uint32_t)size};
            size += (size_t)sprintf(at + size, "%s", path) + 1;
            answer.symbol = (uint32_t)size;
            size += (size_t)sprintf(at + size, "told_%u",
                                    agent_kit_tellings()) +
                    1;
        }
        memcpy((char *)reply + FIRST + i * sizeof(answer), &answer,
               sizeof(answer));
    }
    return FIRST + count * sizeof(struct agent_answer) + size;
}

/* Returns false if it is another question. */
static bool answer_known(int fd, struct agent_head head)
{
    uint32_t count = head.count;

    head.count = 0;
    if ( head.kind == AGENT_KNOW )
    {
        agent_kit_tell(message);
        send_reply(fd, head, AGENT_KNOWN, sizeof(head));
    }
    else if ( head.kind == AGENT_WHERE )
    {
        head.count = count;
        send_reply(fd, head, AGENT_THERE, put_known(count));
    }
    else
        return false;
    return true;
}

/* The process that is asked about. */
static uint32_t asked_of(void)
{
    struct agent_question question;

    memcpy(&question, (char *)message + sizeof(struct agent_head),
           sizeof(question));
    return question.tgid;
}

static uint64_t image_of(enum agent_manner manner)
{
    return manner == MANNER_FILES ? 100 + asked_of() : 7;
}

static size_t put_mappings(struct agent_head *head, uint32_t count,
                           enum agent_manner manner)
{
    head->count = count;
    for ( uint32_t i = 0; i < count; i++ )
    {
        const struct agent_mapping mapping = {
            .start = KIT_CODE + 0x1000 * i,
            .end = KIT_CODE + 0x1000 * (i + 1),
            .image = i ? 0 : image_of(manner)};

        memcpy((char *)reply + sizeof(*head) + i * sizeof(mapping), &mapping,
               sizeof(mapping));
    }
    return sizeof(*head) + count * sizeof(struct agent_mapping);
}

/* leaf has its caller at sp, middle a word above that, main has none. */
static void make_rows(struct buffer *to)
{
    static const struct row_rule rules[] = {{.kind = RULE_SP, .offset = 1},
                                            {.kind = RULE_SP, .offset = 2},
                                            {.kind = RULE_ROOT}};
    const struct row_segment segment = {0, 0, 0x1000};
    struct row_builder builder;
    struct row_table *table;

    if ( !row_builder_init(&builder, &segment, 1) )
        _exit(1);
    for ( uint64_t i = 0; i < 3; i++ )
    {
        row_builder_function(&builder, 0x100 * (i + 1), 0x100 * (i + 2));
        row_builder_row(&builder, 0x100 * (i + 1), &rules[i]);
    }
    table = row_builder_make(&builder);
    if ( !table || !row_table_put(table, to) )
        _exit(1);
    row_table_close(table);
    row_builder_free(&builder);
}

static size_t put_table(struct agent_head *head, enum agent_manner manner)
{
    struct agent_table table = {.image = image_of(manner)};
    struct buffer rows = {0};

    head->count = 0;
    if ( manner == MANNER_MUTE_ROWS )
        _exit(0);
    if ( manner == MANNER_GONE_ROWS && asked_of() == 1 )
        table.image = 0;
    else if ( manner != MANNER_NO_ROWS )
        make_rows(&rows);
    if ( manner == MANNER_BAD_ROWS )
        memset(rows.bytes, 0xff, rows.used);
    table.size = rows.used;
    memcpy((char *)reply + sizeof(*head), &table, sizeof(table));
    if ( rows.used )
        memcpy((char *)reply + sizeof(*head) + sizeof(table), rows.bytes,
               rows.used);
    buffer_free(&rows);
    return sizeof(*head) + sizeof(table) + table.size;
}

static struct agent_inlined inlined_at(uint64_t address,
                                       enum agent_manner manner)
{
    static unsigned int asked;
    struct agent_inlined inlined = {.levels = 0};

    asked++;
    if ( manner == MANNER_NEVER_INLINES ||
         (manner == MANNER_SLOW_INLINES && asked <= 2) )
        inlined.later = 1;
    else if ( manner == MANNER_DEEP_INLINES )
        for ( ; inlined.levels < AGENT_LEVELS_MAX; inlined.levels++ )
            inlined.names[inlined.levels] = 1 + 256 * inlined.levels;
    else if ( manner >= MANNER_INLINES && (address & 0xf00) == 0x200 )
        inlined = (struct agent_inlined){
            .levels = 2,
            .names = {1, 7},
            .sources = {{13, 11}, {0, 0}, {13, 22}}};
    else if ( manner >= MANNER_INLINES && (address & 0xf00) == 0x100 )
        inlined.sources[0] = (struct agent_source){13, 33};
    return inlined;
}

/* Returns how many bytes the texts have. */
static size_t put_inlined_texts(char *to, enum agent_manner manner)
{
    static const char two[] = "\0inner\0outer\0/src/prog.c",
                      evil[] = "\0inn\nr\0outer\0/src/prog.c";
    size_t size = 1;

    if ( manner == MANNER_LIES_INLINES )
    {
        memcpy(to, evil, sizeof(evil));
        return sizeof(evil);
    }
    if ( manner != MANNER_DEEP_INLINES )
    {
        memcpy(to, two, sizeof(two));
        return sizeof(two);
    }
    *to = 0;
    for ( unsigned int i = 0; i < AGENT_LEVELS_MAX; i++, size += 256 )
        snprintf(to + size, 256, "%0255u", i);
    return size;
}

static size_t put_inlined(const struct agent_head *head,
                          enum agent_manner manner)
{
    const uint32_t each = agent_inlined_size(head->version);
    size_t at = sizeof(*head);

    if ( manner == MANNER_ENDS_INLINES )
        _exit(0);
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        struct agent_question question;
        struct agent_inlined inlined;

        memcpy(&question,
               (char *)message + sizeof(*head) + i * sizeof(question),
               sizeof(question));
        inlined = inlined_at(question.address, manner);
        memcpy((char *)reply + at, &inlined, each);
        at += each;
    }
    return at + put_inlined_texts((char *)reply + at, manner);
}

/* Answers of who has stacks. */
static void answer_stacks(int fd, struct agent_head head,
                          enum agent_manner manner)
{
    static unsigned int spaces;
    size_t size;

    if ( head.kind == AGENT_SPACE )
    {
        size = put_mappings(&head,
                            manner == MANNER_MANY    ? AGENT_MAPPINGS_MAX
                            : manner == MANNER_GROWS ? spaces++ > 0
                                                     : 1,
                            manner);
        send_reply(fd, head, AGENT_MAPPED, size);
    }
    else if ( head.kind == AGENT_ROWS )
    {
        size = put_table(&head, manner);
        send_reply(fd, head, AGENT_TABLE, size);
    }
    else if ( head.kind == AGENT_INLINES )
    {
        size = put_inlined(&head, manner);
        send_reply(fd, head, AGENT_INLINED, size);
    }
    else
        send_reply(fd, head, AGENT_THERE, put_functions(head.count));
}

/* Each breaks another rule. */
static void lie(int fd, struct agent_head head, unsigned int which)
{
    size_t size = put_answers(head.count);
    struct agent_answer answer;
    char *first = (char *)reply + FIRST;

    memcpy(&answer, first, sizeof(answer));
    switch ( which )
    {
    case 0: answer.symbol = 1u << 31; break;
    case 1: answer.start = answer.address + 1; break;
    case 2: first[head.count * sizeof(answer) + 13] = '\n'; break;
    case 3: answer.found = AGENT_FOUNDS; break;
    case 4: head.number++; break;
    case 5: head.count++; break;
    case 6:
        first[size - FIRST - 1] = 'x';
        answer.symbol = 30;
        break;
    default: size -= sizeof(texts); break;
    }
    memcpy(first, &answer, sizeof(answer));
    send_reply(fd, head, AGENT_THERE, size);
}

static void answer(int fd, enum agent_manner manner, unsigned int which)
{
    struct agent_head head;
    unsigned int greeted = 0;

    for ( ;; )
    {
        if ( hear(fd) < (ssize_t)sizeof(head) )
            return;
        memcpy(&head, message, sizeof(head));
        if ( manner == MANNER_OLD )
            send_reply(fd, head, AGENT_REFUSED, sizeof(head));
        else if ( manner != MANNER_DEAF && head.kind == AGENT_HELLO )
        {
            const struct agent_welcome welcome = {
                .now = clock_read(CLOCK_MONOTONIC_RAW) + KIT_CLOCK_LEAD,
                .follows = manner == MANNER_TOLD ? AGENT_FOLLOWS_TOLD : 0};

            if ( manner == MANNER_LATE_HELLO && !greeted++ )
                poll(NULL, 0, 50);
            memset(reply, 0, FIRST);
            memcpy((char *)reply + sizeof(head), &welcome, sizeof(welcome));
            if ( manner == MANNER_FIRST_VERSION )
                head.version = 1;
            if ( manner == MANNER_NO_LINES )
                head.version = AGENT_VERSION_LINES - 1;
            send_reply(fd, head, AGENT_WELCOME,
                       sizeof(head) + sizeof(struct agent_welcome));
        }
        else if ( manner == MANNER_TOLD && answer_known(fd, head) )
            continue;
        else if ( manner >= MANNER_STACKS ||
                  (manner == MANNER_GOOD && head.kind == AGENT_INLINES) )
            answer_stacks(fd, head, manner);
        else if ( manner == MANNER_GOOD || manner == MANNER_FIRST_VERSION )
            send_reply(fd, head, AGENT_THERE, put_answers(head.count));
        else if ( manner == MANNER_ENDS )
            _exit(0);
        else if ( manner == MANNER_LIES )
            lie(fd, head, which);
    }
}

static void be_agent(int listener, enum agent_manner manner)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for ( unsigned int which = 0;; which++ )
    {
        int fd = accept(listener, NULL, NULL);

        answer(fd, manner, which);
        close(fd);
    }
}

static void start(struct agent_kit *kit, enum agent_manner manner)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, kit->path);
    CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(address)));
    CHECK(!listen(listener, 4));
    kit->agent = fork();
    if ( !kit->agent )
        be_agent(listener, manner);
    CHECK(kit->agent > 0);
    close(listener);
}

static void stop(struct agent_kit *kit)
{
    kill(kit->agent, SIGKILL);
    CHECK_EQ(waitpid(kit->agent, NULL, 0), kit->agent);
    unlink(kit->path);
}

void agent_kit_begin(struct agent_kit *kit, enum agent_manner manner)
{
    strcpy(kit->folder, "/tmp/xenoprof-agent-XXXXXX");
    CHECK(mkdtemp(kit->folder));
    snprintf(kit->path, sizeof(kit->path), "%.64s/socket", kit->folder);
    setenv("XENOPROF_AGENT", kit->path, 1);
    if ( !heard )
        heard = mmap(NULL, sizeof(*heard), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(heard != MAP_FAILED);
    heard->size = 0;
    start(kit, manner);
}

void agent_kit_restart(struct agent_kit *kit, enum agent_manner manner)
{
    stop(kit);
    start(kit, manner);
}

void agent_kit_end(struct agent_kit *kit)
{
    unsetenv("XENOPROF_AGENT");
    stop(kit);
    CHECK(!rmdir(kit->folder));
}
