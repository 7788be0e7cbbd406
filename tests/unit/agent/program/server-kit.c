/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "server-kit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/proc-spaces.h"
#include "agent/program/agent-rights.h"
#include "agent/program/agent-server.h"
#include "agent/program/reader-process.h"
#include "agent/program/user-readers.h"
#include "tests/harness.h"

static char folder[] = "/tmp/xenoprof-agent-XXXXXX";
char kit_agent_socket[sizeof(folder) + 16];
const char *kit_agent_cpus;
int kit_agent_notify = -1;
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
static void be_agent(const char *devices, int ready)
{
    static struct agent_server server;
    static struct vchan_server vchan = {.moves.fd = -1};
    /* One is made, with these rights. */
    static struct space_sweep sweep = {.missed = UINT64_MAX};
    static struct online_cpus cpus;
    static struct keeper keeper;
    static struct user_readers readers;
    struct failure failure = {0};
    bool root = geteuid() == 0;
    const struct identity nobody = {NOBODY, NOBODY};
    const struct keeper_kind kind = {"opagent-keeper", root ? &nobody : NULL,
                                     reader_process_run, keeper_filter};
    const struct process_maker maker = keeper_maker(&keeper);
    const struct file_reader reader = user_readers_open(&readers, &maker);
    struct agent_facts facts = {
        .history = space_history_open(1 << 24, UINT64_MAX / 2),
        .files = file_names_open_for(&reader),
        .jits = jit_names_open(1 << 20),
        .events = perf_events_open(),
        .sweep = &sweep,
        .cpus = kit_agent_cpus ? &cpus : NULL,
    };
    int signals = open_signals();

    if ( kit_agent_cpus )
        online_cpus_open(&cpus, kit_agent_cpus, perf_events_now());
    signal(SIGXFSZ, SIG_IGN); /* as main() does */
    server.notify = kit_agent_notify;
    server.keeper = &keeper;
    if ( keeper_start_as(&keeper, &kind, &failure) )
        _exit(1);
    if ( facts.events )
        proc_spaces_add(facts.history, perf_events_now);
    if ( agent_server_open(&server, kit_agent_socket, root ? NOBODY : geteuid(),
                           &failure) ||
         (devices && vchan_server_open(&vchan, devices, &failure)) ||
         agent_rights_drop(root ? NOBODY : geteuid(), root ? NOBODY : getegid(),
                           vchan.moves.fd, &failure) ||
         write(ready, "", 1) != 1 )
        _exit(1);
    _exit(agent_server_run(&server, &vchan, &facts, signals, &failure));
}

void kit_agent_start(const char *devices)
{
    int ready[2];
    char byte;

    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    CHECK(mkdtemp(folder) && !pipe(ready));
    snprintf(kit_agent_socket, sizeof(kit_agent_socket), "%s/socket", folder);
    agent = fork();
    if ( !agent )
        be_agent(devices, ready[1]);
    CHECK(agent > 0);
    close(ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
}

pid_t kit_agent_keeper(void)
{
    char path[64];
    FILE *file;
    int pid = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)agent,
             (int)agent);
    file = fopen(path, "re");
    if ( file && fscanf(file, "%d", &pid) != 1 )
        pid = 0;
    if ( file )
        fclose(file);
    return pid;
}

int kit_agent_wait(void)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, agent, 0),
                         .events = POLLIN};
    int status;

    if ( poll(&end, 1, 20000) != 1 )
        kill(agent, SIGKILL);
    close(end.fd);
    CHECK_EQ(waitpid(agent, &status, 0), agent);
    CHECK(WIFEXITED(status));
    unlink(kit_agent_socket);
    CHECK(!rmdir(folder));
    return WEXITSTATUS(status);
}

void kit_agent_end(void)
{
    CHECK(!kill(agent, SIGTERM));
    CHECK_EQ(kit_agent_wait(), 0);
}

int kit_agent_call(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, kit_agent_socket);
    CHECK(fd >= 0);
    CHECK(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
    return fd;
}

bool kit_agent_say(int fd, const struct kit_message *message,
                   struct kit_message *reply)
{
    ssize_t got;

    if ( send(fd, message->bytes, message->size, MSG_NOSIGNAL) < 0 )
        return false;
    got = recv(fd, reply->bytes, sizeof(reply->bytes), 0);
    reply->size = got > 0 ? (size_t)got : 0;
    return got > 0;
}

int kit_agent_greet(void)
{
    static struct kit_message message, reply;
    int fd = kit_agent_call();

    kit_hello(&message, AGENT_VERSION);
    CHECK(kit_agent_say(fd, &message, &reply));
    CHECK_EQ(kit_head(&reply).kind, AGENT_WELCOME);
    return fd;
}

void kit_agent_check(int fd)
{
    static struct kit_message message, reply;
    const struct agent_question question = {.time = 1, .tgid = INT32_MAX};

    kit_where(&message, &question, 1);
    CHECK(kit_agent_say(fd, &message, &reply));
    kit_check_there(&reply, 1);
    CHECK_EQ(kit_answer(&reply, 0).found, AGENT_NO_PROCESS);
}
