/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this process has mapped, as /proc says. */
#include "agent/proc-spaces.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/harness.h"

#define NOW 1000u

static struct space_history *history;

static uint64_t now(void)
{
    return NOW;
}

static const struct past_mapping *find(const char *path)
{
    const struct past_space *space = space_history_find(history, getpid(), NOW);

    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( !strcmp(space->text + space->mappings[i].path, path) )
            return &space->mappings[i];
    return NULL;
}

/* A file whose name has a line end, a blank and a backslash. */
TEST(names_that_are_hard_to_read)
{
    char path[] = "/tmp/a b\n\\c 7f0000-7f1000 r-xp XXXXXX";
    int fd = mkstemp(path);
    const struct past_mapping *mapping;
    void *mapped;

    CHECK(fd >= 0);
    CHECK_EQ(ftruncate(fd, 16384), 0);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 8192);
    CHECK(mapped != MAP_FAILED);
    history = space_history_open(1 << 20, 1);
    CHECK(proc_space_add(history, getpid(), NOW));
    mapping = find(path);
    CHECK(mapping);
    CHECK_EQ(mapping->start, (uintptr_t)mapped);
    CHECK_EQ(mapping->end, (uintptr_t)mapped + 4096);
    CHECK_EQ(mapping->offset, 8192);
    CHECK_EQ(mapping->since, NOW);
    CHECK(find("[vdso]"));
    CHECK(!find("[stack]"));
    munmap(mapped, 4096);
    unlink(path);
    close(fd);
    space_history_close(history);
}

static void add(const char *text)
{
    char line[128];

    snprintf(line, sizeof(line), "%s", text);
    proc_space_line(history, getpid(), line, NOW);
}

/* Lines that some kernels have, and others do not. */
TEST(what_is_the_kernel_s_is_not_the_process_s)
{
    history = space_history_open(1 << 20, 1);
    space_history_process(history, getpid(), 1, NOW);
    add("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0"
        "                  [vsyscall]\n");
    CHECK_EQ(space_history_find(history, getpid(), NOW)->count, 0);
    add("7ffd0000-7ffd2000 r-xp 00000000 00:00 0            [vdso]\n");
    add("00401000-00402000 r--p 00000000 00:00 0 \n");
    add("7ffffffff000-8000000000000000 r-xp 00000000 00:00 0 \n");
    CHECK_EQ(space_history_find(history, getpid(), NOW)->count, 2);
    CHECK(find("[vdso]") && find(""));
    space_history_close(history);
}

TEST(memory_without_a_file)
{
    void *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct past_mapping *mapping;

    CHECK(mapped != MAP_FAILED);
    history = space_history_open(1 << 20, 1);
    CHECK(proc_space_add(history, getpid(), NOW));
    mapping = find("");
    CHECK(mapping);
    CHECK(mapping->start <= (uintptr_t)mapped &&
          mapping->end >= (uintptr_t)mapped + 8192);
    munmap(mapped, 8192);
    space_history_close(history);
}

static pthread_barrier_t barrier;

static void *wait_twice(void *unused)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}

TEST(threads_are_counted)
{
    pthread_t thread;

    CHECK_EQ(pthread_barrier_init(&barrier, NULL, 2), 0);
    CHECK_EQ(pthread_create(&thread, NULL, wait_twice, NULL), 0);
    pthread_barrier_wait(&barrier);
    history = space_history_open(1 << 20, 1);
    CHECK(proc_space_add(history, getpid(), NOW));
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    space_history_exit(history, getpid(), NOW + 1);
    CHECK(space_history_find(history, getpid(), NOW + 2));
    space_history_exit(history, getpid(), NOW + 2);
    CHECK(!space_history_find(history, getpid(), NOW + 2));
    space_history_close(history);
}

TEST(all_processes)
{
    history = space_history_open(16 << 20, 1);
    CHECK(proc_spaces_add(history, now) > 0);
    CHECK(find("[vdso]"));
    CHECK(!proc_space_add(history, INT32_MAX, NOW));
    space_history_close(history);
}
