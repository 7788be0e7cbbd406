/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent of a guest root, as the porter makes it: names and rows of files
 * below a folder, and of no others. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/perf-events.h"
#include "agent/proc-spaces.h"
#include "base/clock.h"
#include "daemon/agent/agent-link.h"
#include "cage/process-words.h"
#include "daemon/relay/porter.h"
#include "daemon/relay/process-caller.h"
#include "daemon/relay/relay-rights.h"
#include "daemon/relay/root-process.h"
#include "tests/harness.h"
#include "tests/unit/cage/process-kit.h"

#define SECOND 1000000000ull
#define TGID   7
#define BEGAN  100

static const struct identity nobody = {65534, 65534};
static char folder[64], path[192];
static struct forked_processes forked;
static struct process_maker maker;
static struct agent_link *agent;
static int root_folder;

static const char *at(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void copy_self(const char *name)
{
    char command[256];

    snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(),
             at(name));
    CHECK(!system(command));
}

/* FOLDER/root has a copy of this program, and links; so has FOLDER, where a
 * guest's words must not lead. */
static void make_root(void)
{
    char up[256];

    strcpy(folder, "/tmp/xenoprof-guest-XXXXXX");
    CHECK(mkdtemp(folder) && !chmod(folder, 0755));
    CHECK(!mkdir(at("root"), 0755) && !mkdir(at("root/bin"), 0755));
    copy_self("root/bin/prog");
    copy_self("outside");
    snprintf(up, sizeof(up), "../../../../../..%s", at("outside"));
    CHECK(!symlink(up, at("root/up")));
    snprintf(up, sizeof(up), "%s", at("outside"));
    CHECK(!symlink(up, at("root/out")));
    CHECK(!symlink("/bin/prog", at("root/absolute")));
}

/* With no more rights than the porter has. */
static void run(const struct process_order *order, int socket)
{
    if ( !relay_rights_keep() )
        root_process_run(order, socket);
}

static void work(void)
{
    struct pollfd ready = {.fd = agent_link_fd(agent), .events = POLLIN};

    agent_link_work(agent);
    poll(&ready, 1, 10);
}

static void call(const char *root)
{
    struct agent_caller caller;

    root_folder = open(root, O_PATH | O_CLOEXEC);
    CHECK(agent_root_caller(&maker, root_folder, &caller));
    agent = agent_link_open(&caller, 0);
    CHECK(agent);
}

/* A maker that has no more rights than the porter. */
static void be_porter(void)
{
    if ( geteuid() )
        test_skip("only root can shut a process into a folder");
    relay_rights_user(&nobody);
    forked = (struct forked_processes){.act = run};
    maker = forking_maker(&forked);
}

static void wait_for_agent(void)
{
    uint64_t began = monotonic_now();

    while ( agent_link_state(agent) != AGENT_PRESENT )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        work();
    }
    CHECK(agent_link_wants_known(agent));
}

static void begin(void)
{
    be_porter();
    make_root();
    call(at("root"));
    wait_for_agent();
}

static void clean(void)
{
    char command[128];

    agent_link_close(agent);
    close(root_folder);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(!system(command));
}

__attribute__((noinline)) static uint64_t function_of_a_guest(void)
{
    return (uint64_t)(uintptr_t)function_of_a_guest;
}

/* Returns where this program has that function mapped, as a mapping of a file
 * at that path. */
static struct agent_file_mapping mapping_of(const char *file)
{
    struct space_history *history = space_history_open(1 << 20, SECOND);
    struct agent_file_mapping found = {.path = file};
    const struct past_space *space;

    CHECK(history && proc_space_add(history, getpid(), perf_events_now()));
    space = space_history_find(history, getpid(), UINT64_MAX - 1);
    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( space->mappings[i].start <= function_of_a_guest() &&
             function_of_a_guest() < space->mappings[i].end )
        {
            found.start = space->mappings[i].start;
            found.end = space->mappings[i].end;
            found.offset = space->mappings[i].offset;
        }
    space_history_close(history);
    CHECK(found.end);
    return found;
}

static void tell(const char *file)
{
    const struct agent_file_mapping mapping = mapping_of(file);
    uint64_t began = monotonic_now();

    while ( !agent_link_know(agent, TGID, BEGAN, &mapping, 1) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        work();
    }
}

static struct agent_question question_of(uint64_t time)
{
    return (struct agent_question){
        .time = time, .address = function_of_a_guest() + 1, .tgid = TGID};
}

/* What is said of the function; texts are good until the next question. */
static struct agent_name_reply ask(uint64_t time)
{
    static char texts[2][AGENT_TEXT_MAX];
    const struct agent_question question = question_of(time);
    uint64_t began = monotonic_now();
    struct agent_name_reply said, none;

    while ( !agent_link_ask(agent, &question, 1) )
        work();
    while ( !agent_link_next(agent, &said) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        work();
    }
    said.path = strcpy(texts[0], said.path);
    said.symbol = strcpy(texts[1], said.symbol);
    CHECK(!agent_link_next(agent, &none));
    return said;
}

static const struct agent_reply *wait_for_reply(void)
{
    uint64_t began = monotonic_now();

    while ( !agent_link_reply(agent) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        work();
    }
    CHECK(!agent_link_reply(agent)->nothing);
    return agent_link_reply(agent);
}

TEST(names_of_a_guests_program)
{
    struct agent_name_reply said;

    begin();
    CHECK_EQ(ask(BEGAN).found, AGENT_NO_PROCESS);
    tell("/bin/prog");
    said = ask(BEGAN);
    CHECK_EQ(said.found, AGENT_NAMED);
    CHECK_TEXT(said.symbol, "function_of_a_guest");
    CHECK_TEXT(said.path, "/bin/prog");
    CHECK_EQ(said.address - said.start, 1);
    CHECK_EQ(ask(BEGAN - 1).found, AGENT_NO_PROCESS);
    CHECK_EQ(agent_link_lies(agent), 0);
    clean();
}

/* Of a program with debug information. */
static void check_line(const struct agent_reply *said)
{
    const struct agent_inlined inlined = agent_reply_inlined(said, 0);
    const struct agent_source *source = &inlined.sources[inlined.levels];

    CHECK(!inlined.later);
    if ( source->line )
        CHECK_TEXT(basename(said->texts + source->path), "test-agent-root.c");
    else
        printf("# this program has no debug information\n");
}

TEST(rows_of_a_guests_program)
{
    struct agent_question question = question_of(BEGAN);
    struct agent_rows_question rows = {question, 0};
    uint64_t image;

    begin();
    tell("/absolute"); /* a link, which leads where it does in the guest */
    while ( !agent_link_ask_space(agent, &question) )
        work();
    CHECK_EQ(wait_for_reply()->count, 1);
    image = agent_link_reply(agent)->mappings[0].image;
    CHECK(image);
    agent_link_take_reply(agent);
    while ( !agent_link_ask_rows(agent, &rows) )
        work();
    CHECK_EQ(wait_for_reply()->table.image, image);
    CHECK(agent_link_reply(agent)->table.size > 100);
    agent_link_take_reply(agent);
    while ( !agent_link_ask_inlines(agent, &question, 1) )
        work();
    CHECK_EQ(wait_for_reply()->count, 1);
    check_line(agent_link_reply(agent));
    agent_link_take_reply(agent);
    clean();
}

/* Each of these is a program: out of the guest's reach. */
TEST(nothing_outside_is_read)
{
    const char *const paths[] = {"/up", "/out", "/../outside", NULL, "/none"};
    char outside[192];

    begin();
    strcpy(outside, at("outside"));
    for ( unsigned int i = 0; i < 5; i++ )
    {
        tell(paths[i] ? paths[i] : outside);
        CHECK_EQ(ask(BEGAN).found, AGENT_NO_FILE);
    }
    tell("/bin/../bin/prog");
    CHECK_EQ(ask(BEGAN).found, AGENT_NAMED);
    clean();
}

/* A number that dom0 and a guest give to users is none that it has. */
TEST(a_file_of_the_daemons_number)
{
    begin();
    CHECK(!chown(at("root/bin/prog"), nobody.uid, nobody.gid));
    CHECK(!chmod(at("root/bin/prog"), 0770));
    tell("/bin/prog");
    CHECK_EQ(ask(BEGAN).found, AGENT_NO_FILE);
    clean();
}

/* Whoever took it over would be nobody, in a folder. */
TEST(what_it_becomes)
{
    const struct identity reader = {READER_ID, READER_ID};
    struct failure failure = {0};
    char text[64], root[192];
    ssize_t size;

    begin();
    snprintf(text, sizeof(text), "/proc/%d/status", forked.pids[0]);
    CHECK_EQ(privileges_check(text, &reader, &failure), 0);
    snprintf(text, sizeof(text), "/proc/%d/root", forked.pids[0]);
    size = readlink(text, root, sizeof(root) - 1);
    CHECK(size > 0);
    root[size] = 0;
    CHECK_TEXT(root, at("root"));
    clean();
}

/* All of it as the daemon has it. */
TEST(the_porter_makes_it)
{
    struct failure failure = {0};
    struct keeper porter;

    be_porter();
    make_root();
    CHECK_EQ(porter_start(&porter, &nobody, &failure), 0);
    maker = keeper_maker(&porter);
    call(at("root"));
    wait_for_agent();
    tell("/bin/prog");
    CHECK_TEXT(ask(BEGAN).symbol, "function_of_a_guest");
    CHECK(agent_link_cpu(agent) > 0);
    clean();
    keeper_stop(&porter);
}

/* Where the guest's file system is by now, and what its path leads to. */
TEST(a_folder_that_moves)
{
    char other[192];

    be_porter();
    make_root();
    strcpy(other, at("moved"));
    call(at("root"));
    CHECK(!rename(at("root"), other) && !symlink("/", at("root")));
    wait_for_agent();
    tell("/bin/prog");
    CHECK_TEXT(ask(BEGAN).symbol, "function_of_a_guest");
    clean();
}

TEST(a_folder_that_is_none)
{
    uint64_t began = monotonic_now();

    be_porter();
    call("/dev/null");
    do
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        work();
    } while ( agent_link_state(agent) != AGENT_ABSENT );
    CHECK(strstr(agent_link_trouble(agent), "cannot be entered"));
    agent_link_close(agent);
}

TEST(it_ends_with_its_client)
{
    const struct process_order order = {
        PROCESS_ROOT, 1, {open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC)}};
    struct pollfd end = {.events = POLLIN};
    uint64_t word = 0;
    int ends[2], status;
    pid_t pid;

    be_porter();
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    pid = fork();
    if ( !pid )
    {
        close(ends[0]);
        run(&order, ends[1]);
        syscall(SYS_exit_group, 0);
    }
    close(ends[1]);
    CHECK_EQ(recv(ends[0], &word, sizeof(word), 0), sizeof(word));
    CHECK_EQ(word, WORD_READY);
    close(ends[0]);
    end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if ( poll(&end, 1, 20000) != 1 )
        kill(pid, SIGKILL);
    close(end.fd);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}
