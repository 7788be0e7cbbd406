/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What opagent takes on a machine with many processes: time from its start to
 * its first answer and its first name, CPU time while nobody asks and while a
 * session does, for lines of source, and memory.  Fails beyond the bounds.
 *
 *   bench/agent-cost [OPAGENT [SECONDS]]
 *
 * The processes sleep; each tenth has a hundred pieces of code mapped, the
 * others what this program has.  While a session asks, ten processes a second
 * come and go, and each of its samples, 97 a second, is at an address of which
 * it has not asked yet.  A session asks less, since it keeps what it was told.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/agent/talk-kit.h"

#define STARTS       5u
#define MAPPED_EACH  10u
#define PIECES       100u
#define PIECE        4096u
#define ASKS         10u /* messages of names in a second */
#define NAMES        97u /* in these */
#define MESSAGES     200u
#define LINED        42u    /* bytes of a function that are asked about */
#define WAIT_MAX     10000u /* ms for a start */
#define BOUND_NAME   2000.0
#define BOUND_ANSWER 200.0
#define BOUND_CPU    1.0
#define BOUND_MIB    40.0

static struct kit_message message, reply;
static const char *program = "./opagent";
static unsigned int seconds = 60;
static char folder[] = "/tmp/xenoprof-agent-cost-XXXXXX";
static char path[sizeof(folder) + 16];
static pid_t *sleepers;
static unsigned int count, beyond;

struct started_agent {
    pid_t pid;
    int fd;
    uint32_t follows;
    double answer, name; /* ms */
};

static void check(bool right, const char *what)
{
    if ( right )
        return;
    fprintf(stderr, "agent-cost: %s\n", what);
    exit(1);
}

static void sleep_ms(unsigned int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000l};

    nanosleep(&time, NULL);
}

/* With a hole behind each, so that no two become one. */
static void map_pieces(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *at = mmap(NULL, 2 * PIECES * PIECE, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for ( unsigned int i = 0; i < PIECES; i++ )
        if ( mmap(at + (size_t)2 * i * PIECE, PIECE, PROT_READ | PROT_EXEC,
                  MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED )
            _exit(1);
}

/* What they are asked about. */
__attribute__((noinline)) void code_of_a_sleeper(int ready);
void code_of_a_sleeper(int ready)
{
    if ( write(ready, "", 1) != 1 )
        _exit(1);
    for ( ;; )
        pause();
}

static void start_sleepers(unsigned int wanted)
{
    int ready[2];
    char byte;

    sleepers = calloc(wanted, sizeof(*sleepers));
    check(sleepers && !pipe(ready), "memory or descriptors ran out");
    for ( count = 0; count < wanted; count++ )
    {
        sleepers[count] = fork();
        if ( !sleepers[count] )
        {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if ( count % MAPPED_EACH == 0 )
                map_pieces();
            code_of_a_sleeper(ready[1]);
        }
        check(sleepers[count] > 0, "so many processes cannot be started");
        check(read(ready[0], &byte, 1) == 1, "a process has ended");
    }
    close(ready[0]);
    close(ready[1]);
}

static void end_sleepers(void)
{
    for ( unsigned int i = 0; i < count; i++ )
        kill(sleepers[i], SIGKILL);
    for ( unsigned int i = 0; i < count; i++ )
        waitpid(sleepers[i], NULL, 0);
    free(sleepers);
}

static void say(const struct started_agent *agent, enum agent_kind wanted)
{
    ssize_t got = -1;

    if ( send(agent->fd, message.bytes, message.size, MSG_NOSIGNAL) > 0 )
        got = recv(agent->fd, reply.bytes, sizeof(reply.bytes), 0);
    reply.size = got > 0 ? (size_t)got : 0;
    check(reply.size && kit_head(&reply).kind == wanted,
          "opagent does not answer");
}

/* The code of these many processes, from that one on. */
static void ask_names(const struct started_agent *agent, unsigned int first,
                      unsigned int many)
{
    struct agent_question questions[AGENT_QUESTIONS_MAX] = {{.time = 0}};

    for ( unsigned int i = 0; i < many; i++ )
        questions[i] = (struct agent_question){
            .time = clock_read(CLOCK_MONOTONIC_RAW),
            .address = (uint64_t)(uintptr_t)code_of_a_sleeper,
            .tgid = (uint32_t)sleepers[(first + i) % count]};
    kit_where(&message, questions, many);
    say(agent, AGENT_THERE);
    kit_check_there(&reply, many);
    for ( unsigned int i = 0; i < many; i++ )
        check(!strcmp(kit_text(&reply, kit_answer(&reply, i).symbol),
                      "code_of_a_sleeper"),
              "opagent does not know a process, or this program was moved");
}

static int call(pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path);
    for ( unsigned int i = 0; i < WAIT_MAX; i++, sleep_ms(1) )
    {
        if ( !connect(fd, (struct sockaddr *)&address, sizeof(address)) )
            return fd;
        check(!waitpid(pid, NULL, WNOHANG), "opagent has ended");
    }
    check(false, "opagent does not listen");
    return -1;
}

static double ms_since(uint64_t then)
{
    return (double)(clock_read(CLOCK_MONOTONIC) - then) / 1e6;
}

static void greet(struct started_agent *agent)
{
    struct agent_welcome welcome;

    kit_hello(&message, AGENT_VERSION);
    say(agent, AGENT_WELCOME);
    memcpy(&welcome, (char *)reply.bytes + sizeof(struct agent_head),
           sizeof(welcome));
    agent->follows = welcome.follows;
}

static struct started_agent start_agent(void)
{
    uint64_t then = clock_read(CLOCK_MONOTONIC);
    struct started_agent agent = {.pid = fork()};

    if ( !agent.pid )
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(program, "opagent", "--user=nobody", "--no-vchan", "--socket",
              path, NULL);
        _exit(1);
    }
    check(agent.pid > 0, "opagent cannot be started");
    agent.fd = call(agent.pid);
    greet(&agent);
    agent.answer = ms_since(then);
    ask_names(&agent, count - 1, 1);
    agent.name = ms_since(then);
    return agent;
}

static void end_agent(const struct started_agent *agent)
{
    close(agent->fd);
    kill(agent->pid, SIGTERM);
    waitpid(agent->pid, NULL, 0);
}

static uint64_t cpu_of(pid_t pid)
{
    clockid_t id;

    check(!clock_getcpuclockid(pid, &id), "opagent has ended");
    return clock_read(id);
}

/* The most that there was. */
static double mib_of(pid_t pid)
{
    char name[64], line[256];
    unsigned long kib = 0;
    FILE *status;

    snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
    status = fopen(name, "re");
    check(status, "/proc cannot be read");
    while ( fgets(line, sizeof(line), status) )
        if ( sscanf(line, "VmHWM: %lu", &kib) == 1 )
            break;
    fclose(status);
    return (double)kib / 1024;
}

static void row(const char *what, double value, const char *unit, double bound)
{
    printf("  %-44s %9.2f %-3s", what, value, unit);
    if ( bound > 0 )
        printf(" at most %g%s", bound, value > bound ? ": BEYOND" : "");
    printf("\n");
    beyond += bound > 0 && value > bound;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* Others use the machine, too. */
static double least(double *values)
{
    qsort(values, STARTS, sizeof(*values), compare);
    return values[0];
}

/* Returns the last one, which goes on. */
static struct started_agent measure_starts(void)
{
    double answers[STARTS], names[STARTS], cpu[STARTS];
    struct started_agent agent;

    for ( unsigned int i = 0; i < STARTS; i++ )
    {
        if ( i )
            end_agent(&agent);
        agent = start_agent();
        answers[i] = agent.answer;
        names[i] = agent.name;
        cpu[i] = (double)cpu_of(agent.pid) / 1e6;
    }
    printf("%u processes, %u of them with %u pieces of code; by %s\n", count,
           (count + MAPPED_EACH - 1) / MAPPED_EACH, PIECES,
           agent.follows ? "perf events" : "/proc");
    row("start to first answer, all read; best of 5", least(answers), "ms",
        BOUND_ANSWER);
    row("start to first name; best of 5", least(names), "ms", BOUND_NAME);
    row("CPU time until then; best of 5", least(cpu), "ms", 0);
    return agent;
}

/* As a shell's: it is forked, becomes another program, and ends. */
static void come_and_go(void)
{
    pid_t child = fork();

    if ( !child )
    {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

static void ask_space(const struct started_agent *agent, unsigned int which)
{
    const struct agent_question question = {
        .time = clock_read(CLOCK_MONOTONIC_RAW),
        .tgid = (uint32_t)sleepers[which % count]};

    kit_space_question(&message, &question);
    say(agent, AGENT_MAPPED);
    kit_check_mapped(&reply);
}

/* What a session asks in a tenth of a second: names, what a process has mapped,
 * and now and then how the clocks are. */
static void ask_turn(struct started_agent *agent, unsigned int turn)
{
    uint64_t then = clock_read(CLOCK_MONOTONIC);
    unsigned int first = turn * NAMES / ASKS;
    double took;

    come_and_go();
    ask_names(agent, first, (turn + 1) * NAMES / ASKS - first);
    ask_space(agent, turn);
    if ( turn % ASKS == 0 )
        greet(agent);
    took = ms_since(then);
    if ( took < 1000.0 / ASKS )
        sleep_ms(1000 / ASKS - (unsigned int)took);
}

/* Returns the share of a processor since then, in percent. */
static double share(const struct started_agent *agent, uint64_t time,
                    uint64_t cpu)
{
    return 100.0 * (double)(cpu_of(agent->pid) - cpu) /
           (double)(clock_read(CLOCK_MONOTONIC) - time);
}

static void measure_running(struct started_agent *agent)
{
    uint64_t time = clock_read(CLOCK_MONOTONIC), cpu = cpu_of(agent->pid);

    sleep_ms(1000 * seconds);
    row("CPU while nobody asks", share(agent, time, cpu), "%", BOUND_CPU);
    time = clock_read(CLOCK_MONOTONIC);
    cpu = cpu_of(agent->pid);
    for ( unsigned int i = 0; i < seconds * ASKS; i++ )
        ask_turn(agent, i);
    row("CPU while a session asks", share(agent, time, cpu), "%", BOUND_CPU);
}

/* What a question takes: 64 names in a message, each of another process. */
static void measure_names(const struct started_agent *agent)
{
    uint64_t cpu = cpu_of(agent->pid);

    for ( unsigned int i = 0; i < MESSAGES; i++ )
        ask_names(agent, i * AGENT_QUESTIONS_MAX, AGENT_QUESTIONS_MAX);
    row("CPU time for a name, each of another process",
        (double)(cpu_of(agent->pid) - cpu) / 1e3 /
            (MESSAGES * AGENT_QUESTIONS_MAX),
        "us", 0);
    row("memory, at most", mib_of(agent->pid), "MiB", BOUND_MIB);
}

/* What the agent says that it and its processes have worked, in us. */
static double work_of(const struct started_agent *agent)
{
    struct agent_work work;

    ask_names(agent, 0, 1);
    memcpy(&work, (char *)reply.bytes + sizeof(struct agent_head),
           sizeof(work));
    return (double)work.cpu / 1e3;
}

/* Asks about lines and inlined functions of this program; each turn at other
 * addresses of one function.  Returns how many questions are to be asked
 * again. */
static unsigned int ask_lines(const struct started_agent *agent,
                              unsigned int turn)
{
    struct agent_question questions[AGENT_INLINES_MAX];
    unsigned int later = 0;

    for ( unsigned int i = 0; i < AGENT_INLINES_MAX; i++ )
        questions[i] = (struct agent_question){
            .time = clock_read(CLOCK_MONOTONIC_RAW),
            .address = (uint64_t)(uintptr_t)code_of_a_sleeper +
                       turn * AGENT_INLINES_MAX + i,
            .tgid = (uint32_t)sleepers[0]};
    kit_inlines(&message, questions, AGENT_INLINES_MAX);
    say(agent, AGENT_INLINED);
    kit_check_inlined(&reply, AGENT_INLINES_MAX);
    for ( unsigned int i = 0; i < AGENT_INLINES_MAX; i++ )
    {
        later += kit_inlined(&reply, i).later;
        check(kit_inlined(&reply, i).later ||
                  kit_inlined(&reply, i).sources[0].line,
              "opagent knows no line: build this program with -g");
    }
    return later;
}

/* A file is read once; what is known is said by the process that read it. */
static void measure_lines(const struct started_agent *agent)
{
    double work = work_of(agent), read;

    for ( unsigned int i = 0; i < WAIT_MAX && ask_lines(agent, 0); i++ )
        sleep_ms(1);
    check(!ask_lines(agent, 0), "opagent does not read this program");
    read = work_of(agent);
    row("CPU time until lines of this program are read", (read - work) / 1e3,
        "ms", 0);
    for ( unsigned int i = 1; i <= LINED / AGENT_INLINES_MAX; i++ )
        while ( ask_lines(agent, i) )
            sleep_ms(1);
    row("CPU time for a line, each of another address",
        (work_of(agent) - read) / LINED, "us", 0);
}

static void measure(unsigned int processes)
{
    struct started_agent agent;

    start_sleepers(processes);
    agent = measure_starts();
    measure_running(&agent);
    measure_names(&agent);
    measure_lines(&agent);
    end_agent(&agent);
    end_sleepers();
}

int main(int argc, char **argv)
{
    if ( argc > 1 )
        program = argv[1];
    if ( argc > 2 )
        seconds = (unsigned int)atoi(argv[2]);
    check(argc < 4 && seconds > 0,
          "give the path of opagent, and how many seconds to measure (60)");
    check(!geteuid(), "only root may start opagent as it runs");
    check(mkdtemp(folder), "there can be no folder in /tmp");
    /* opagent, which is another user then, looks for its socket. */
    snprintf(path, sizeof(path), "%s/socket", folder);
    setvbuf(stdout, NULL, _IOLBF, 0);
    measure(200);
    measure(1000);
    unlink(path);
    rmdir(folder);
    return beyond > 0;
}
