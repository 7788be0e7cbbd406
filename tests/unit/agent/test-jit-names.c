/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This process's own map, and files that must not be one. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/jit-names.h"
#include "child-kit.h"
#include "dump-kit.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

static struct jit_names *names;
static struct jit_found found;
static char path[JIT_PATH_MAX];
static uint64_t now = SECOND;

static void begin(void)
{
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    unlink(path);
    names = jit_names_open(1 << 20);
    CHECK(names);
}

static void end(void)
{
    jit_names_close(names);
    unlink(path);
}

static void write_map(const char *how, const char *text)
{
    FILE *file = fopen(path, how);

    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* The name at an address, asked for after a while. */
static const char *name_at(uint64_t address)
{
    now += SECOND;
    return jit_names_find(names, getpid(), NULL, address, now, &found)
               ? found.name
               : "";
}

TEST(own_map)
{
    begin();
    CHECK_TEXT(name_at(0x1000), "");
    write_map("w", "1000 10 first\n2000 10 sec");
    CHECK_TEXT(name_at(0x1001), "first");
    CHECK_TEXT(found.path, path);
    CHECK_EQ(found.start, 0x1000);
    CHECK_TEXT(name_at(0x2000), "");
    write_map("a", "ond\n1000 10 moved\n");
    CHECK_TEXT(name_at(0x2000), "second");
    CHECK_TEXT(name_at(0x1000), "moved");
    CHECK(jit_names_bytes(names) > 0);
    end();
}

/* Who asks often does not have the file looked at as often. */
TEST(looks_are_apart)
{
    begin();
    write_map("w", "1000 10 first\n");
    CHECK_TEXT(name_at(0x1000), "first");
    write_map("a", "2000 10 second\n");
    CHECK(!jit_names_find(names, getpid(), NULL, 0x2000, now + SECOND / 20,
                          &found));
    CHECK(jit_names_find(names, getpid(), NULL, 0x2000, now + SECOND / 10,
                         &found));
    end();
}

/* Others need not wait for him: he does. */
TEST(a_user_who_writes_much)
{
    static const char line[] = "1000 10 x\n";
    FILE *file;

    begin();
    file = fopen(path, "w");
    CHECK(file);
    for ( size_t i = 0; i < JIT_MAP_MAX / (sizeof(line) - 1); i++ )
        CHECK(fputs(line, file) >= 0);
    CHECK(!fclose(file));
    CHECK(*name_at(0x1000));
    write_map("w", "2000 10 second\n");
    CHECK(!jit_names_find(names, getpid(), NULL, 0x2000, now + SECOND / 10,
                          &found));
    now += 60 * SECOND;
    CHECK_TEXT(name_at(0x2000), "second");
    end();
}

TEST(another_file_under_the_name)
{
    begin();
    write_map("w", "1000 10 first\n2000 10 second\n");
    CHECK_TEXT(name_at(0x2000), "second");
    write_map("w", "1000 10 third\n");
    CHECK_TEXT(name_at(0x1000), "third");
    CHECK_TEXT(name_at(0x2000), "");
    unlink(path);
    CHECK_TEXT(name_at(0x1000), "");
    end();
}

/* A map that a process before had under this number. */
static void make_old(void)
{
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};

    write_map("w", "1000 10 old\n");
    CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

static void make_large(void)
{
    write_map("w", "1000 10 large\n");
    CHECK(!truncate(path, JIT_MAP_MAX + 1));
}

static void make_fifo(void)
{
    CHECK(!mkfifo(path, 0600));
}

static void make_folder(void)
{
    CHECK(!mkdir(path, 0700));
}

static void make_strange(void)
{
    write_map("w", "1000 10 strange\n");
    if ( chown(path, 12345, 12345) )
        unlink(path); /* only root can have others own it */
}

TEST(files_that_are_not_maps)
{
    static void (*const make[])(void) = {make_old, make_large, make_fifo,
                                         make_folder, make_strange};

    for ( size_t i = 0; i < sizeof(make) / sizeof(make[0]); i++ )
    {
        begin();
        make[i]();
        CHECK_TEXT(name_at(0x1000), "");
        rmdir(path);
        end();
    }
}

static char dump_path[64];

static const char *dumped_at(uint64_t address)
{
    now += SECOND;
    return jit_names_find(names, getpid(), dump_path, address, now, &found)
               ? found.name
               : "";
}

static void write_dump(const struct dump_kit *kit, size_t size)
{
    FILE *file = fopen(dump_path, "w");

    CHECK(file && fwrite(kit->bytes, 1, size, file) == size && !fclose(file));
}

static void begin_dump(struct dump_kit *kit)
{
    begin();
    snprintf(dump_path, sizeof(dump_path), "/tmp/jit-%d.dump", (int)getpid());
    unlink(dump_path);
    dump_kit_begin(kit);
}

/* What is said as text comes first. */
TEST(own_dump)
{
    static struct dump_kit kit;
    size_t size;

    begin_dump(&kit);
    CHECK_TEXT(dumped_at(0x1000), "");
    dump_kit_load(&kit, 0x1000, 16, 1, "first", 16);
    size = kit.size;
    dump_kit_load(&kit, 0x2000, 16, 2, "second", 9000);
    write_dump(&kit, size + 60);
    CHECK_TEXT(dumped_at(0x1008), "first");
    CHECK_TEXT(found.path, dump_path);
    CHECK_TEXT(dumped_at(0x2000), "");
    write_dump(&kit, kit.size);
    CHECK_TEXT(dumped_at(0x2000), "second");
    write_map("w", "2000 10 text\n");
    CHECK_TEXT(dumped_at(0x2000), "text");
    CHECK_TEXT(name_at(0x1000), "");
    unlink(dump_path);
    CHECK_TEXT(dumped_at(0x1000), "");
    end();
}

/* Each time some of it. */
TEST(a_dump_of_many_records)
{
    static struct dump_kit kit;
    unsigned int asked = 0;

    begin_dump(&kit);
    for ( unsigned int i = 0; i < 3500; i++ )
        dump_kit_other(&kit, 5, 16);
    dump_kit_load(&kit, 0x1000, 16, 1, "last", 16);
    write_dump(&kit, kit.size);
    while ( !*dumped_at(0x1000) )
        CHECK(asked++ < 3);
    CHECK(asked > 0);
    unlink(dump_path);
    end();
}

TEST(files_that_are_not_dumps)
{
    static struct dump_kit kit;
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};

    begin_dump(&kit);
    dump_kit_load(&kit, 0x1000, 16, 1, "first", 16);
    write_dump(&kit, kit.size);
    CHECK(!utimensat(AT_FDCWD, dump_path, times, 0));
    CHECK_TEXT(dumped_at(0x1000), "");
    write_dump(&kit, kit.size);
    CHECK(!truncate(dump_path, JIT_DUMP_MAX + 1l));
    CHECK_TEXT(dumped_at(0x1000), "");
    unlink(dump_path);
    CHECK(!mkfifo(dump_path, 0600));
    CHECK_TEXT(dumped_at(0x1000), "");
    unlink(dump_path);
    end();
}

TEST(which_files_are_dumps)
{
    CHECK(jit_names_is_dump("/root/.debug/jit/java.XX/jit-17.dump"));
    CHECK(!jit_names_is_dump("jit-17.dump"));
    CHECK(!jit_names_is_dump("/tmp/jit-17.dumps"));
    CHECK(!jit_names_is_dump("/tmp/jit-a.dump"));
    CHECK(!jit_names_is_dump("/jit-1.dump/lib.so"));
    CHECK(!jit_names_is_dump(""));
}

/* A line that is longer than what is read at once. */
TEST(a_line_without_end)
{
    static char line[200000];

    begin();
    memset(line, 'a', sizeof(line) - 2);
    memcpy(line, "1000 10 ", 8);
    line[sizeof(line) - 2] = '\n';
    write_map("w", line);
    write_map("a", "2000 10 behind\n");
    CHECK_TEXT(name_at(0x1000), "");
    CHECK_TEXT(name_at(0x2000), "behind");
    end();
}

static int started[2];

static void rest(void)
{
    for ( ;; )
        pause();
}

/* Whose end of the pipe is closed once it runs another program. */
static void run_another(void)
{
    execlp("sleep", "sleep", "1000", NULL);
    _exit(1);
}

static const char *name_in(pid_t pid, uint64_t address)
{
    now += SECOND;
    return jit_names_find(names, pid, NULL, address, now, &found) ? found.name
                                                                  : "";
}

/* It has the memory of the process that it was forked by, and no map. */
TEST(a_fork)
{
    pid_t child;

    begin();
    write_map("w", "1000 b py::f:x.py\n1010 b py::g:x.py\n");
    child = kit_start_child(rest);
    CHECK_TEXT(name_in(child, 0x1001), "py::f:x.py");
    CHECK_TEXT(found.path, path);
    CHECK_TEXT(name_in(child, 0x2000), "");
    CHECK(jit_names_image(names, child, NULL, 0x1000, 0x11000, now));
    CHECK(!jit_names_image(names, child, NULL, 0x11000, 0x21000, now));
    kit_end_child(child);
    CHECK_TEXT(name_in(child, 0x1001), "");
    end();
}

TEST(a_fork_that_runs_another_program)
{
    pid_t child;
    char byte;

    begin();
    write_map("w", "1000 b py::f:x.py\n1010 b py::g:x.py\n");
    CHECK(!pipe2(started, O_CLOEXEC));
    child = kit_start_child(run_another);
    close(started[1]);
    CHECK_EQ(read(started[0], &byte, 1), 0);
    close(started[0]);
    CHECK_TEXT(name_in(child, 0x1001), "");
    CHECK(!jit_names_image(names, child, NULL, 0x1000, 0x11000, now));
    kit_end_child(child);
    end();
}

TEST(processes_without_number)
{
    begin();
    for ( int32_t tgid = 1; tgid < 2000; tgid++ )
        jit_names_find(names, 4000000 + tgid, NULL, 0x1000, now, &found);
    CHECK(jit_names_bytes(names) < 1 << 20);
    write_map("w", "1000 10 first\n");
    CHECK_TEXT(name_at(0x1000), "first");
    end();
}
