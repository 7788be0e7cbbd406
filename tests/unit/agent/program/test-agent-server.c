/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent as it runs, with the rights that it has then: asked over its socket
 * about processes that live for a moment, and by clients that behave badly.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/program/agent-rights.h"
#include "agent/program/agent-server.h"
#include "server-kit.h"
#include "base/clock.h"
#include "tests/harness.h"
#include "tests/unit/agent/child-kit.h"

/* ns for which an agent may say that it has much to read. */
#define LATER_MAX 60000000000ull

static struct kit_message message, reply;

static bool say(int fd)
{
    return kit_agent_say(fd, &message, &reply);
}

static struct agent_answer ask(int fd, pid_t tgid, uint64_t time,
                               const void *address)
{
    const struct agent_question question = {
        .time = time,
        .address = (uint64_t)(uintptr_t)address,
        .tgid = (uint32_t)tgid};

    struct agent_answer answer;
    uint64_t began = monotonic_now();

    do
    {
        kit_where(&message, &question, 1);
        CHECK(say(fd));
        kit_check_there(&reply, 1);
        answer = kit_answer(&reply, 0);
        CHECK(monotonic_now() - began < LATER_MAX);
    } while ( answer.found == AGENT_LATER );
    return answer;
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

    uint64_t began = monotonic_now();

    do
    {
        kit_rows_question(&message, &question);
        CHECK(say(fd));
        CHECK_EQ(kit_head(&reply).kind, AGENT_TABLE);
        kit_check_table(&reply, 0);
        CHECK(monotonic_now() - began < LATER_MAX);
    } while ( kit_table(&reply).size == AGENT_TABLE_LATER );
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

    kit_agent_start(NULL);
    fd = kit_agent_greet();
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
    kit_agent_end();
}

TEST(a_process_that_lives_for_a_moment)
{
    struct agent_answer answer;
    uint64_t time;
    pid_t child;
    int fd;

    kit_agent_start(NULL);
    fd = kit_agent_greet();
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
    kit_agent_end();
}

/* Nonsense ends one conversation; the others go on. */
TEST(clients_that_lie)
{
    int good, bad;

    kit_agent_start(NULL);
    good = kit_agent_greet();
    for ( unsigned int i = 0; i < 3 * ASKERS_MAX; i++ )
    {
        bad = kit_agent_call();
        message.size = 1 + i;
        memset(message.bytes, (int)i, message.size);
        CHECK(say(bad));
        CHECK_EQ(kit_head(&reply).kind, AGENT_REFUSED);
        CHECK(!say(bad)); /* it has hung up */
        close(bad);
        kit_agent_check(good);
    }
    close(good);
    kit_agent_end();
}

/* The socket is for two users, and says so itself, too. */
TEST(clients_of_another_user)
{
    int good, status;
    pid_t child;

    if ( geteuid() != 0 )
        test_skip("only root can become somebody else");
    kit_agent_start(NULL);
    *strrchr(kit_agent_socket, '/') = 0;
    CHECK(!chmod(kit_agent_socket, 0755));
    kit_agent_socket[strlen(kit_agent_socket)] = '/';
    CHECK(!chmod(kit_agent_socket, 0666));
    good = kit_agent_greet();
    child = fork();
    if ( !child )
    {
        kit_hello(&message, AGENT_VERSION);
        _exit(setuid(NOBODY - 1) ? 2 : say(kit_agent_call()));
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 0);
    kit_agent_check(good);
    close(good);
    kit_agent_end();
}

/* Who comes when all places are taken is hung up on; a place that is left is
 * given again. */
TEST(clients_that_are_too_many)
{
    int fds[ASKERS_MAX], more;

    kit_agent_start(NULL);
    for ( unsigned int i = 0; i < ASKERS_MAX; i++ )
        fds[i] = kit_agent_greet();
    more = kit_agent_call();
    kit_hello(&message, AGENT_VERSION);
    CHECK(!say(more));
    close(more);
    close(fds[3]);
    kit_agent_check(fds[0]);
    fds[3] = kit_agent_greet();
    for ( unsigned int i = 0; i < ASKERS_MAX; i++ )
        close(fds[i]);
    kit_agent_end();
}

/* Who asks and never takes an answer is hung up on, and costs nobody else. */
TEST(a_client_that_takes_no_answer)
{
    static const struct agent_question questions[AGENT_QUESTIONS_MAX];
    static struct kit_message flood;
    int good, bad;

    kit_agent_start(NULL);
    good = kit_agent_greet();
    bad = kit_agent_greet();
    kit_where(&flood, questions, AGENT_QUESTIONS_MAX);
    while ( send(bad, flood.bytes, flood.size, MSG_NOSIGNAL | MSG_DONTWAIT) >
                0 ||
            errno == EAGAIN )
        kit_agent_check(good);
    close(bad);
    close(good);
    kit_agent_end();
}

TEST(an_agent_that_is_there_already)
{
    static struct agent_server other;
    struct failure failure = {0};

    kit_agent_start(NULL);
    CHECK_EQ(agent_server_open(&other, kit_agent_socket, geteuid(), &failure),
             STATUS_BUSY);
    CHECK(strstr(failure.text, "another opagent answers"));
    kit_agent_end();
    CHECK_EQ(agent_server_open(&other, "", geteuid(), &failure), STATUS_USAGE);
    CHECK_EQ(
        agent_server_open(&other, "/proc/none/socket", geteuid(), &failure),
        STATUS_FAILED);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* Only a socket is replaced. */
TEST(files_where_the_socket_should_be)
{
    static struct agent_server server;
    struct failure failure = {0};
    char folder[] = "/tmp/xenoprof-agent-XXXXXX", file[64], link[64];
    struct stat there;

    CHECK(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/passwd", folder);
    snprintf(link, sizeof(link), "%s/link", folder);
    write_text(file, "root\n");
    CHECK(!symlink(file, link));
    CHECK_EQ(agent_server_open(&server, file, geteuid(), &failure),
             STATUS_USAGE);
    CHECK(strstr(failure.text, "is not a socket"));
    CHECK_EQ(agent_server_open(&server, link, geteuid(), &failure),
             STATUS_USAGE);
    CHECK_EQ(agent_server_open(&server, folder, geteuid(), &failure),
             STATUS_USAGE);
    CHECK(!stat(file, &there) && there.st_size == 5 && !lstat(link, &there));
    unlink(file);
    unlink(link);
    CHECK(!rmdir(folder));
}

/* As that of one that was killed. */
TEST(a_socket_that_is_left)
{
    static struct agent_server server;
    struct failure failure = {0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[] = "/tmp/xenoprof-left-XXXXXX";
    int left = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    CHECK(left >= 0 && !close(mkstemp(path)) && !unlink(path));
    strcpy(address.sun_path, path);
    CHECK(!bind(left, (struct sockaddr *)&address, sizeof(address)));
    close(left);
    CHECK_EQ(agent_server_open(&server, path, geteuid(), &failure), 0);
    close(server.listener);
    close(server.epoll);
    unlink(path);
}

/* Others than when it began: it is to be started again. */
TEST(processors_that_come)
{
    char path[] = "/tmp/xenoprof-online-XXXXXX";
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    write_text(path, "0-1\n");
    kit_agent_cpus = path;
    kit_agent_start(NULL);
    kit_agent_cpus = NULL;
    fd = kit_agent_greet();
    kit_agent_check(fd);
    write_text(path, "0-1,3\n");
    CHECK_EQ(kit_agent_wait(), STATUS_FAILED);
    close(fd);
    unlink(path);
}

/* Where it is put into the code of who calls it. */
__attribute__((always_inline)) static inline uint64_t inlined_here(void)
{
    uint64_t here;

    __asm__ volatile("lea 0(%%rip), %0; nop" : "=r"(here));
    return here;
}

/* Debug information is read with the rights that it has then. */
TEST(inlined_functions_within_the_filter)
{
    struct agent_question question = {.address = inlined_here(),
                                      .tgid = (uint32_t)getpid()};
    static struct kit_message message, reply;
    uint32_t levels;
    int fd;

    kit_agent_start(NULL);
    fd = kit_agent_greet();
    question.time = clock_read(CLOCK_MONOTONIC_RAW);
    do
    {
        kit_inlines(&message, &question, 1);
        CHECK(kit_agent_say(fd, &message, &reply));
        CHECK_EQ(kit_head(&reply).kind, AGENT_INLINED);
        kit_check_inlined(&reply, 1);
    } while ( kit_inlined(&reply, 0).later );
    levels = kit_inlined(&reply, 0).levels;
    if ( levels )
        CHECK_TEXT(kit_inlined_name(&reply, 0, 0), "inlined_here");
    kit_agent_check(fd);
    close(fd);
    kit_agent_end();
    if ( !levels )
        test_skip("this program has no debug information");
}

/* What it must never do ends it: this is asked of the filter itself. */
TEST(what_an_agent_may_not_do)
{
    int file = memfd_create("file", MFD_CLOEXEC), store[2];

    CHECK(!pipe(store));
    for ( unsigned int i = 0; i < 8; i++ )
    {
        struct failure failure = {0};
        int status;
        pid_t child = fork();

        if ( !child )
        {
            if ( agent_rights_drop(geteuid() ? geteuid() : NOBODY,
                                   getegid() ? getegid() : NOBODY, store[1],
                                   &failure) )
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
            if ( i == 5 )
                ioctl(file, FIONREAD, &status);
            if ( i == 6 )
                _exit(write(store[1], "x", 1) > 0);
            if ( i == 7 )
                _exit(fcntl(store[1], F_DUPFD_CLOEXEC, 100) > 0);
            _exit(2);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status) &&
              WTERMSIG(status) == (i == 4 ? SIGXFSZ : SIGSYS));
    }
    CHECK(access("/tmp/xenoprof-must-not-be", F_OK));
    close(file);
    close(store[0]);
    close(store[1]);
}

/* systemd ends an agent that does not say that it lives. */
TEST(it_says_that_it_lives)
{
    const char *const wanted[] = {"READY=1", "WATCHDOG=1", "WATCHDOG=1"};
    const struct timeval patience = {.tv_sec = 60};
    uint64_t began = monotonic_now();
    char text[32];
    int ends[2];

    CHECK(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends));
    CHECK(!setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience,
                      sizeof(patience)));
    kit_agent_notify = ends[1];
    kit_agent_start(NULL);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        ssize_t got = recv(ends[0], text, sizeof(text) - 1, 0);

        CHECK(got > 0);
        text[got] = 0;
        CHECK_TEXT(text, wanted[i]);
    }
    CHECK(monotonic_now() - began > 900000000ull);
    kit_agent_end();
    kit_agent_notify = -1;
    close(ends[0]);
    close(ends[1]);
}

/* Without processes no file is read, and only root can make what makes them. */
TEST(an_agent_whose_keeper_ends)
{
    pid_t keeper;

    kit_agent_start(NULL);
    keeper = kit_agent_keeper();
    if ( !keeper )
    {
        kit_agent_end();
        test_skip("the kernel does not say which children a process has");
    }
    CHECK(!kill(keeper, SIGKILL));
    CHECK_EQ(kit_agent_wait(), STATUS_FAILED);
}
