/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-kit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness.h"

#define FIRST (sizeof(struct agent_head) + sizeof(struct agent_work))

static const char texts[] = "\0/bin/first\0first\0/bin/second\0second";

static uint64_t message[AGENT_MESSAGE_MAX / 8], reply[AGENT_MESSAGE_MAX / 8];

static void send_reply(int fd, struct agent_head head, enum agent_kind kind,
                       size_t size)
{
    head.kind = (uint16_t)kind;
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

    for ( ;; )
    {
        if ( recv(fd, message, sizeof(message), 0) < (ssize_t)sizeof(head) )
            return;
        memcpy(&head, message, sizeof(head));
        if ( manner == MANNER_OLD )
            send_reply(fd, head, AGENT_REFUSED, sizeof(head));
        else if ( manner != MANNER_DEAF && head.kind == AGENT_HELLO )
        {
            memset(reply, 0, FIRST);
            send_reply(fd, head, AGENT_WELCOME,
                       sizeof(head) + sizeof(struct agent_welcome));
        }
        else if ( manner == MANNER_GOOD )
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
