/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real processes that live for a moment: each is in the history with its code,
 * when it ran, and not before or after.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/perf-events.h"
#include "agent/proc-spaces.h"
#include "tests/harness.h"

#define PROCESSES 100u

static struct space_history *history;
static struct perf_events *events;

struct short_life {
    pid_t pid;
    uint64_t before, running, after; /* times */
};

static void setup(void)
{
    events = perf_events_open();
    if ( !events && (errno == EACCES || errno == EPERM || errno == ENOSYS) )
        test_skip("perf events are forbidden here");
    CHECK(events);
    history = space_history_open(16 << 20, UINT64_MAX / 2);
    CHECK(history);
    CHECK(proc_spaces_add(history, perf_events_now) > 0);
}

static void clean(void)
{
    CHECK(perf_events_read(events, history));
    perf_events_close(events);
    space_history_close(history);
}

/* All that happened up to now. */
static void read_all(void)
{
    CHECK(perf_events_read(events, history));
}

static const struct past_mapping *mapping_of(const struct past_space *space,
                                             const char *path)
{
    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( !strcmp(space->text + space->mappings[i].path, path) )
            return &space->mappings[i];
    return NULL;
}

/* Runs the program with its input from a pipe: it is there until that is
 * closed. */
static struct short_life run(char *const program[])
{
    struct short_life life = {.before = perf_events_now()};
    int held[2], ran[2];
    char byte;

    CHECK(!pipe2(held, O_CLOEXEC) && !pipe2(ran, O_CLOEXEC));
    life.pid = fork();
    if ( !life.pid )
    {
        dup2(held[0], 0);
        close(held[1]);
        execv(program[0], program);
        _exit(127);
    }
    CHECK(life.pid > 0);
    close(ran[1]);
    CHECK_EQ(read(ran[0], &byte, 1), 0); /* the exec closes it */
    life.running = perf_events_now();
    close(ran[0]);
    close(held[0]);
    close(held[1]);
    CHECK_EQ(waitpid(life.pid, NULL, 0), life.pid);
    life.after = perf_events_now();
    return life;
}

static void check_life(const struct short_life *life, const char *program)
{
    const struct past_space *space;

    CHECK(!space_history_find(history, life->pid, life->before));
    space = space_history_find(history, life->pid, life->running);
    CHECK(space && space->from > life->before);
    CHECK(space->until <= life->after);
    CHECK(mapping_of(space, program));
    CHECK(!space_history_find(history, life->pid, life->after));
}

/* Returns false if records were lost: others on this machine made more than
 * there was room for while this test did not run. */
static bool follow_programs(char *const program[], const char *path)
{
    static struct short_life lives[PROCESSES];
    bool all;

    setup();
    for ( unsigned int i = 0; i < PROCESSES; i++ )
    {
        lives[i] = run(program);
        read_all();
    }
    all = !perf_events_lost(events);
    for ( unsigned int i = 0; all && i < PROCESSES; i++ )
        check_life(&lives[i], path);
    clean();
    return all;
}

TEST(programs_that_run_for_a_moment)
{
    static char *const cat[] = {"/bin/cat", NULL};
    char path[4096];
    unsigned int tries = 1;

    CHECK(realpath(cat[0], path));
    while ( !follow_programs(cat, path) )
        CHECK(tries++ < 5);
}

/* A child has its parent's code; what it maps itself is its own. */
TEST(children_that_run_no_other_program)
{
    const struct past_mapping *first;
    const struct past_space *space;
    uint64_t running;
    char self[256];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int ready[2];
    char byte;
    pid_t pid;

    CHECK(size > 0);
    self[size] = 0;
    setup();
    CHECK(!pipe(ready));
    pid = fork();
    if ( !pid )
    {
        int fd = open("/proc/self/exe", O_RDONLY);

        _exit(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
                  MAP_FAILED ||
              write(ready[1], "", 1) != 1 || pause());
    }
    CHECK(pid > 0);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    running = perf_events_now();
    kill(pid, SIGKILL);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    read_all();
    space = space_history_find(history, pid, running);
    first = mapping_of(space, self);
    CHECK(first && first->start != 0);
    CHECK_EQ(space->count,
             space_history_find(history, getpid(), running)->count + 1);
    close(ready[0]);
    close(ready[1]);
    clean();
}

/* This process was there before, and has the code that it runs. */
TEST(processes_that_were_there)
{
    const struct past_space *space;
    uint64_t here = (uint64_t)(uintptr_t)read_all;
    bool found = false;

    setup();
    space = space_history_find(history, getpid(), perf_events_now());
    CHECK(space);
    for ( uint32_t i = 0; i < space->count; i++ )
        found |= space->mappings[i].start <= here &&
                 here < space->mappings[i].end;
    CHECK(found);
    clean();
}

TEST(nothing_is_closed)
{
    perf_events_close(NULL);
}
