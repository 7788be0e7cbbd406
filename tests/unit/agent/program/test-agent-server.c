/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent as it runs, with the rights that it has then: asked over its socket
 * about processes that live for a moment, and by clients that behave badly.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/proc-spaces.h"
#include "agent/program/agent-rights.h"
#include "agent/program/agent-server.h"
#include "tests/harness.h"
#include "tests/unit/agent/child-kit.h"
#include "tests/unit/agent/talk-kit.h"

#define NOBODY 65534u

static char folder[] = "/tmp/xenoprof-agent-XXXXXX";
static char path[sizeof(folder) + 16];
static struct kit_message message, reply;
static struct agent_server server;
static pid_t agent;

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Ends with status 0 if all is as it should be. */
static void be_agent(int ready)
{
    struct failure failure = {0};
    bool root = geteuid() == 0;
    struct agent_facts facts = {
        .history = space_history_open(1 << 24, UINT64_MAX / 2),
        .files = file_names_open(1 << 24),
        .jits = jit_names_open(1 << 20),
        .events = perf_events_open(),
    };
    int signals = open_signals();

    if ( facts.events )
        proc_spaces_add(facts.history, perf_events_now);
    if ( agent_server_open(&server, path, root ? NOBODY : geteuid(),
                           &failure) ||
         agent_rights_drop(root ? NOBODY : geteuid(), root ? NOBODY : getegid(),
                           &failure) ||
         write(ready, "", 1) != 1 )
        _exit(1);
    agent_server_run(&server, &facts, signals);
    _exit(0);
}

static void start_agent(void)
{
    int ready[2];
    char byte;

    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    CHECK(mkdtemp(folder) && !pipe(ready));
    snprintf(path, sizeof(path), "%s/socket", folder);
    agent = fork();
    if ( !agent )
        be_agent(ready[1]);
    CHECK(agent > 0);
    close(ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
}

/* It has not crossed its filter, nor crashed. */
static void end_agent(void)
{
    int status;

    CHECK(!kill(agent, SIGTERM));
    CHECK_EQ(waitpid(agent, &status, 0), agent);
    CHECK_EQ(status, 0);
    unlink(path);
    CHECK(!rmdir(folder));
}

static int call(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path);
    CHECK(fd >= 0);
    CHECK(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
    return fd;
}

static bool say(int fd)
{
    ssize_t got;

    if ( send(fd, message.bytes, message.size, MSG_NOSIGNAL) < 0 )
        return false;
    got = recv(fd, reply.bytes, sizeof(reply.bytes), 0);
    reply.size = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static int greet(void)
{
    int fd = call();

    kit_hello(&message, AGENT_VERSION);
    CHECK(say(fd));
    CHECK_EQ(kit_head(&reply).kind, AGENT_WELCOME);
    return fd;
}

static struct agent_answer ask(int fd, pid_t tgid, uint64_t time,
                               const void *address)
{
    const struct agent_question question = {
        .time = time,
        .address = (uint64_t)(uintptr_t)address,
        .tgid = (uint32_t)tgid};

    kit_where(&message, &question, 1);
    CHECK(say(fd));
    kit_check_there(&reply, 1);
    return kit_answer(&reply, 0);
}

__attribute__((noinline)) static void code_of_a_child(void)
{
    for ( ;; )
        pause();
}

/* Returns the size of the table of rows of what is mapped there. */
static uint64_t table_size(int fd, pid_t tgid, uint64_t address)
{
    const struct agent_rows_question question = {
        .where = {.time = perf_events_now(),
                  .address = address,
                  .tgid = (uint32_t)tgid}};

    kit_rows_question(&message, &question);
    CHECK(say(fd));
    CHECK_EQ(kit_head(&reply).kind, AGENT_TABLE);
    kit_check_table(&reply, 0);
    return kit_table(&reply).size;
}

/* With the rights that it has it can make rows of each file of a process. */
TEST(rows_of_a_process)
{
    struct agent_question question = {.time = 0};
    static struct kit_message mapped;
    unsigned int tables = 0;
    pid_t child;
    int fd;

    start_agent();
    fd = greet();
    child = kit_start_child(code_of_a_child);
    question.time = perf_events_now();
    question.tgid = (uint32_t)child;
    kit_space_question(&message, &question);
    CHECK(say(fd));
    CHECK_EQ(kit_head(&reply).kind, AGENT_MAPPED);
    kit_check_mapped(&reply);
    mapped = reply;
    CHECK(kit_head(&mapped).count > 2);
    for ( uint32_t i = 0; i < kit_head(&mapped).count; i++ )
        if ( kit_mapping(&mapped, i).image )
            tables += table_size(fd, child, kit_mapping(&mapped, i).start) > 0;
    CHECK(tables > 1);
    kit_end_child(child);
    close(fd);
    end_agent();
}

TEST(a_process_that_lives_for_a_moment)
{
    struct agent_answer answer;
    uint64_t time;
    pid_t child;
    int fd;

    start_agent();
    fd = greet();
    child = kit_start_child(code_of_a_child);
    time = perf_events_now();
    answer = ask(fd, child, time, (const void *)(uintptr_t)code_of_a_child);
    CHECK_EQ(answer.found, AGENT_NAMED);
    CHECK_TEXT(kit_text(&reply, answer.symbol), "code_of_a_child");
    kit_end_child(child);
    /* By events it is known for a while; by /proc it is gone. */
    answer = ask(fd, child, time, (const void *)(uintptr_t)code_of_a_child);
    CHECK(answer.found == AGENT_NAMED || answer.found == AGENT_NO_PROCESS);
    close(fd);
    end_agent();
}

/* Nonsense ends one conversation; the others go on. */
TEST(clients_that_lie)
{
    int good, bad;

    start_agent();
    good = greet();
    for ( unsigned int i = 0; i < 3 * ASKERS_MAX; i++ )
    {
        bad = call();
        message.size = 1 + i;
        memset(message.bytes, (int)i, message.size);
        CHECK(say(bad));
        CHECK_EQ(kit_head(&reply).kind, AGENT_REFUSED);
        CHECK(!say(bad)); /* it has hung up */
        close(bad);
        CHECK_EQ(ask(good, INT32_MAX, 1, NULL).found, AGENT_NO_PROCESS);
    }
    close(good);
    end_agent();
}

/* Who comes when all places are taken is hung up on; a place that is left is
 * given again. */
TEST(clients_that_are_too_many)
{
    int fds[ASKERS_MAX], more;

    start_agent();
    for ( unsigned int i = 0; i < ASKERS_MAX; i++ )
        fds[i] = greet();
    more = call();
    kit_hello(&message, AGENT_VERSION);
    CHECK(!say(more));
    close(more);
    close(fds[3]);
    CHECK_EQ(ask(fds[0], INT32_MAX, 1, NULL).found, AGENT_NO_PROCESS);
    fds[3] = greet();
    for ( unsigned int i = 0; i < ASKERS_MAX; i++ )
        close(fds[i]);
    end_agent();
}

/* Who asks and never takes an answer is hung up on, and costs nobody else. */
TEST(a_client_that_takes_no_answer)
{
    static const struct agent_question questions[AGENT_QUESTIONS_MAX];
    static struct kit_message flood;
    int good, bad;

    start_agent();
    good = greet();
    bad = greet();
    kit_where(&flood, questions, AGENT_QUESTIONS_MAX);
    while ( send(bad, flood.bytes, flood.size, MSG_NOSIGNAL | MSG_DONTWAIT) >
                0 ||
            errno == EAGAIN )
        CHECK_EQ(ask(good, INT32_MAX, 1, NULL).found, AGENT_NO_PROCESS);
    close(bad);
    close(good);
    end_agent();
}

TEST(an_agent_that_is_there_already)
{
    static struct agent_server other;
    struct failure failure = {0};

    start_agent();
    CHECK_EQ(agent_server_open(&other, path, geteuid(), &failure), STATUS_BUSY);
    CHECK(strstr(failure.text, "another opagent answers"));
    end_agent();
    CHECK_EQ(agent_server_open(&other, "", geteuid(), &failure), STATUS_USAGE);
    CHECK_EQ(
        agent_server_open(&other, "/proc/none/socket", geteuid(), &failure),
        STATUS_FAILED);
}

/* What it must never do ends it: this is asked of the filter itself. */
TEST(what_an_agent_may_not_do)
{
    int file = memfd_create("file", MFD_CLOEXEC);

    for ( unsigned int i = 0; i < 5; i++ )
    {
        struct failure failure = {0};
        int status;
        pid_t child = fork();

        if ( !child )
        {
            if ( agent_rights_drop(geteuid() ? geteuid() : NOBODY,
                                   getegid() ? getegid() : NOBODY, &failure) )
                _exit(1);
            if ( i == 0 )
                execl("/bin/true", "true", NULL);
            if ( i == 1 )
                fclose(fopen("/tmp/xenoprof-must-not-be", "w"));
            if ( i == 2 )
                socket(AF_INET, SOCK_STREAM, 0);
            if ( i == 3 )
                _exit(fork() > 0);
            if ( i == 4 )
                _exit(write(file, "x", 1) > 0);
            _exit(2);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status) &&
              WTERMSIG(status) == (i < 4 ? SIGSYS : SIGXFSZ));
    }
    CHECK(access("/tmp/xenoprof-must-not-be", F_OK));
    close(file);
}
