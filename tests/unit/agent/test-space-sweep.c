/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of which something was lost: they are as /proc says after a while,
 * and others as they were. */
#include "agent/space-sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/perf-events.h"
#include "agent/proc-spaces.h"
#include "child-kit.h"
#include "tests/harness.h"

#define BEGIN 1000u

static struct space_history *history;
static struct space_sweep sweep;
static uint64_t time_now;

static uint64_t now(void)
{
    return time_now;
}

static void wait_for_ever(void)
{
    for ( ;; )
        pause();
}

static void begin(void)
{
    sweep = (struct space_sweep){.missed = 0};
    time_now = BEGIN;
    history = space_history_open(16 << 20, UINT64_MAX / 2);
    CHECK(history);
}

/* Works until no sweep goes on.  Returns how many steps that took. */
static unsigned int work(uint64_t lost)
{
    unsigned int steps = 0;

    for ( ;; )
    {
        uint64_t before = sweep.next;

        time_now += SWEEP_STEP;
        space_sweep_work(&sweep, history, lost, now);
        if ( sweep.next == before )
            return steps;
        CHECK(steps++ < 100000);
    }
}

static const struct past_space *find(int32_t tgid)
{
    return space_history_find(history, tgid, time_now);
}

static bool has(const struct past_space *space, const char *path)
{
    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( !strcmp(space->text + space->mappings[i].path, path) )
            return true;
    return false;
}

/* One more of it than is there. */
static void map_another(int32_t tgid)
{
    const struct past_mapping mapping = {
        .start = 0x1000, .end = 0x2000, .since = time_now};

    space_history_map(history, tgid, &mapping, "/old");
}

static pid_t ended_child(void)
{
    pid_t child = kit_start_child(wait_for_ever);

    kit_end_child(child);
    return child;
}

TEST(an_end_that_was_lost)
{
    pid_t gone = ended_child();

    begin();
    space_history_process(history, gone, 7, time_now);
    map_another(gone);
    CHECK_EQ(work(0), 0);
    CHECK(find(gone));
    CHECK(work(1));
    CHECK(!find(gone));
    CHECK(space_history_find(history, gone, BEGIN)); /* it was there */
    space_history_close(history);
}

/* Its parent has not asked about it yet. */
TEST(an_end_that_nobody_has_seen)
{
    pid_t child = fork();
    siginfo_t unused;

    if ( !child )
        _exit(0);
    CHECK(child > 0);
    CHECK(!waitid(P_PID, (id_t)child, &unused, WEXITED | WNOWAIT));
    begin();
    space_history_process(history, child, 1, time_now);
    CHECK(work(1));
    CHECK(!find(child));
    CHECK_EQ(waitpid(child, NULL, 0), child);
    space_history_close(history);
}

TEST(an_exec_and_a_fork_that_were_lost)
{
    pid_t child = kit_start_child(wait_for_ever);

    begin();
    space_history_process(history, child, 1, time_now);
    map_another(child);
    CHECK(!find(getpid()));
    CHECK(work(1));
    CHECK(has(find(child), "[vdso]"));
    CHECK(!has(find(child), "/old"));
    CHECK(has(space_history_find(history, child, BEGIN), "/old"));
    CHECK(has(find(getpid()), "[vdso]"));
    /* An end of one thread is the process's. */
    space_history_exit(history, child, time_now);
    CHECK(!find(child));
    kit_end_child(child);
    space_history_close(history);
}

/* Of what was right before it is not said that it began now. */
TEST(who_is_as_before_stays)
{
    pid_t child = kit_start_child(wait_for_ever);
    struct space_history_counts before;

    begin();
    CHECK(proc_space_add(history, child, time_now));
    CHECK(work(1));
    before = space_history_counts(history);
    CHECK(has(space_history_find(history, child, BEGIN), "[vdso]"));
    CHECK(find(child) == space_history_find(history, child, BEGIN));
    /* What happened before it was read again is in that. */
    space_history_exit(history, child, BEGIN + 1);
    CHECK(find(child));
    CHECK_EQ(before.dropped, 0);
    kit_end_child(child);
    space_history_close(history);
}

TEST(processes_that_are_read_when_they_are_asked_for)
{
    pid_t gone = ended_child();

    begin();
    sweep.ends_only = true;
    space_history_process(history, gone, 1, time_now);
    CHECK(work(1));
    CHECK(!find(gone));
    CHECK(!find(getpid()));
    space_history_close(history);
}

TEST(sweeps_have_pauses)
{
    begin();
    CHECK(work(1));
    CHECK_EQ(work(1), 0);
    CHECK_EQ(work(2), 0); /* too soon */
    time_now = BEGIN + SWEEP_PAUSE + 2 * SWEEP_STEP;
    CHECK(work(2));
    time_now += SWEEP_PAUSE;
    CHECK_EQ(work(2), 0);
    space_history_close(history);
}

/* Room that those have who are gone is there for who is not known. */
TEST(a_history_that_is_full_of_who_is_gone)
{
    pid_t gone = ended_child();

    begin();
    space_history_close(history);
    history = space_history_open(256 << 10, UINT64_MAX / 2);
    for ( int32_t i = 0; !space_history_counts(history).refused; i++ )
    {
        space_history_process(history, INT32_MAX - i, 1, time_now);
        space_history_process(history, gone, 1, time_now);
    }
    CHECK(!proc_space_add(history, INT32_MAX, time_now));
    CHECK(work(1));
    CHECK(!find(INT32_MAX) && !find(INT32_MAX - 1));
    CHECK(has(find(getpid()), "[vdso]"));
    space_history_close(history);
}

/* With real records -------------------------------------------------------- */

static void stay_on_a_processor(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    CHECK(!sched_setaffinity(0, sizeof(set), &set));
}

/* More than a ring has room for. */
static void map_often(unsigned int times)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    CHECK(fd >= 0);
    for ( unsigned int i = 0; i < times; i++ )
    {
        void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

        CHECK(at != MAP_FAILED && !munmap(at, 4096));
    }
    close(fd);
}

TEST(records_that_are_really_lost)
{
    struct perf_events *events = perf_events_open();
    pid_t child;

    if ( !events && (errno == EACCES || errno == EPERM || errno == ENOSYS) )
        test_skip("perf events are forbidden here");
    CHECK(events);
    begin();
    stay_on_a_processor();
    child = kit_start_child(wait_for_ever);
    CHECK(perf_events_read(events, history));
    CHECK(proc_space_add(history, child, perf_events_now()));
    map_often(20000);
    for ( unsigned int i = 0; i < 10; i++ )
        ended_child(); /* short records, where no longer one has room */
    kit_end_child(child);
    CHECK(perf_events_read(events, history));
    /* The next record brings how many had no room. */
    map_often(1);
    CHECK(perf_events_read(events, history));
    CHECK(perf_events_lost(events) > 0);
    time_now = perf_events_now();
    CHECK(find(child));
    CHECK(work(perf_events_lost(events)));
    CHECK(!find(child));
    perf_events_close(events);
    space_history_close(history);
}
